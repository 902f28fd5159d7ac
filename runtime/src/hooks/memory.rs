//! Linear device memory: what was asked for, what was given, what was freed. Managed memory counts as device memory.

use super::contexts;
use crate::ledger::{Block, Living};
use crate::real::ask;
use crate::real::driver::{Code, OUT_OF_MEMORY, SUCCESS};
use crate::session::Session;
use crate::symbols::Narrow;
use cust::sys::CUdeviceptr;
use std::ffi::c_uint;

/// `cuMemAlloc_v2`.
pub fn allocate(session: &Session, out: *mut CUdeviceptr, bytes: usize) -> impl FnOnce(Code) {
    pointer_made(session, out, bytes as u64)
}

/// `cuMemAlloc`, the 32-bit form.
pub fn allocate_narrow(session: &Session, out: *mut Narrow, bytes: Narrow) -> impl FnOnce(Code) {
    pointer_made(session, out, u64::from(bytes))
}

/// `cuMemAllocManaged`.
pub fn allocate_managed(
    session: &Session,
    out: *mut CUdeviceptr,
    bytes: usize,
    _flags: c_uint,
) -> impl FnOnce(Code) {
    pointer_made(session, out, bytes as u64)
}

/// `cuMemAllocPitch_v2`: the driver widens the rows; the widened ones are what is held.
pub fn allocate_pitch(
    session: &Session,
    out: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    _element: c_uint,
) -> impl FnOnce(Code) {
    let (width, height) = (width as u64, height as u64);
    rows_made(
        session,
        out,
        move || read(pitch).map(|pitch| pitch as u64),
        width,
        height,
    )
}

/// `cuMemAllocPitch`, the 32-bit form.
pub fn allocate_pitch_narrow(
    session: &Session,
    out: *mut Narrow,
    pitch: *mut Narrow,
    width: Narrow,
    height: Narrow,
    _element: c_uint,
) -> impl FnOnce(Code) {
    let (width, height) = (u64::from(width), u64::from(height));
    rows_made(
        session,
        out,
        move || read(pitch).map(u64::from),
        width,
        height,
    )
}

/// `cuMemFree_v2`.
pub fn free(session: &Session, pointer: CUdeviceptr) -> impl FnOnce(Code) {
    freed(session, Block::Pointer(pointer))
}

/// `cuMemFree`, the 32-bit form.
pub fn free_narrow(session: &Session, pointer: Narrow) -> impl FnOnce(Code) {
    freed(session, Block::Pointer(u64::from(pointer)))
}

/// Notes the outcome of an allocation: `made` reads what the driver gave, and how many bytes it holds.
pub fn settle(
    session: &Session,
    code: Code,
    requested: u64,
    made: impl FnOnce() -> Option<(Block, u64)>,
) {
    match code {
        SUCCESS => {
            if let Some((block, bytes)) = made() {
                let living = Living {
                    bytes,
                    context: contexts::current(),
                    pool: 0,
                };
                session.allocated(block, living, None);
            }
        }
        OUT_OF_MEMORY => session.failed(requested, code),
        // Any other failure (a bad argument, a broken context) proves no lack of memory.
        _ => {}
    }
}

/// Takes the block out now and settles it when the driver has answered.
pub fn freed(session: &Session, block: Block) -> impl FnOnce(Code) {
    let taken = session.take(block);
    move |code| match taken {
        Some(living) if code == SUCCESS => session.freed(living, ask::reserved(living.pool)),
        Some(living) => session.put_back(block, living),
        None => {}
    }
}

/// What the driver wrote there.
pub fn read<T: Copy>(out: *const T) -> Option<T> {
    // SAFETY: an argument that the driver has written before it reported success.
    (!out.is_null()).then(|| unsafe { out.read() })
}

fn pointer_made<T: Copy + Into<u64>>(
    session: &Session,
    out: *mut T,
    bytes: u64,
) -> impl FnOnce(Code) {
    move |code| {
        settle(session, code, bytes, || {
            read(out).map(|pointer| (Block::Pointer(pointer.into()), bytes))
        });
    }
}

fn rows_made<T: Copy + Into<u64>>(
    session: &Session,
    out: *mut T,
    pitch: impl FnOnce() -> Option<u64>,
    width: u64,
    height: u64,
) -> impl FnOnce(Code) {
    move |code| {
        settle(session, code, width.saturating_mul(height), || {
            let bytes = pitch()?.saturating_mul(height);
            read(out).map(|pointer| (Block::Pointer(pointer.into()), bytes))
        });
    }
}
