//! Ranges of this process's addresses: reserved, backed by pages, protected, given back. Only system calls; who owns which
//! range is known elsewhere.

use crate::status::{Outcome, Status};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Pages that can be mapped at several addresses. They lie in no file system.
pub struct Backing(OwnedFd);

impl Backing {
    /// So many bytes of pages, which cost memory when they are touched.
    pub fn new(bytes: u64) -> Outcome<Backing> {
        // SAFETY: a NUL-terminated name and no pointers kept.
        let file = unsafe { libc::memfd_create(c"migfit-vgpu".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(Status::OUT_OF_MEMORY);
        }
        // SAFETY: the descriptor is new, so nobody else closes it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let length = libc::off_t::try_from(bytes).map_err(|_| Status::OUT_OF_MEMORY)?;
        // SAFETY: a plain call.
        if unsafe { libc::ftruncate(file.as_raw_fd(), length) } != 0 {
            return Err(Status::OUT_OF_MEMORY);
        }
        Ok(Backing(file))
    }

    /// Maps the first bytes at reserved addresses, inaccessible.
    pub fn map(&self, address: u64, bytes: u64) -> Outcome {
        fixed(
            address,
            bytes,
            libc::PROT_NONE,
            libc::MAP_SHARED,
            self.0.as_raw_fd(),
        )
    }
}

/// Reserves addresses, which cost no memory.
pub fn reserve(bytes: u64, alignment: u64) -> Outcome<u64> {
    let all = bytes.checked_add(alignment).ok_or(Status::OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size(all)?,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(Status::OUT_OF_MEMORY);
    }
    let start = start.expose_provenance() as u64;
    let aligned = start.next_multiple_of(alignment);
    release(start, aligned - start);
    release(aligned + bytes, start + all - (aligned + bytes));
    Ok(aligned)
}

/// Gives addresses back that `reserve` gave.
pub fn release(address: u64, bytes: u64) {
    if let (Ok(bytes @ 1..), Ok(address)) = (usize::try_from(bytes), usize::try_from(address)) {
        // SAFETY: the range is part of a mapping of ours which its owner gives up.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(address), bytes) };
    }
}

/// Backs reserved addresses with new pages, readable and writable.
pub fn back(address: u64, bytes: u64) -> Outcome {
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    fixed(address, bytes, libc::PROT_READ | libc::PROT_WRITE, kind, -1)
}

/// Takes what is mapped at reserved addresses away; they stay reserved.
pub fn unmap(address: u64, bytes: u64) -> Outcome {
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    fixed(address, bytes, libc::PROT_NONE, kind, -1)
}

/// Lets mapped memory be accessed: 0 not at all, 1 for reading, 3 for reading and writing.
pub fn protect(address: u64, bytes: u64, access: u64) -> Outcome {
    let protection = match access {
        0 => libc::PROT_NONE,
        1 => libc::PROT_READ,
        3 => libc::PROT_READ | libc::PROT_WRITE,
        _ => return Err(Status::INVALID_VALUE),
    };
    // SAFETY: the range is a mapping of ours.
    let done = unsafe { libc::mprotect(pointer(address)?, size(bytes)?, protection) };
    if done == 0 {
        Ok(())
    } else {
        Err(Status::UNKNOWN)
    }
}

fn fixed(address: u64, bytes: u64, protection: i32, kind: i32, file: i32) -> Outcome {
    let (start, bytes) = (pointer(address)?, size(bytes)?);
    // SAFETY: the range is reserved by us, so nothing of others is replaced. A forked child gets none of it.
    let at = unsafe {
        let at = libc::mmap(start, bytes, protection, kind | libc::MAP_FIXED, file, 0);
        libc::madvise(start, bytes, libc::MADV_DONTFORK);
        at
    };
    if at == libc::MAP_FAILED {
        Err(Status::OUT_OF_MEMORY)
    } else {
        Ok(())
    }
}

fn pointer(address: u64) -> Outcome<*mut libc::c_void> {
    Ok(std::ptr::with_exposed_provenance_mut(size(address)?))
}

fn size(bytes: u64) -> Outcome<usize> {
    usize::try_from(bytes).map_err(|_| Status::INVALID_VALUE)
}
