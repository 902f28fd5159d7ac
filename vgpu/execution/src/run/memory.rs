//! Memory that blocks of threads run in: shared memory in a window of 4 GiB of which no more is there than a block has,
//! so that an access beyond it faults; frames of threads; a stack.

use std::io;

/// Addresses of a block's shared memory: all that 32 bits reach.
pub const SHARED_WINDOW: u32 = u32::MAX;
/// Room before and behind the window, for constant offsets.
const MARGIN: usize = 1 << 20;
const PAGE: usize = 4096;

/// Reserved addresses of which the first are accessible.
pub struct Window {
    start: usize,
    reserved: usize,
    margin: usize,
    accessible: usize,
}

impl Window {
    /// The window of shared memory.
    pub fn shared() -> io::Result<Window> {
        Window::new(SHARED_WINDOW as usize + 1, MARGIN)
    }

    /// Room for frames, so many bytes at most.
    pub fn frames(bytes: usize) -> io::Result<Window> {
        Window::new(bytes, PAGE)
    }

    fn new(bytes: usize, margin: usize) -> io::Result<Window> {
        let reserved = bytes.next_multiple_of(PAGE) + 2 * margin;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                reserved,
                libc::PROT_NONE,
                flags,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Window {
            start: start.expose_provenance(),
            reserved,
            margin,
            accessible: 0,
        })
    }

    /// First address.
    pub fn address(&self) -> usize {
        self.start + self.margin
    }

    /// Makes so many bytes accessible, and no more than their last page.
    pub fn resize(&mut self, bytes: usize) -> io::Result<()> {
        let wanted = bytes.next_multiple_of(PAGE);
        if wanted > self.reserved - 2 * self.margin {
            return Err(io::Error::from(io::ErrorKind::OutOfMemory));
        }
        let (from, to) = (self.accessible.min(wanted), self.accessible.max(wanted));
        if from == to {
            return Ok(());
        }
        let protection = match wanted > self.accessible {
            true => libc::PROT_READ | libc::PROT_WRITE,
            false => libc::PROT_NONE,
        };
        let part = std::ptr::with_exposed_provenance_mut(self.address() + from);
        // SAFETY: the part lies within our own mapping.
        if unsafe { libc::mprotect(part, to - from, protection) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.accessible = wanted;
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: the mapping is ours, and nobody uses it any more.
        unsafe { libc::munmap(start, self.reserved) };
    }
}
