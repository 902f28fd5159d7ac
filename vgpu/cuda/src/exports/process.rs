//! Initialisation, versions, names of results, and the look-up of functions.

use crate::border::{In, Out};
use crate::driver;
use crate::log;
use crate::names::{self, Search};
use crate::status::{self, Outcome, Status};
use std::ffi::{c_char, c_void};

/// In `cuGetProcAddress`: prefer the forms for per-thread default streams.
const PER_THREAD_DEFAULT_STREAM: u64 = 2;

exports! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        driver::initialize()
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        version.put(driver::VERSION)
    }

    fn cuGetErrorName(result: u32, name: Out<*const c_char>) {
        let found = status::describe(result);
        name.put(found.map_or(std::ptr::null(), |(name, _)| name.as_ptr()))?;
        found.map(drop).ok_or(Status::INVALID_VALUE)
    }

    fn cuGetErrorString(result: u32, text: Out<*const c_char>) {
        let found = status::describe(result);
        text.put(found.map_or(std::ptr::null(), |(_, text)| text.as_ptr()))?;
        found.map(drop).ok_or(Status::INVALID_VALUE)
    }

    fn cuGetProcAddress(name: In<c_char>, function: Out<*const c_void>, version: i32, flags: u64) {
        look_up(&name, &function, version, flags).map(drop)
    }

    fn cuGetProcAddress_v2(name: In<c_char>, function: Out<*const c_void>, version: i32, flags: u64, found: Out<u32>) {
        found.offer(look_up(&name, &function, version, flags)?);
        Ok(())
    }

    /// There is no profiler to start.
    fn cuProfilerStart() {
        Ok(())
    }

    /// There is no profiler to stop.
    fn cuProfilerStop() {
        Ok(())
    }

    /// NVIDIA's private tables are not imitated. A program that asks for one holds NVIDIA's own static runtime.
    fn cuGetExportTable(table: Out<*const c_void>, _id: In<[u8; 16]>) {
        log::unsupported("cuGetExportTable");
        log::explain(
            "this program holds the static CUDA runtime, which needs NVIDIA's own driver; \
             build it with `migfit build --virtual -- YOUR BUILD`",
        );
        table.offer(std::ptr::null());
        Err(Status::NOT_SUPPORTED)
    }
}

/// Stores the function, or null; tells how the search ended, in the interface's numbers.
fn look_up(
    name: &In<c_char>,
    function: &Out<*const c_void>,
    version: i32,
    flags: u64,
) -> Outcome<u32> {
    const FOUND: u32 = 0;
    const NOT_FOUND: u32 = 1;
    const VERSION_NOT_SUFFICIENT: u32 = 2;
    let name = name.name()?;
    if version > driver::VERSION {
        return Err(Status::INVALID_VALUE);
    }
    let (address, outcome) =
        match names::search(name, version, flags & PER_THREAD_DEFAULT_STREAM != 0) {
            Search::Found(found) => (found as *const c_void, FOUND),
            Search::Unknown => (std::ptr::null(), NOT_FOUND),
            Search::TooNew => (std::ptr::null(), VERSION_NOT_SUFFICIENT),
        };
    function.put(address)?;
    Ok(outcome)
}

/// Tells migfit's runtime library whether launches really run here.
#[unsafe(no_mangle)]
pub extern "C" fn migfit_vgpu_executes_kernels() -> i32 {
    crate::execution::executes().into()
}
