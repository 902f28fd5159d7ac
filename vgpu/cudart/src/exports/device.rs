//! Devices: count, choice, properties, limits, and waiting for all work.

use crate::border::Out;
use crate::bound::{self, DEVICE, bound, require_device};
use crate::driver::driver;
use crate::error::{Status, checked};
use std::ffi::{c_char, c_void};

exports! {
    fn cudaGetDeviceCount(count: Out<i32>) {
        let room = count.room()?;
        match driver() {
            // SAFETY: the caller's room is not null.
            Ok(driver) => checked(unsafe { (driver.device_count)(room) }),
            Err(status) => {
                count.put(0)?;
                Err(status)
            }
        }
    }

    fn cudaGetDevice(device: Out<i32>) {
        driver()?;
        device.put(DEVICE)
    }

    fn cudaSetDevice(device: i32) {
        driver()?;
        require_device(device)?;
        bound().map(drop)
    }

    fn cudaInitDevice(device: i32, _device_flags: u32, _flags: u32) {
        driver()?;
        require_device(device)?;
        bound().map(drop)
    }

    fn cudaSetDeviceFlags(flags: u32) {
        // SAFETY: plain values.
        checked(unsafe { (driver()?.set_primary_flags)(DEVICE, flags) })
    }

    fn cudaGetDeviceFlags(flags: Out<u32>) {
        let mut active = 0;
        // SAFETY: the caller's room is checked not to be null; `active` is ours.
        checked(unsafe { (driver()?.primary_state)(DEVICE, flags.room()?, &raw mut active) })
    }

    /// With one device to see, the best match is that one.
    fn cudaChooseDevice(device: Out<i32>, _wanted: *const c_void) {
        driver()?;
        device.put(DEVICE)
    }

    /// The runtime's numbers of attributes are the driver's.
    fn cudaDeviceGetAttribute(value: Out<i32>, attribute: u32, device: i32) {
        let driver = driver()?;
        require_device(device)?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver.device_attribute)(value.room()?, attribute, device) })
    }

    fn cudaDeviceGetPCIBusId(id: Out<u8>, len: i32, device: i32) {
        let driver = driver()?;
        require_device(device)?;
        // SAFETY: the caller's room is checked not to be null; the driver keeps to its length.
        checked(unsafe { (driver.device_bus_id)(id.room()?, len, device) })
    }

    fn cudaDeviceGetByPCIBusId(device: Out<i32>, id: *const c_char) {
        if id.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller's room and text are checked not to be null.
        checked(unsafe { (driver()?.device_by_bus_id)(device.room()?, id) })
    }

    fn cudaDeviceSynchronize() {
        bound::synchronize()
    }

    fn cudaDeviceReset() {
        bound::reset()
    }

    fn cudaDeviceSetLimit(limit: u32, value: usize) {
        // SAFETY: plain values.
        checked(unsafe { (bound()?.set_limit)(limit, value) })
    }

    fn cudaDeviceGetLimit(value: Out<usize>, limit: u32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.get_limit)(value.room()?, limit) })
    }

    fn cudaDeviceSetCacheConfig(config: u32) {
        // SAFETY: a plain value.
        checked(unsafe { (bound()?.set_cache_config)(config) })
    }

    fn cudaDeviceGetCacheConfig(config: Out<u32>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.get_cache_config)(config.room()?) })
    }

    fn cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        let (mut low, mut high) = (0, 0);
        // SAFETY: room for both results.
        checked(unsafe { (bound()?.priority_range)(&raw mut low, &raw mut high) })?;
        least.offer(low);
        greatest.offer(high);
        Ok(())
    }
}
