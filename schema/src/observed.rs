//! What a virtual GPU tells the runtime of the work that it has done: one call of a C function per piece of work. A
//! real GPU tells nothing.

use crate::record::Work;
use std::ffi::c_char;

/// The virtual driver's private function that takes the listener: `void migfit_vgpu_observe(Listener)`.
pub const OBSERVE: &std::ffi::CStr = c"migfit_vgpu_observe";

/// Who is told. It is called on the thread whose call did the work, and must not call CUDA.
pub type Listener = unsafe extern "C" fn(*const Observed);

/// A piece of work that is done.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// One of the kinds below.
    pub kind: u32,
    /// Of a copy to the host: 1 where an earlier launch of the process was not executed.
    pub unreal: u32,
    /// Of a copy or fill: its bytes.
    pub bytes: u64,
    /// Of a launch: the kernel's mangled name, not ended by a zero.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_bytes: u64,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Keeps the size a multiple of 8.
    pub reserved: u32,
    /// What the launch did.
    pub work: Work,
}

/// A launch that was executed, and its work counted.
pub const LAUNCH: u32 = 1;
/// A copy from host to device.
pub const TO_DEVICE: u32 = 2;
/// A copy from device to host.
pub const TO_HOST: u32 = 3;
/// A copy within the device, or a fill.
pub const WITHIN: u32 = 4;
/// The program asked how much memory is free.
pub const MEMORY_QUERY: u32 = 5;

impl Observed {
    /// Of a copy or fill of so many bytes.
    #[must_use]
    pub fn moved(kind: u32, bytes: u64) -> Observed {
        Observed {
            kind,
            unreal: 0,
            bytes,
            name: std::ptr::null(),
            name_bytes: 0,
            grid: [0; 3],
            block: [0; 3],
            shared: 0,
            reserved: 0,
            work: Work::default(),
        }
    }
}
