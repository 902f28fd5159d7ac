//! A launch: its blocks, on as many workers as are wanted.

use super::block::{self, Threads};
use super::guard::{Caught, guarded};
use super::memory::Window;
use crate::compile::Compiled;
use crate::context::Context;
use crate::error::{Fault, FaultKind};
use crate::translate::count::add_times;
use corosensei::stack::DefaultStack;
use migfit_schema::record::Work;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of the stack that kernels run on: recursion and local arrays of called functions lie there.
const STACK: usize = 8 << 20;
/// Threads below which more workers are not worth their start.
const FEW: u64 = 1 << 14;

/// The shape of a launch, and what it works on.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks by dimension.
    pub grid: [u32; 3],
    /// Threads of a block by dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The kernel's parameters, each where it lies.
    pub parameters: &'a [u8],
    /// Address of the program's variables.
    pub variables: u64,
    /// Multiprocessors of the slice.
    pub sms: u32,
    /// Blocks at a time.
    pub workers: usize,
}

/// What a worker needs, kept for the next launch.
struct Worker {
    shared: Window,
    frames: Window,
    states: Vec<u32>,
    stack: Option<DefaultStack>,
}

static WORKERS: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
static LAUNCHES: AtomicU64 = AtomicU64::new(1);

/// Frames of a block take no more than this.
const MOST_FRAMES: usize = 1 << 36;

impl Worker {
    fn take() -> io::Result<Worker> {
        let idle = WORKERS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(worker) => Ok(worker),
            None => Ok(Worker {
                shared: Window::shared()?,
                frames: Window::frames(MOST_FRAMES)?,
                states: Vec::new(),
                stack: None,
            }),
        }
    }

    fn give_back(self) {
        WORKERS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self);
    }
}

/// What all workers of a launch share.
struct Common {
    next: AtomicU64,
    failed: AtomicBool,
    /// How often each counted piece of code was run, by all workers.
    counts: Mutex<Vec<u64>>,
    blocks: u64,
    id: u64,
}

/// Runs a launch to its end: the work of all its threads, where the kernel counts it.
///
/// # Errors
/// When a thread fails: the kernel ends there. `Err(Ok(…))` is the kernel's failure, `Err(Err(…))` the machine's.
pub fn launch(kernel: &Compiled, launch: &Launch) -> Result<Work, Result<Fault, io::Error>> {
    let blocks = launch
        .grid
        .iter()
        .map(|extent| u64::from(*extent))
        .product();
    let threads: u64 = launch
        .block
        .iter()
        .map(|extent| u64::from(*extent))
        .product();
    let common = Common {
        next: AtomicU64::new(0),
        failed: AtomicBool::new(false),
        counts: Mutex::new(vec![0; kernel.counted.len()]),
        blocks,
        id: LAUNCHES.fetch_add(1, Ordering::Relaxed),
    };
    let few = blocks.saturating_mul(threads) < FEW;
    let workers = if few {
        1
    } else {
        launch
            .workers
            .clamp(1, 256)
            .min(usize::try_from(blocks).unwrap_or(1))
    };
    if workers == 1 {
        work(kernel, launch, &common, 0)?;
        return Ok(common.work_of(kernel));
    }
    let common = &common;
    let outcome = std::thread::scope(|scope| {
        let others = (1..workers).map(|nth| scope.spawn(move || work(kernel, launch, common, nth)));
        let others: Vec<_> = others.collect();
        let mut outcome = work(kernel, launch, common, 0);
        for other in others {
            let ended = other.join().unwrap_or(Ok(()));
            outcome = outcome.and(ended);
        }
        outcome
    });
    outcome.map(|()| common.work_of(kernel))
}

impl Common {
    /// What all workers did.
    fn work_of(&self, kernel: &Compiled) -> Work {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Work::default();
        for (work, count) in kernel.counted.iter().zip(counts.iter()) {
            add_times(&mut sum, *work, *count);
        }
        sum
    }

    fn add_counts(&self, own: &[u64]) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (sum, own) in counts.iter_mut().zip(own) {
            *sum = sum.saturating_add(*own);
        }
    }
}

/// One worker's share of the blocks.
fn work(
    kernel: &Compiled,
    launch: &Launch,
    common: &Common,
    nth: usize,
) -> Result<(), Result<Fault, io::Error>> {
    let mut worker = Worker::take().map_err(Err)?;
    let outcome = prepared(kernel, launch, common, nth, &mut worker);
    worker.give_back();
    if outcome.is_err() {
        common.failed.store(true, Ordering::Relaxed);
    }
    outcome
}

