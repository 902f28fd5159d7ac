//! Host memory that the driver allocated or the program registered: device code sees it at the same address.

use crate::status::{Outcome, Status};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A span of host memory that the driver knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSpan {
    /// First address.
    pub address: usize,
    /// Bytes that were asked for.
    pub bytes: usize,
    /// Flags that it was allocated or registered with.
    pub flags: u32,
    /// Whether the driver allocated it.
    pub allocated: bool,
}

static SPANS: Mutex<BTreeMap<usize, HostSpan>> = Mutex::new(BTreeMap::new());

/// Allocates host memory, aligned to a page. It is not charged to the slice.
pub fn allocate(bytes: usize, flags: u32) -> Outcome<usize> {
    if bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, kind, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(Status::OUT_OF_MEMORY);
    }
    let address = address.expose_provenance();
    spans().insert(
        address,
        HostSpan {
            address,
            bytes,
            flags,
            allocated: true,
        },
    );
    Ok(address)
}

/// Frees what `allocate` gave.
pub fn free(address: usize) -> Outcome {
    let mut spans = spans();
    let span = spans
        .get(&address)
        .filter(|span| span.allocated)
        .ok_or(Status::INVALID_VALUE)?;
    // SAFETY: the span was mapped by `allocate` and is freed only once.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(address), span.bytes) };
    spans.remove(&address);
    Ok(())
}

/// Registers memory of the program's own.
pub fn register(address: usize, bytes: usize, flags: u32) -> Outcome {
    let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    if address == 0 || bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let mut spans = spans();
    let below = spans.range(..end).next_back();
    if below.is_some_and(|(_, span)| span.address + span.bytes > address) {
        return Err(Status::HOST_MEMORY_ALREADY_REGISTERED);
    }
    spans.insert(
        address,
        HostSpan {
            address,
            bytes,
            flags,
            allocated: false,
        },
    );
    Ok(())
}

/// Takes a registration back.
pub fn unregister(address: usize) -> Outcome {
    let mut spans = spans();
    let registered = spans.get(&address).is_some_and(|span| !span.allocated);
    if !registered {
        return Err(Status::HOST_MEMORY_NOT_REGISTERED);
    }
    spans.remove(&address);
    Ok(())
}

/// The known span that holds this address.
pub fn find(address: usize) -> Option<HostSpan> {
    let spans = spans();
    let (_, span) = spans.range(..=address).next_back()?;
    (address - span.address < span.bytes).then_some(*span)
}

fn spans() -> MutexGuard<'static, BTreeMap<usize, HostSpan>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}
