//! Launches: counted by kernel and shape when accepted, in one number when refused. A launch into a stream capture
//! counts once, when captured; launches of graphs are not seen yet.

use super::memory::read;
use super::names;
use crate::kernels::Shape;
use crate::real::driver::{self, Code, SUCCESS};
use crate::session::Session;
use cust::function::{BlockSize, GridSize};
use cust::sys::{CUfunction, CUstream};
use std::ffi::{c_uint, c_void};

/// The beginning of `CUlaunchConfig`, all that is needed of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
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
    _stream: CUstream,
    _params: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> impl FnOnce(Code) {
    counted(session, function, shape([gx, gy, gz], [bx, by, bz], shared))
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
    _stream: CUstream,
    _params: *mut *mut c_void,
) -> impl FnOnce(Code) {
    counted(session, function, shape([gx, gy, gz], [bx, by, bz], shared))
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
    let shape = config.map_or(shape([0; 3], [0; 3], 0), |config| {
        shape(config.grid, config.block, config.shared)
    });
    counted(session, function, shape)
}

fn shape(grid: [c_uint; 3], block: [c_uint; 3], shared: c_uint) -> Shape {
    Shape {
        grid: GridSize::from(<(u32, u32, u32)>::from(grid)),
        block: BlockSize::from(<(u32, u32, u32)>::from(block)),
        shared,
    }
}

fn counted(session: &Session, function: CUfunction, shape: Shape) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            let name = names::of_launched(session, function);
            session.launched(&name, shape, !driver::skips_kernels());
        } else {
            session.refused();
        }
    }
}