fn prepared(
    kernel: &Compiled,
    launch: &Launch,
    common: &Common,
    nth: usize,
    worker: &mut Worker,
) -> Result<(), Result<Fault, io::Error>> {
    let threads = launch
        .block
        .iter()
        .map(|extent| *extent as usize)
        .product::<usize>();
    let shared = kernel.shared + u64::from(launch.shared);
    let bytes = usize::try_from(shared).unwrap_or(usize::MAX);
    worker.shared.resize(bytes).map_err(Err)?;
    let frame = usize::try_from(kernel.frame).unwrap_or(usize::MAX);
    worker
        .frames
        .resize(frame.saturating_mul(threads))
        .map_err(Err)?;
    worker.states.resize(threads, 0);
    let stack = match worker.stack.take() {
        Some(stack) => stack,
        None => DefaultStack::new(STACK).map_err(Err)?,
    };
    let mut counters = vec![0_u64; kernel.counted.len()];
    let mut context = Context {
        parameters: launch.parameters.as_ptr().expose_provenance() as u64,
        variables: launch.variables,
        shared: worker.shared.address() as u64,
        frames: worker.frames.address() as u64,
        frame_size: kernel.frame,
        states: worker.states.as_ptr().expose_provenance() as u64,
        block_size: launch.block,
        grid_size: launch.grid,
        block: [0; 3],
        thread: 0,
        dynamic_shared: launch.shared,
        total_shared: u32::try_from(shared).unwrap_or(u32::MAX),
        grid_id: common.id,
        sm: u32::try_from(nth).unwrap_or(0) % launch.sms.max(1),
        sms: launch.sms,
        fault: 0,
        counters: counters.as_mut_ptr().expose_provenance() as u64,
    };
    let place = Place {
        kernel,
        common,
        context: &raw mut context,
        states: &raw mut *worker.states,
        frames: worker.frames.address(),
    };
    // SAFETY: what the work borrows outlives it: it has ended when `guarded` returns.
    let place = unsafe { std::mem::transmute::<Place<'_>, Place<'static>>(place) };
    let (outcome, stack) = guarded(stack, move || place.blocks());
    worker.stack = Some(stack);
    common.add_counts(&counters);
    let caught = match outcome {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(kind)) => Caught { kind, address: 0 },
        Err(caught) => caught,
    };
    Err(Ok(fault(kernel, &context, caught)))
}

/// What a worker's loop over blocks needs.
struct Place<'a> {
    kernel: &'a Compiled,
    common: &'a Common,
    context: *mut Context,
    states: *mut [u32],
    frames: usize,
}

impl Place<'_> {
    /// Takes blocks until there are none.
    fn blocks(self) -> Result<(), FaultKind> {
        let code = self.kernel.code();
        let waiting = self.kernel.waiting;
        let mut threads = Threads {
            // SAFETY: the worker's states are this loop's alone; compiled code changes them only while it is called.
            states: unsafe { &mut *self.states },
            frames: self.frames,
            frame: usize::try_from(self.kernel.frame).unwrap_or(0),
        };
        loop {
            let nth = self.common.next.fetch_add(1, Ordering::Relaxed);
            if nth >= self.common.blocks || self.common.failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            // SAFETY: the context outlives the work and is its own.
            let context = unsafe { &mut *self.context };
            let [width, height, _] = context.grid_size.map(u64::from);
            let place = [nth % width, nth / width % height, nth / width / height];
            context.block = place.map(|at| u32::try_from(at).unwrap_or(0));
            block::run(code, self.context, waiting, &mut threads)?;
        }
    }
}

fn fault(kernel: &Compiled, context: &Context, caught: Caught) -> Fault {
    let kinds = [
        FaultKind::Address,
        FaultKind::Trap,
        FaultKind::Assert,
        FaultKind::Deadlock,
        FaultKind::Stack,
        FaultKind::Instruction,
    ];
    let said = kinds
        .into_iter()
        .find(|kind| *kind as u32 + 1 == context.fault);
    let kind = match (caught.kind, said) {
        (FaultKind::Trap, Some(kind)) => kind,
        (kind, _) => kind,
    };
    let [width, height, _] = context.block_size.map(|extent| extent.max(1));
    let thread = context.thread;
    Fault {
        kernel: kernel.name.clone(),
        kind,
        address: caught.address,
        block: context.block,
        thread: [
            thread % width,
            thread / width % height,
            thread / width / height,
        ],
    }
}
