//! Copies and fills: what arrives, and what would reach beyond an allocation.

use super::lab::{self, OwnContext, allocate};

const INVALID_VALUE: u32 = 1;

#[test]
fn bytes_arrive_and_none_beyond_the_allocation() {
    let _context = OwnContext::new();
    let (one, two) = (allocate(1000).unwrap(), allocate(1000).unwrap());
    let sent: Vec<u8> = (0..1000)
        .map(|nth| u8::try_from(nth % 251).unwrap())
        .collect();
    let mut got = vec![0_u8; 1000];
    // SAFETY: host memory of the lengths that are copied; device ends are checked.
    unsafe {
        assert_eq!(lab::cuMemcpyHtoD_v2(one, sent.as_ptr().cast(), 1000), 0);
        assert_eq!(lab::cuMemcpyDtoD_v2(two, one, 1000), 0);
        assert_eq!(
            lab::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), two + 10, 990),
            0
        );
        assert_eq!(
            lab::cuMemcpyHtoD_v2(one, sent.as_ptr().cast(), 1001),
            INVALID_VALUE
        );
        assert_eq!(
            lab::cuMemcpyHtoD_v2(one + 1, sent.as_ptr().cast(), 1000),
            INVALID_VALUE
        );
        assert_eq!(
            lab::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), 4096, 10),
            INVALID_VALUE
        );
        assert_eq!(lab::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), 4096, 0), 0);
    }
    assert_eq!(got[..990], sent[10..]);
}

#[test]
fn a_fill_writes_whole_words_within_the_allocation() {
    let _context = OwnContext::new();
    let start = allocate(64).unwrap();
    let mut got = [0_u32; 16];
    // SAFETY: host memory of the length that is copied; the device end is checked.
    unsafe {
        assert_eq!(lab::cuMemsetD32_v2(start, 7, 16), 0);
        assert_eq!(lab::cuMemsetD32_v2(start, 9, 17), INVALID_VALUE);
        assert_eq!(lab::cuMemsetD32_v2(start + 2, 9, 1), INVALID_VALUE);
        assert_eq!(lab::cuMemsetD32_v2(start + 4, 8, 1), 0);
        assert_eq!(lab::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), start, 64), 0);
    }
    assert_eq!(got[..3], [7, 8, 7]);
}

/// `CUDA_MEMCPY2D` as the header lays it out.
#[repr(C)]
struct Copy2D {
    from_x: usize,
    from_y: usize,
    from_kind: u32,
    from_host: *const u8,
    from_device: u64,
    from_array: usize,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_kind: u32,
    to_host: *const u8,
    to_device: u64,
    to_array: usize,
    to_pitch: usize,
    width: usize,
    height: usize,
}

#[test]
fn a_rectangle_lands_between_the_rows_of_another_pitch() {
    let _context = OwnContext::new();
    let device = allocate(4 * 8).unwrap();
    let sent: Vec<u8> = (0..12).collect();
    let mut copy = Copy2D {
        from_x: 1,
        from_y: 1,
        from_kind: 1,
        from_host: sent.as_ptr(),
        from_device: 0,
        from_array: 0,
        from_pitch: 4,
        to_x: 2,
        to_y: 1,
        to_kind: 2,
        to_host: std::ptr::null(),
        to_device: device,
        to_array: 0,
        to_pitch: 8,
        width: 3,
        height: 2,
    };
    let mut got = [0_u8; 32];
    // SAFETY: host memory of the lengths that are copied; the device end is checked.
    unsafe {
        assert_eq!(lab::cuMemsetD32_v2(device, 0, 8), 0);
        assert_eq!(lab::cuMemcpy2D_v2((&raw const copy).cast()), 0);
        assert_eq!(lab::cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), device, 32), 0);
        copy.to_y = 3;
        assert_eq!(lab::cuMemcpy2D_v2((&raw const copy).cast()), INVALID_VALUE);
    }
    assert_eq!(got[8..16], [0, 0, 5, 6, 7, 0, 0, 0]);
    assert_eq!(got[16..24], [0, 0, 9, 10, 11, 0, 0, 0]);
}
