//! Other devices, of which there are none, and settings that no GPU of today has.

use crate::border::{In, Out};
use crate::bound::{DEVICE, bound, require_device};
use crate::channels::Channels;
use crate::driver::driver;
use crate::error::{Status, checked};

exports! {
    fn cudaDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver()?.can_access_peer)(can.room()?, device, peer) })
    }

    /// A device is no peer of its own.
    fn cudaDeviceEnablePeerAccess(_peer: i32, _flags: u32) {
        bound()?;
        Err(Status::INVALID_DEVICE)
    }

    fn cudaDeviceDisablePeerAccess(peer: i32) {
        const PEER_ACCESS_NOT_ENABLED: Status = Status(705);
        bound()?;
        require_device(peer)?;
        Err(PEER_ACCESS_NOT_ENABLED)
    }

    fn cudaDeviceGetP2PAttribute(value: usize, attribute: u32, device: i32, peer: i32) {
        // SAFETY: the driver checks the pointer.
        checked(unsafe { (driver()?.peer_attribute)(value, attribute, device, peer) })
    }

    fn cudaSetValidDevices(devices: In<i32>, count: i32) {
        driver()?;
        for nth in 0..usize::try_from(count).map_err(|_| Status::INVALID_VALUE)? {
            require_device(devices.nth(nth)?)?;
        }
        Ok(())
    }

    fn cudaDeviceGetTexture1DLinearMaxWidth(elements: Out<usize>, channels: In<Channels>, device: i32) {
        let (format, count) = channels.get()?.format()?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver()?.linear_texture_width)(elements.room()?, format, count, device) })
    }

    /// Banks of shared memory have four bytes.
    fn cudaDeviceGetSharedMemConfig(config: Out<u32>) {
        const FOUR_BYTES: u32 = 1;
        bound()?;
        config.put(FOUR_BYTES)
    }

    /// A hint, which no GPU of today takes.
    fn cudaDeviceSetSharedMemConfig(_config: u32) {
        bound().map(drop)
    }

    /// A hint, which no GPU of today takes.
    fn cudaFuncSetSharedMemConfig(_stub: usize, _config: u32) {
        bound().map(drop)
    }

    /// No lines of the cache are kept with MIG.
    fn cudaCtxResetPersistingL2Cache() {
        require_device(DEVICE)?;
        bound().map(drop)
    }
}
