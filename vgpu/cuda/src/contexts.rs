//! Contexts of this process: the primary one, those that the program makes, and each thread's stack of current ones.

use crate::driver::{Driver, driver};
use crate::handles::{Handles, Object, next_handle};
use crate::status::{Outcome, Status};
use migfit_vgpu_device::context::Context;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A `CUcontext`.
pub struct CudaContext {
    handle: usize,
    /// Its hold on the slice.
    pub memory: Context,
    /// Scheduling and mapping flags.
    pub flags: AtomicU32,
    /// Unique in this process.
    pub id: u64,
    /// Limits that the program set.
    pub limits: Mutex<BTreeMap<u32, usize>>,
    /// Preferred split of L1 cache and shared memory.
    pub cache_config: AtomicU32,
    /// The failure of a kernel, which every later call in the context tells; 0: none.
    failure: AtomicU32,
}

impl Object for CudaContext {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl CudaContext {
    /// A kernel failed: from now on the context is of no use.
    pub fn poison(&self, status: Status) {
        self.failure.store(status.0, Ordering::Relaxed);
    }

    /// Tells the failure of a kernel.
    pub fn require_sound(&self) -> Outcome {
        match self.failure.load(Ordering::Relaxed) {
            0 => Ok(()),
            failure => Err(Status(failure)),
        }
    }
}

/// The primary context and how often it is retained.
struct Primary {
    context: Option<Arc<CudaContext>>,
    retained: usize,
    flags: u32,
}

static CONTEXTS: Handles<CudaContext> = Handles::new();
static PRIMARY: Mutex<Primary> = Mutex::new(Primary {
    context: None,
    retained: 0,
    flags: 0,
});
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// Never dropped: programs call CUDA in static destructors and exit handlers too, after a thread's own values ended.
    static STACK: RefCell<ManuallyDrop<Vec<usize>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Makes a context on the process's slice; it costs memory there.
pub fn create(driver: &Driver, flags: u32) -> Outcome<Arc<CudaContext>> {
    let memory = Context::new(Arc::clone(&driver.gpu), driver.slice.clone())?;
    let context = Arc::new(CudaContext {
        handle: next_handle(),
        memory,
        flags: AtomicU32::new(flags),
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        limits: Mutex::new(BTreeMap::new()),
        cache_config: AtomicU32::new(0),
        failure: AtomicU32::new(0),
    });
    CONTEXTS.insert(Arc::clone(&context));
    Ok(context)
}

/// Ends a context that the program made; what it holds comes back once no call uses it any more.
pub fn destroy(handle: usize) -> Outcome {
    driver()?;
    if primary()
        .context
        .as_ref()
        .is_some_and(|context| context.handle() == handle)
    {
        return Err(Status::INVALID_CONTEXT);
    }
    let context = CONTEXTS
        .remove(handle)
        .map_err(|_| Status::INVALID_CONTEXT)?;
    end(&context);
    if current_handle() == handle {
        pop();
    }
    Ok(())
}

/// What dies with a context.
fn end(context: &Arc<CudaContext>) {
    crate::images::context_ended(context.id);
    crate::streams::context_ended(context.id);
    crate::arrays::context_ended(context.id);
    crate::pools::context_ended(context.id);
    crate::uses::context_ended(context.id);
    if CONTEXTS.find(|other| Some(other.id)).is_none() {
        crate::graphs::memory::end_all();
    }
}

/// The context of a handle.
pub fn get(handle: usize) -> Outcome<Arc<CudaContext>> {
    driver()?;
    CONTEXTS.get(handle).map_err(|_| Status::INVALID_CONTEXT)
}

/// The calling thread's current context.
pub fn current() -> Outcome<Arc<CudaContext>> {
    driver()?;
    match current_handle() {
        0 => Err(Status::INVALID_CONTEXT),
        handle => {
            let context = CONTEXTS.get(handle);
            let context = context.map_err(|_| Status::CONTEXT_IS_DESTROYED)?;
            context.require_sound()?;
            Ok(context)
        }
    }
}

/// Handle of the calling thread's current context; 0 when there is none.
pub fn current_handle() -> usize {
    STACK.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

/// Makes a context the calling thread's current one, above the others.
pub fn push(handle: usize) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
}

/// Takes the calling thread's current context off.
pub fn pop() -> Option<usize> {
    STACK.with_borrow_mut(|stack| stack.pop())
}

/// Puts a context in the place of the current one; 0 only takes that off.
pub fn set_current(handle: usize) -> Outcome {
    if handle != 0 {
        get(handle)?;
    }
    pop();
    if handle != 0 {
        push(handle);
    }
    Ok(())
}

/// The context in which this device address is allocated.
pub fn owner_of(address: u64) -> Option<Arc<CudaContext>> {
    CONTEXTS.find(|context| context.memory.find(address).map(|_| Arc::clone(context)))
}

/// Makes the primary context where it is not there, and counts one more user of it.
pub fn retain_primary(driver: &Driver) -> Outcome<usize> {
    let mut primary = primary();
    let context = match &primary.context {
        Some(context) => Arc::clone(context),
        None => create(driver, primary.flags)?,
    };
    primary.retained += 1;
    let handle = context.handle();
    primary.context = Some(context);
    Ok(handle)
}

/// Counts one user less; the last one ends the primary context.
pub fn release_primary() -> Outcome {
    let mut primary = primary();
    primary.retained = primary
        .retained
        .checked_sub(1)
        .ok_or(Status::INVALID_CONTEXT)?;
    if primary.retained == 0 {
        end_primary(&mut primary);
    }
    Ok(())
}

/// Ends the primary context whoever uses it. Their handles are stale until it is retained anew.
pub fn reset_primary() {
    let mut primary = primary();
    end_primary(&mut primary);
    primary.flags = 0;
}

/// The primary context's flags and whether it is there.
pub fn primary_state() -> (u32, bool) {
    let primary = primary();
    (primary.flags, primary.context.is_some())
}

/// Sets the primary context's flags.
pub fn set_primary_flags(flags: u32) {
    let mut primary = primary();
    primary.flags = flags;
    if let Some(context) = &primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
}

fn end_primary(primary: &mut Primary) {
    if let Some(context) = primary.context.take() {
        // It is in the table as long as it is the primary one.
        let _ = CONTEXTS.remove(context.handle());
        end(&context);
    }
    primary.retained = 0;
}

fn primary() -> MutexGuard<'static, Primary> {
    PRIMARY.lock().unwrap_or_else(PoisonError::into_inner)
}
