//! Start, end, versions and error texts.

use crate::border::{Out, put_text};
use crate::{code, library};
use std::ffi::{c_char, c_int, c_uint};

/// What a 13.x driver says; the rest of the name tells that no such driver is there.
const DRIVER: &str = concat!("610.00-migfit-", env!("CARGO_PKG_VERSION"));
const NVML: &str = concat!("13.610.00-migfit-", env!("CARGO_PKG_VERSION"));
/// CUDA 13.5, as the virtual libcuda says.
const CUDA: c_int = 13050;

exports! {
    /// Starts the library.
    fn nvmlInit() {
        library::start()
    }

    /// Starts the library.
    fn nvmlInit_v2() {
        library::start()
    }

    /// Starts the library; the flags choose what to do on machines without GPUs, and here is one.
    fn nvmlInitWithFlags(_flags: c_uint) {
        library::start()
    }

    /// Ends the library.
    fn nvmlShutdown() {
        library::end()
    }

    /// S-class units: racks of old, of which there are none.
    fn nvmlUnitGetCount(count: Out<c_uint>) {
        library::gpus()?;
        count.put(0)
    }

    /// GPUs that the driver leaves out: none.
    fn nvmlGetExcludedDeviceCount(count: Out<c_uint>) {
        library::gpus()?;
        count.put(0)
    }

    /// Driver version.
    fn nvmlSystemGetDriverVersion(version: Out<c_char>, length: c_uint) {
        library::gpus()?;
        put_text(version, length, DRIVER)
    }

    /// Version of this library.
    fn nvmlSystemGetNVMLVersion(version: Out<c_char>, length: c_uint) {
        put_text(version, length, NVML)
    }

    /// CUDA version of the driver.
    fn nvmlSystemGetCudaDriverVersion(version: Out<c_int>) {
        version.put(CUDA)
    }

    /// CUDA version of the driver.
    fn nvmlSystemGetCudaDriverVersion_v2(version: Out<c_int>) {
        version.put(CUDA)
    }
}

/// Text of a code. The one function that cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: c_uint) -> *const c_char {
    code::text(result).as_ptr()
}
