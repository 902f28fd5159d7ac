//! Devices and contexts.

use super::lab::{self, OwnContext, allocate};

const INVALID_DEVICE: u32 = 101;
const INVALID_CONTEXT: u32 = 201;
const CONTEXT_IS_DESTROYED: u32 = 709;
const NOT_INITIALIZED: u32 = 3;

#[test]
fn the_process_sees_its_slice_as_device_0() {
    let _context = OwnContext::new();
    let (mut count, mut sms, mut name) = (0, 0, [0_u8; 64]);
    // SAFETY: room for each result.
    unsafe {
        assert_eq!(lab::cuDeviceGetCount(&raw mut count), 0);
        assert_eq!(lab::cuDeviceGetAttribute(&raw mut sms, 16, 0), 0);
        assert_eq!(
            lab::cuDeviceGetAttribute(&raw mut sms, 16, 1),
            INVALID_DEVICE
        );
        assert_eq!(lab::cuDeviceGetName(name.as_mut_ptr(), 64, 0), 0);
    }
    assert_eq!((count, sms), (1, 28));
    assert!(name.starts_with(b"NVIDIA A100-SXM4-40GB MIG 2g.10gb\0"));
    // SAFETY: a short buffer is filled to its length, NUL included.
    assert_eq!(unsafe { lab::cuDeviceGetName(name.as_mut_ptr(), 7, 0) }, 0);
    assert!(name.starts_with(b"NVIDIA\0A100"));
}

#[test]
fn contexts_stack_per_thread_and_die_with_what_they_hold() {
    let outer = OwnContext::new();
    let inner = OwnContext::new();
    let (mut current, mut popped) = (0, 0);
    let lost = allocate(100).unwrap();
    // SAFETY: room for each handle.
    unsafe {
        assert_eq!(lab::cuCtxGetCurrent(&raw mut current), 0);
        assert_eq!(current, inner.0);
        let elsewhere = std::thread::spawn(|| allocate(1)).join().unwrap();
        assert_eq!(elsewhere, Err(INVALID_CONTEXT));
        assert_eq!(lab::cuCtxDestroy_v2(inner.0), 0);
        assert_eq!(lab::cuCtxDestroy_v2(inner.0), INVALID_CONTEXT);
        assert_eq!(lab::cuMemFree_v2(lost), 1);
        assert_eq!(lab::cuCtxPopCurrent_v2(&raw mut popped), 0);
    }
    assert_eq!(popped, outer.0);
    assert_eq!(allocate(1), Err(INVALID_CONTEXT));
}

#[test]
fn a_context_ended_elsewhere_is_stale_here() {
    let context = OwnContext::new();
    let handle = context.0;
    std::thread::spawn(move || drop(context)).join().unwrap();
    assert_eq!(allocate(1), Err(CONTEXT_IS_DESTROYED));
    // SAFETY: the handle is refused, null takes it off.
    unsafe {
        assert_eq!(lab::cuCtxSetCurrent(handle), INVALID_CONTEXT);
        assert_eq!(lab::cuCtxSetCurrent(0), 0);
    }
    assert_eq!(allocate(1), Err(INVALID_CONTEXT));
}

#[test]
fn a_forked_child_has_no_driver() {
    let _context = OwnContext::new();
    let mut primary = 0;
    // SAFETY: room for one handle; the child only calls the driver and exits.
    let child = unsafe {
        assert_eq!(lab::cuDevicePrimaryCtxRetain(&raw mut primary, 0), 0);
        libc::fork()
    };
    if child == 0 {
        let refused = allocate(1) == Err(NOT_INITIALIZED);
        // SAFETY: ends the child without the test harness's own end.
        unsafe {
            libc::_exit(if refused && lab::cuInit(0) == NOT_INITIALIZED {
                7
            } else {
                1
            })
        };
    }
    let mut status = 0;
    // SAFETY: waits for our own child.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((ended, libc::WEXITSTATUS(status)), (child, 7));
    allocate(1).unwrap();
}
