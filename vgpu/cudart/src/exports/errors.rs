//! Errors, versions, the look-up of driver functions, and the profiler's switches.

use crate::border::Out;
use crate::driver;
use crate::error::{self, Status, checked};
use std::ffi::{c_char, c_void};

/// The thread's last error, which is forgotten.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> u32 {
    error::take_last()
}

/// The thread's last error, which stays.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> u32 {
    error::last()
}

/// The name of a result.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(result: u32) -> *const c_char {
    error::describe(result).0.as_ptr()
}

/// The text of a result.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(result: u32) -> *const c_char {
    error::describe(result).1.as_ptr()
}

exports! {
    fn cudaRuntimeGetVersion(version: Out<i32>) {
        version.put(driver::OWN_VERSION)
    }

    /// Without a driver the version is 0, and that is no error.
    fn cudaDriverGetVersion(version: Out<i32>) {
        let room = version.room()?;
        match driver::loaded() {
            // SAFETY: the caller's room is not null.
            Ok(driver) => checked(unsafe { (driver.version)(room) }),
            Err(Status::INSUFFICIENT_DRIVER) => version.put(0),
            Err(other) => Err(other),
        }
    }

    fn cudaGetDriverEntryPoint(name: *const c_char, found: *mut *mut c_void, flags: u64, status: *mut u32) {
        driver::entry_point(name, found, driver::OWN_VERSION, flags, status)
    }

    fn cudaGetDriverEntryPointByVersion(
        name: *const c_char, found: *mut *mut c_void, version: u32, flags: u64, status: *mut u32,
    ) {
        let version = i32::try_from(version).map_err(|_| Status::INVALID_VALUE)?;
        driver::entry_point(name, found, version, flags, status)
    }

    /// There is no profiler to start.
    fn cudaProfilerStart() {
        Ok(())
    }

    /// There is no profiler to stop.
    fn cudaProfilerStop() {
        Ok(())
    }
}
