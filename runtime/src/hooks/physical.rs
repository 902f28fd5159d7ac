//! `cuMemCreate` and what holds its memory: only memory that lies on a device counts.

use super::memory::read;
use crate::ledger::Ledger;
use crate::real::driver::{Code, OUT_OF_MEMORY, SUCCESS};
use crate::session::{Change, Session};
use cust::sys::{CUdeviceptr, CUmemGenericAllocationHandle};
use std::ffi::{c_uint, c_ulonglong, c_void};

/// The beginning of `CUmemAllocationProp`, with plain numbers: newer drivers have kinds that cust's enums lack.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    kind: c_uint,
    handle_types: c_uint,
    location: c_uint,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE` and, since CUDA 13, `..._DEVICE_LOCALITY_DOMAIN`.
const ON_DEVICE: [c_uint; 2] = [1, 6];

/// `cuMemCreate`.
pub fn create(
    session: &Session,
    out: *mut CUmemGenericAllocationHandle,
    bytes: usize,
    properties: *const Properties,
    _flags: c_ulonglong,
) -> impl FnOnce(Code) {
    let on_device = read(properties).is_some_and(|given| ON_DEVICE.contains(&given.location));
    let bytes = bytes as u64;
    move |code| match (code, read(out)) {
        (SUCCESS, Some(handle)) if on_device => session.physical(|ledger| {
            ledger.physical.create(handle, bytes);
            ledger.add(bytes);
            Change::Allocated
        }),
        (OUT_OF_MEMORY, _) if on_device => session.failed(bytes, code),
        _ => {}
    }
}

/// `cuMemRelease`.
pub fn release(session: &Session, handle: CUmemGenericAllocationHandle) -> impl FnOnce(Code) {
    when_done(session, move |ledger| ledger.physical.release(handle))
}

/// `cuMemRetainAllocationHandle`.
pub fn retain(
    session: &Session,
    out: *mut CUmemGenericAllocationHandle,
    address: *mut c_void,
) -> impl FnOnce(Code) {
    when_done(session, move |ledger| {
        if let Some(handle) = read(out) {
            ledger.physical.retain(handle, address.addr() as u64);
        }
        0
    })
}

/// `cuMemMap`.
pub fn map(
    session: &Session,
    pointer: CUdeviceptr,
    bytes: usize,
    _offset: usize,
    handle: CUmemGenericAllocationHandle,
    _flags: c_ulonglong,
) -> impl FnOnce(Code) {
    when_done(session, move |ledger| {
        ledger.physical.map(pointer, bytes as u64, handle);
        0
    })
}

/// `cuMemUnmap`.
pub fn unmap(session: &Session, pointer: CUdeviceptr, bytes: usize) -> impl FnOnce(Code) {
    when_done(session, move |ledger| {
        ledger.physical.unmap(pointer, bytes as u64)
    })
}

/// After success: makes the change, which returns the bytes that it freed.
fn when_done(session: &Session, change: impl FnOnce(&mut Ledger) -> u64) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.physical(|ledger| match change(ledger) {
                0 => Change::Nothing,
                bytes => {
                    ledger.subtract(bytes);
                    Change::Freed
                }
            });
        }
    }
}
