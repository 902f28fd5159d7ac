//! Handles that C code holds: opaque numbers that stand for shared objects. None is given out twice, so a stale or
//! foreign one is always refused.

use crate::status::{Outcome, Status};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An object that C code knows by a handle.
pub trait Object {
    /// The number that `next_handle` gave for it.
    fn handle(&self) -> usize;
}

/// A handle for a new object. It looks like a pointer to C, and is above the numbers that stand for default streams.
pub fn next_handle() -> usize {
    const STEP: usize = 16;
    static NEXT: AtomicUsize = AtomicUsize::new(0x1000);
    NEXT.fetch_add(STEP, Ordering::Relaxed)
}

/// Objects of one kind, by handle.
pub struct Handles<T>(Mutex<BTreeMap<usize, Arc<T>>>);

impl<T: Object> Handles<T> {
    /// None yet.
    pub const fn new() -> Handles<T> {
        Handles(Mutex::new(BTreeMap::new()))
    }

    /// Takes an object in and tells its handle.
    pub fn insert(&self, object: Arc<T>) -> usize {
        let handle = object.handle();
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(usize);

    impl Object for Thing {
        fn handle(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn a_handle_is_stale_for_good_once_its_object_is_gone() {
        let things = Handles::new();
        let first = things.insert(Arc::new(Thing(next_handle())));
        assert!(things.get(first).is_ok());
        assert!(things.remove(first).is_ok());
        let second = things.insert(Arc::new(Thing(next_handle())));
        assert_ne!(first, second);
        assert!(matches!(things.get(first), Err(Status::INVALID_HANDLE)));
    }
}
