//! Memory: sizes, running out, addresses.

use super::lab::{self, OwnContext, SLICE_BYTES, allocate};

const INVALID_VALUE: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;

#[test]
fn more_than_the_slice_holds_is_refused() {
    let _context = OwnContext::new();
    assert_eq!(allocate(SLICE_BYTES), Err(OUT_OF_MEMORY));
    assert_eq!(allocate(usize::MAX), Err(OUT_OF_MEMORY));
    assert_eq!(allocate(0), Err(INVALID_VALUE));
    let (mut free, mut total) = (0, 0);
    // SAFETY: room for both results.
    let result = unsafe { lab::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
    assert_eq!(result, 0);
    assert_eq!(total, SLICE_BYTES);
    assert!(free < total);
}

#[test]
fn an_address_tells_its_allocation_until_it_is_freed() {
    let _context = OwnContext::new();
    let address = allocate(5000).unwrap();
    let (mut start, mut bytes) = (0, 0);
    // SAFETY: room for both results.
    unsafe {
        assert_eq!(
            lab::cuMemGetAddressRange_v2(&raw mut start, &raw mut bytes, address + 4999),
            0
        );
        assert_eq!((start, bytes), (address, 5000));
        assert_eq!(lab::cuMemFree_v2(address + 8), INVALID_VALUE);
        assert_eq!(lab::cuMemFree_v2(address), 0);
        assert_eq!(lab::cuMemFree_v2(address), INVALID_VALUE);
        assert_ne!(
            lab::cuMemGetAddressRange_v2(&raw mut start, &raw mut bytes, address),
            0
        );
        assert_eq!(lab::cuMemFree_v2(0), 0);
    }
}

#[test]
fn pitched_rows_are_aligned() {
    let _context = OwnContext::new();
    let (mut address, mut pitch) = (0, 0);
    // SAFETY: room for both results.
    unsafe {
        assert_eq!(
            lab::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 1000, 3, 4),
            0
        );
        assert_eq!((pitch, address % 512), (1024, 0));
        assert_eq!(
            lab::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 1000, 3, 3),
            INVALID_VALUE
        );
        assert_eq!(
            lab::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, usize::MAX, 3, 4),
            INVALID_VALUE
        );
    }
}

#[test]
fn host_memory_is_registered_once() {
    let _context = OwnContext::new();
    let mut page = vec![0_u8; 8192];
    let start = page.as_mut_ptr().cast();
    // SAFETY: the memory outlives its registration.
    unsafe {
        assert_eq!(lab::cuMemHostRegister_v2(start, 8192, 0), 0);
        assert_eq!(lab::cuMemHostRegister_v2(start.byte_add(4096), 10, 0), 712);
        assert_eq!(lab::cuMemHostUnregister(start), 0);
        assert_eq!(lab::cuMemHostUnregister(start), 713);
    }
}
