//! Modes of the GPU that a virtual one has by being what it is: no display, any number of processes, no host above it.

use crate::border::Out;
use crate::code::Code;
use crate::handle::DeviceHandle;
use crate::handle::OfGpu;
use std::ffi::c_uint;

/// Any number of processes may compute at once.
const SHARED: c_uint = 0;
const OFF: c_uint = 0;
const BARE_METAL: c_uint = 0;

exports! {
    /// How many processes may compute at once; MIG devices have a mode too.
    fn nvmlDeviceGetComputeMode(device: DeviceHandle, mode: Out<c_uint>) {
        let (_, state) = device.now()?;
        device.resolve(&state)?;
        mode.put(SHARED)
    }

    /// Only the mode that it has can be set.
    fn nvmlDeviceSetComputeMode(device: DeviceHandle, mode: c_uint) {
        let (_, state) = device.now()?;
        device.resolve(&state)?;
        match mode {
            SHARED => Ok(()),
            1..=3 => Err(Code::NOT_SUPPORTED),
            _ => Err(Code::INVALID_ARGUMENT),
        }
    }

    /// Whether a display is initialized on it.
    fn nvmlDeviceGetDisplayActive(device: DeviceHandle, active: Out<c_uint>) {
        device.owner()?;
        device.require_gpu()?;
        active.put(OFF)
    }

    /// Whether a display is connected to it.
    fn nvmlDeviceGetDisplayMode(device: DeviceHandle, connected: Out<c_uint>) {
        device.owner()?;
        device.require_gpu()?;
        connected.put(OFF)
    }

    /// Whether it is passed on to virtual machines.
    fn nvmlDeviceGetVirtualizationMode(device: DeviceHandle, mode: Out<c_uint>) {
        device.owner()?;
        device.require_gpu()?;
        mode.put(BARE_METAL)
    }
}
