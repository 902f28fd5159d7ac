//! Launches: counted by kernel and shape when accepted, in one number when refused. A launch into a captured stream is
//! none yet: it counts when its graph is launched.

use super::memory::read;
use super::names;
use crate::kernels::Shape;
use crate::real::ask;
use crate::real::driver::{self, Code, SUCCESS};
use crate::session::Session;
use cust::sys::{CUfunction, CUstream};
use std::ffi::{c_uint, c_void};

/// The beginning of `CUlaunchConfig`, all that is needed of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: usize,
}

/// `cuLaunchKernel`.
#[expect(clippy::too_many_arguments, reason = "the driver's signature")]
pub fn kernel(
    session: &Session,
    function: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    _params: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> impl FnOnce(Code) {
    let shape = Shape::new([gx, gy, gz], [bx, by, bz], shared);
    counted(session, function, shape, stream.addr())
}

/// `cuLaunchCooperativeKernel`.
#[expect(clippy::too_many_arguments, reason = "the driver's signature")]
pub fn cooperative(
    session: &Session,
    function: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    _params: *mut *mut c_void,
) -> impl FnOnce(Code) {
    let shape = Shape::new([gx, gy, gz], [bx, by, bz], shared);
    counted(session, function, shape, stream.addr())
}

/// `cuLaunchKernelEx`.
pub fn configured(
    session: &Session,
    config: *const Config,
    function: CUfunction,
    _params: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> impl FnOnce(Code) {
    let config = read(config);
    let shape = config.map_or(Shape::new([0; 3], [0; 3], 0), |config| {
        Shape::new(config.grid, config.block, config.shared)
    });
    let stream = config.map_or(0, |config| config.stream);
    counted(session, function, shape, stream)
}

fn counted(
    session: &Session,
    function: CUfunction,
    shape: Shape,
    stream: usize,
) -> impl FnOnce(Code) {
    let captured = ask::captures(stream);
    move |code| {
        if code != SUCCESS {
            session.refused();
        } else if !captured {
            let name = names::of_launched(session, function);
            session.launched(&name, shape, !driver::skips_kernels());
        }
    }
}
