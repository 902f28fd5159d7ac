//! What device allocations are there for, where they are no plain ones: an array's memory is not the program's to free,
//! and managed memory answers for itself. By first address. It must not know how memory is allocated.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What an allocation is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The elements of an array.
    Array,
    /// Memory that the host uses as well; with the flag that it was asked for.
    Managed(u32),
    /// A block of the memory pool of this handle.
    Pool(usize),
}

static USES: Mutex<BTreeMap<u64, (u64, Use)>> = Mutex::new(BTreeMap::new());

/// Notes what the allocation at this address, in this context, is there for.
pub fn note(address: u64, context: u64, what: Use) {
    uses().insert(address, (context, what));
}

/// What the allocation that begins here is there for; `None`: a plain one, or none.
pub fn of(address: u64) -> Option<Use> {
    uses().get(&address).map(|(_, what)| *what)
}

/// Whether any managed memory lives.
pub fn any_managed() -> bool {
    uses()
        .values()
        .any(|(_, what)| matches!(what, Use::Managed(_)))
}

/// The allocation at this address is gone.
pub fn forget(address: u64) {
    uses().remove(&address);
}

/// All allocations of a context are gone.
pub fn context_ended(context: u64) {
    uses().retain(|_, (owner, _)| *owner != context);
}

fn uses() -> MutexGuard<'static, BTreeMap<u64, (u64, Use)>> {
    USES.lock().unwrap_or_else(PoisonError::into_inner)
}
