//! What this process has recorded so far: begun at its first CUDA call, and anew in a forked child. Comes in: what the
//! witnesses saw. Goes out: words of the run record. It must not know which driver function a fact came from.

use crate::graphs::Graphs;
use crate::guard::quietly;
use crate::kernels::{Kernels, Shape};
use crate::ledger::{Block, Ledger, Living};
use crate::real::driver::Code;
use crate::record::{Record, word};
use crate::sites::Sites;
use crate::{switch, work};
use migfit_schema::record::Work;
use std::collections::BTreeMap;
use std::io::Write;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The recording of one process.
pub struct Session {
    pid: u32,
    record: Record,
    ledger: Mutex<Ledger>,
    kernels: Mutex<Kernels>,
    graphs: Mutex<Graphs>,
    /// None where nobody wants to know which code allocates.
    sites: Option<Mutex<Sites>>,
    /// Primary contexts by device: what `cuDevicePrimaryCtxReset` names a device for.
    primaries: Mutex<BTreeMap<i32, u64>>,
}

/// The session of this process or, after a fork, of its parent. Never freed: hooks run until the very end.
static CURRENT: AtomicPtr<Session> = AtomicPtr::new(null_mut());
/// The process that is making, or has made, its session.
static MAKER: AtomicU32 = AtomicU32::new(0);
/// The process that records nothing (any more).
static SILENT: AtomicU32 = AtomicU32::new(0);

/// The session to record in, begun now if this is the first CUDA call of the process.
pub fn current() -> Option<&'static Session> {
    let pid = std::process::id();
    loop {
        if SILENT.load(Acquire) == pid || !switch::is_on() {
            return None;
        }
        if let Some(session) = of_process(pid) {
            return Some(session);
        }
        // A forked child inherits its parent's mark, which is not its own: so no lock that a fork could leave taken.
        let maker = MAKER.load(Acquire);
        if maker == pid {
            std::thread::yield_now();
        } else if MAKER.compare_exchange(maker, pid, Release, Relaxed).is_ok() {
            begin(pid);
        }
    }
}

/// Ends the recording after a failure of ours, and says so in the record.
pub fn disturb() {
    let pid = std::process::id();
    SILENT.store(pid, Release);
    if let Some(session) = of_process(pid) {
        session.record.set(word!(disturbed), 1);
    }
}

fn of_process(pid: u32) -> Option<&'static Session> {
    // SAFETY: null or a session that is never freed.
    unsafe { CURRENT.load(Acquire).as_ref() }.filter(|session| session.pid == pid)
}

fn begin(pid: u32) {
    /// Lets the threads that wait for the session go on, whatever happens.
    struct Finish(u32);
    impl Drop for Finish {
        fn drop(&mut self) {
            if of_process(self.0).is_none() {
                SILENT.store(self.0, Release);
            }
        }
    }
    let _finish = Finish(pid);
    silence_panics();
    let Some(folder) = switch::record_folder() else {
        return;
    };
    match Record::create(&folder, pid) {
        Ok(record) => {
            CURRENT.store(Box::into_raw(Box::new(Session::new(pid, record))), Release);
            work::listen();
        }
        Err(error) => say_once(&format!(
            "migfit: no run record of process {pid} in {}: {error}; the program runs on unrecorded \
             (give a writable folder with room in MIGFIT_RECORD_DIR)",
            folder.display()
        )),
    }
}

/// This library has a standard library of its own, so the program's own panic hook is not touched.
fn silence_panics() {
    #[cfg(not(test))]
    std::panic::set_hook(Box::new(|_| ()));
}

