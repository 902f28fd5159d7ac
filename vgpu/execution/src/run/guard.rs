//! Faults of running kernels: a signal in compiled code ends the kernel and not the program. Signals of the program's own
//! go to whoever handled them before.

use crate::error::FaultKind;
use corosensei::stack::DefaultStack;
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::Mutex;

/// A signal that ended a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caught {
    /// What the signal means.
    pub kind: FaultKind,
    /// The address of an access.
    pub address: u64,
}

/// What guarded code comes to.
pub type Outcome = Result<Result<(), FaultKind>, Caught>;

const SIGNALS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// Handlers that were there before ours.
static EARLIER: Mutex<[Option<libc::sigaction>; 4]> = Mutex::new([None; 4]);

thread_local! {
    /// How the kernel that runs in this thread ends by a signal.
    static RUNNING: Cell<Option<CoroutineTrapHandler<Outcome>>> = const { Cell::new(None) };
}

/// Runs something on a stack of its own; a fault there is its result. The stack comes back for the next time.
pub fn guarded<F>(stack: DefaultStack, work: F) -> (Outcome, DefaultStack)
where
    F: FnOnce() -> Result<(), FaultKind> + 'static,
{
    install();
    alternate_stack();
    let mut coroutine =
        Coroutine::<(), (), Outcome, DefaultStack>::with_stack(stack, move |_, ()| Ok(work()));
    let before = RUNNING.replace(Some(coroutine.trap_handler()));
    let outcome = match coroutine.resume(()) {
        CoroutineResult::Return(outcome) => outcome,
        CoroutineResult::Yield(()) => Ok(Err(FaultKind::Deadlock)),
    };
    RUNNING.set(before);
    (outcome, coroutine.into_stack())
}

/// Puts our handler in place where it is not.
fn install() {
    for (nth, signal) in SIGNALS.into_iter().enumerate() {
        let mut present = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: room for the answer; nothing is set.
        let present = unsafe {
            if libc::sigaction(signal, std::ptr::null(), present.as_mut_ptr()) != 0 {
                continue;
            }
            present.assume_init()
        };
        let ours = handler as *const ();
        if present.sa_sigaction == ours.expose_provenance() {
            continue;
        }
        if let Ok(mut earlier) = EARLIER.lock() {
            earlier[nth] = Some(present);
        }
        // SAFETY: all of it is set; the handler has the form that SA_SIGINFO asks for.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = ours.expose_provenance();
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// A thread whose kernel's stack is full needs another one for the handler.
fn alternate_stack() {
    const BYTES: usize = 64 << 10;
    let mut present = MaybeUninit::<libc::stack_t>::uninit();
    // SAFETY: room for the answer; then a mapping of its own, which lasts as long as the thread may need it.
    unsafe {
        if libc::sigaltstack(std::ptr::null(), present.as_mut_ptr()) != 0
            || present.assume_init().ss_flags & libc::SS_DISABLE == 0
        {
            return;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(std::ptr::null_mut(), BYTES, protection, flags, -1, 0);
        if start != libc::MAP_FAILED {
            let stack = libc::stack_t {
                ss_sp: start,
                ss_flags: 0,
                ss_size: BYTES,
            };
            libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        }
    }
}

extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands in both for a handler with SA_SIGINFO.
    let (address, registers) = unsafe {
        let context = context.cast::<libc::ucontext_t>();
        ((*info).si_addr() as u64, &mut (*context).uc_mcontext.gregs)
    };
    let stack = registers[libc::REG_RSP as usize].cast_unsigned() as usize;
    let running = RUNNING
        .get()
        .filter(|running| running.stack_ptr_in_bounds(stack));
    let Some(running) = running else {
        return pass_on(signal, info, context);
    };
    let near = address.abs_diff(stack as u64) < 1 << 16;
    let kind = match signal {
        libc::SIGILL => FaultKind::Trap,
        libc::SIGFPE => FaultKind::Instruction,
        _ if near => FaultKind::Stack,
        _ => FaultKind::Address,
    };
    let caught = Caught { kind, address };
    // SAFETY: the stack pointer lies in the coroutine, whose frames need no clean-up: compiled code and ours for it hold
    // nothing. The registers are set as it asks.
    unsafe {
        let set = running.setup_trap_handler(move || Err(caught));
        for (register, value) in [
            (libc::REG_RIP, set.rip),
            (libc::REG_RSP, set.rsp),
            (libc::REG_RBP, set.rbp),
            (libc::REG_RDI, set.rdi),
            (libc::REG_RSI, set.rsi),
        ] {
            registers[register as usize] = value.cast_signed();
        }
    }
}

/// Has the earlier handler do it; where there was none, the signal does what it does by default.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let nth = SIGNALS.iter().position(|one| *one == signal).unwrap_or(0);
    let earlier = EARLIER.try_lock().ok().and_then(|earlier| earlier[nth]);
    // SAFETY: the earlier handler has the form that its flags say; a default one is put back and the signal comes again.
    unsafe {
        match earlier {
            Some(action) if action.sa_sigaction > libc::SIG_IGN => {
                let start = std::ptr::with_exposed_provenance::<()>(action.sa_sigaction);
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    type Full = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    std::mem::transmute::<*const (), Full>(start)(signal, info, context);
                } else {
                    type Plain = extern "C" fn(libc::c_int);
                    std::mem::transmute::<*const (), Plain>(start)(signal);
                }
            }
            _ => {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}
