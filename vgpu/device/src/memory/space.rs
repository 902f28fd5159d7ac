//! A reserved address range: granules are mapped when given out and unmapped when given back, so that a stray access
//! faults as on a GPU. The pages are private and anonymous: nothing of it lies in /dev/shm.

use std::io;
use std::ptr::NonNull;

/// A reserved address range of this process.
pub struct Space {
    base: NonNull<libc::c_void>,
    bytes: usize,
    pid: u32,
}

// SAFETY: the range is only mapped and unmapped through `&mut` methods; its contents are the user's.
unsafe impl Send for Space {}

impl Space {
    /// Reserves `bytes` of addresses, which cost no memory.
    pub fn reserve(bytes: usize) -> io::Result<Space> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        match NonNull::new(base) {
            Some(base) if base.as_ptr() != libc::MAP_FAILED => {
                // A forked child has no use for device memory, as on a GPU, and must not pay for copies of it.
                // SAFETY: the range was just mapped by us.
                unsafe { libc::madvise(base.as_ptr(), bytes, libc::MADV_DONTFORK) };
                Ok(Space {
                    base,
                    bytes,
                    pid: std::process::id(),
                })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// First address.
    pub fn base(&self) -> u64 {
        self.base.as_ptr().expose_provenance() as u64
    }

    /// Makes a part readable and writable, filled with zeros.
    pub fn map(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        self.remap(offset, bytes, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Gives the pages of a part back; an access to it faults from now on.
    pub fn unmap(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        self.remap(offset, bytes, libc::PROT_NONE)
    }

    fn remap(&mut self, offset: u64, bytes: u64, protection: i32) -> io::Result<()> {
        let outside = || io::Error::from(io::ErrorKind::InvalidInput);
        let (offset, bytes) = match (usize::try_from(offset), usize::try_from(bytes)) {
            (Ok(offset), Ok(bytes))
                if offset
                    .checked_add(bytes)
                    .is_some_and(|end| end <= self.bytes) =>
            {
                (offset, bytes)
            }
            _ => return Err(outside()),
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the part lies within our own reserved range, so nothing else is replaced.
        let at = unsafe {
            let start = self.base.as_ptr().byte_add(offset);
            let at = libc::mmap(start, bytes, protection, flags, -1, 0);
            libc::madvise(start, bytes, libc::MADV_DONTFORK);
            at
        };
        if at == libc::MAP_FAILED {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // In a forked child the range is not there; other mappings may lie at its addresses.
        if self.pid == std::process::id() {
            // SAFETY: the range is ours, and the owner of its allocations is gone.
            unsafe { libc::munmap(self.base.as_ptr(), self.bytes) };
        }
    }
}