fn say_once(text: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Called by the loader at `exit` and at the return from `main`, not at `_exit`, abort or a signal.
extern "C" fn at_exit() {
    quietly(|| {
        if let Some(session) = of_process(std::process::id()) {
            session.record.set(word!(ended), 1);
        }
    });
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

impl Session {
    fn new(pid: u32, record: Record) -> Session {
        Session {
            pid,
            record,
            ledger: Mutex::default(),
            kernels: Mutex::default(),
            graphs: Mutex::default(),
            sites: switch::wants_sites().then(Mutex::default),
            primaries: Mutex::default(),
        }
    }

    /// A successful allocation, and what its pool holds since then, where it has one.
    pub fn allocated(&self, block: Block, living: Living, reserved: Option<u64>) {
        let mut ledger = lock(&self.ledger);
        ledger.insert(block, living);
        ledger.pool_holds(living.pool, reserved);
        if let Some(sites) = &self.sites {
            lock(sites).note(&self.record, living.bytes);
        }
        self.record.count(word!(allocations));
        self.publish(&ledger);
    }

    /// A block has so many bytes from now on; none: it is gone.
    pub fn holds(&self, block: Block, living: Living) {
        let mut ledger = lock(&self.ledger);
        match ledger.take(block) {
            Some(before) if before.bytes == living.bytes => ledger.put_back(block, before),
            before => {
                before.into_iter().for_each(|before| ledger.free(before));
                if living.bytes > 0 {
                    ledger.insert(block, living);
                    self.record.count(word!(allocations));
                } else {
                    self.record.count(word!(frees));
                }
                self.publish(&ledger);
            }
        }
    }

    /// A pool holds so many bytes of the device; `None`: as many as its living allocations take.
    pub fn pool_holds(&self, pool: u64, reserved: Option<u64>) {
        let mut ledger = lock(&self.ledger);
        ledger.pool_holds(pool, reserved);
        self.publish(&ledger);
    }

    /// A failed allocation.
    pub fn failed(&self, requested: u64, code: Code) {
        let ledger = lock(&self.ledger);
        self.record
            .failure(requested, ledger.current(), u64::from(code));
    }

    /// Takes a block out before the driver frees it: once freed, another thread may be given the same address.
    pub fn take(&self, block: Block) -> Option<Living> {
        lock(&self.ledger).take(block)
    }

    /// Puts a block back that the driver did not free.
    pub fn put_back(&self, block: Block, living: Living) {
        lock(&self.ledger).put_back(block, living);
    }

    /// A block that was taken out has been freed; what its pool holds since then, where it has one.
    pub fn freed(&self, living: Living, reserved: Option<u64>) {
        let mut ledger = lock(&self.ledger);
        ledger.free(living);
        ledger.pool_holds(living.pool, reserved);
        self.record.count(word!(frees));
        self.publish(&ledger);
    }

    /// A context is gone, and with it all that was allocated in it.
    pub fn context_gone(&self, context: u64) {
        let mut ledger = lock(&self.ledger);
        ledger.free_context(context);
        self.publish(&ledger);
    }

    /// Changes the physical memory (`cuMemCreate`); the change returns what is to be counted, if anything.
    pub fn physical(&self, change: impl FnOnce(&mut Ledger) -> Change) {
        let mut ledger = lock(&self.ledger);
        match change(&mut ledger) {
            Change::Allocated => self.record.count(word!(allocations)),
            Change::Freed => self.record.count(word!(frees)),
            Change::Nothing => return,
        }
        self.publish(&ledger);
    }

    /// Remembers the primary context of a device.
    pub fn remember_primary(&self, device: i32, context: u64) {
        lock(&self.primaries).insert(device, context);
    }

    /// The primary context of a device, where it was seen.
    pub fn primary(&self, device: i32) -> Option<u64> {
        lock(&self.primaries).get(&device).copied()
    }

    /// The kernels known by name.
    pub fn kernels(&self) -> MutexGuard<'_, Kernels> {
        lock(&self.kernels)
    }

    /// The executable graphs.
    pub fn graphs(&self) -> MutexGuard<'_, Graphs> {
        lock(&self.graphs)
    }

    /// A launch that the driver accepted.
    pub fn launched(&self, name: &[u8], shape: Shape, executed: bool) {
        self.record.count(word!(launches));
        if !executed {
            self.record.count(word!(launches_not_executed));
        }
        if let Some(count) = self.kernels().row(&self.record, name, shape) {
            self.record.count(count);
        }
    }

    /// The record, for counts that hang on nothing else.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What a launch did that the virtual driver executed.
    pub fn worked(&self, name: &[u8], shape: Shape, work: Work) {
        let held = lock(&self.ledger).current();
        let (read, written) = (work.read_bytes.min(held), work.written_bytes.min(held));
        let work = Work {
            distinct_bytes: read.saturating_add(written),
            ..work
        };
        self.record.count(word!(counted_launches));
        if let Some(count) = self.kernels().row(&self.record, name, shape) {
            self.record.add_work(count, work);
        }
    }

    /// A launch that the driver refused.
    pub fn refused(&self) {
        self.record.count(word!(refused_launches));
    }

    fn publish(&self, ledger: &Ledger) {
        let (current, rounded) = (ledger.current(), ledger.rounded());
        self.record.set(word!(current_bytes), current);
        self.record.set(word!(current_rounded_bytes), rounded);
        self.record.raise(word!(peak_bytes), current);
        self.record.raise(word!(peak_rounded_bytes), rounded);
        self.record.point(current);
    }
}

/// What a change of physical memory comes to.
pub enum Change {
    /// Memory was taken from the device.
    Allocated,
    /// Memory went back to the device.
    Freed,
    /// Neither.
    Nothing,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disturbed_recording_says_so_and_takes_no_more() {
        let folder = tempfile::tempdir().unwrap();
        // The session of this test binary; nothing else here begins one.
        let pid = std::process::id();
        let session = Box::leak(Box::new(Session::new(
            pid,
            Record::create(folder.path(), pid).unwrap(),
        )));
        CURRENT.store(session, Release);
        quietly(|| panic!("a failure of ours"));
        assert_eq!(session.record.get(word!(disturbed)), 1);
        assert_eq!(SILENT.load(Acquire), pid);
    }
}
