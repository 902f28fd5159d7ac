//! Handles that C code holds: opaque addresses that stand for shared objects. A stale or foreign one is refused.

use crate::status::{Outcome, Status};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Objects of one kind, by handle.
pub struct Handles<T>(Mutex<BTreeMap<usize, Arc<T>>>);

impl<T> Handles<T> {
    /// None yet.
    pub const fn new() -> Handles<T> {
        Handles(Mutex::new(BTreeMap::new()))
    }

    /// Takes an object in; its handle is its address, so no two live objects share one.
    pub fn insert(&self, object: Arc<T>) -> usize {
        let handle = handle_of(&object);
        self.objects().insert(handle, object);
        handle
    }

    /// The object of a handle.
    pub fn get(&self, handle: usize) -> Outcome<Arc<T>> {
        self.objects()
            .get(&handle)
            .cloned()
            .ok_or(Status::INVALID_HANDLE)
    }

    /// Takes an object out.
    pub fn remove(&self, handle: usize) -> Outcome<Arc<T>> {
        self.objects().remove(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// Takes out all that the test picks.
    pub fn remove_where(&self, test: impl Fn(&T) -> bool) {
        self.objects().retain(|_, object| !test(object));
    }

    /// The first answer that an object gives.
    pub fn find<A>(&self, ask: impl Fn(&Arc<T>) -> Option<A>) -> Option<A> {
        self.objects().values().find_map(ask)
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of an object.
pub fn handle_of<T>(object: &Arc<T>) -> usize {
    Arc::as_ptr(object).addr()
}
