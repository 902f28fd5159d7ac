//! Memory that is ordered in a stream. It comes from a pool, which may keep what is freed: the driver tells how much it
//! holds. In a captured stream nothing is allocated or freed yet.

use super::contexts;
use super::memory::{freed, read};
use crate::ledger::{Block, Living};
use crate::real::ask;
use crate::real::driver::{Code, OUT_OF_MEMORY, SUCCESS};
use crate::session::Session;
use cust::sys::{CUdeviceptr, CUmemoryPool, CUstream};

/// `cuMemAllocAsync`.
pub fn allocate(
    session: &Session,
    out: *mut CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> impl FnOnce(Code) {
    made(session, out, bytes as u64, None, stream)
}

/// `cuMemAllocFromPoolAsync`.
pub fn allocate_from(
    session: &Session,
    out: *mut CUdeviceptr,
    bytes: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> impl FnOnce(Code) {
    made(session, out, bytes as u64, Some(pool as u64), stream)
}

/// `cuMemFreeAsync`: counted as free when asked for, as the program sees it.
pub fn free(session: &Session, pointer: CUdeviceptr, stream: CUstream) -> impl FnOnce(Code) {
    let freed = (!ask::captures(stream.addr())).then(|| freed(session, Block::Pointer(pointer)));
    move |code| {
        if let Some(freed) = freed {
            freed(code);
        }
    }
}

/// `cuMemPoolTrimTo`.
pub fn trim(session: &Session, pool: CUmemoryPool, _keep: usize) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.pool_holds(pool as u64, ask::reserved(pool as u64));
        }
    }
}

/// `cuMemPoolDestroy`: what it kept is given back.
pub fn destroy(session: &Session, pool: CUmemoryPool) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.pool_holds(pool as u64, None);
        }
    }
}

fn made(
    session: &Session,
    out: *mut CUdeviceptr,
    bytes: u64,
    pool: Option<u64>,
    stream: CUstream,
) -> impl FnOnce(Code) {
    let captured = ask::captures(stream.addr());
    move |code| match code {
        _ if captured => {}
        SUCCESS => {
            if let Some(pointer) = read(out) {
                let living = Living {
                    bytes,
                    context: contexts::current(),
                    pool: pool.unwrap_or_else(ask::current_pool),
                };
                let reserved = ask::reserved(living.pool);
                session.allocated(Block::Pointer(pointer), living, reserved);
            }
        }
        OUT_OF_MEMORY => session.failed(bytes, code),
        _ => {}
    }
}
