//! Size program in, the part of it that sizes and CUDA calls depend on out: the same types, fewer instructions.
//! Pure; knows neither LLVM nor files.
//!
//! Nearly all run time of host code goes into filling arrays, CPU references and printing, on which no size depends.
//! What stays is found backwards from the CUDA calls. The rules:
//!
//! 1. **Start** at calls that take or give back device memory, push a launch configuration or launch (of a launch, not
//!    the array of kernel arguments), and at normal ends of the process outside `main` after which one would come.
//!    Calls of functions that nobody looked into and, where exceptions are caught, throws count too: it matters whether
//!    they happen, not what they are given.
//! 2. **Backwards** over operands and control dependence. A function in which something is kept keeps its calls; its
//!    parameters and its results are kept one by one, on demand. A function handed to a library call is kept whole.
//! 3. **Memory by object**: an object is an alloca, a global, what one call site allocates, a FILE, hidden library
//!    state. A kept read needs every store and library call that may write the object and may come before it.
//! 4. **A branch that is not kept** jumps to where its ways meet again, as reckoned without blocks that only lead to a
//!    failing exit: error checks cost nothing and whole loops vanish. A check made only of what is kept or costs
//!    nothing (words of the command line, loops over them) stays, as it tells wrong arguments. `exit(0)` and an exit with a computed status are normal ends.
//! 5. **Which way into a block** decides a kept phi: branches by which control enters through one edge or another are
//!    kept. A loop's head decides when the loop is left, not whether, so it does not decide a phi behind the loop.
//! 6. **The status of a CUDA call** is success and needs nothing of the call, or a checked copy would drag in the loop
//!    that fills what is copied.
//! 7. **A condition made of what the device computed** is not known before the run whatever is kept, so nothing of what
//!    it is made of is kept for it.
//! 8. **An unknown branch** gets advice for the evaluator: an error exit is not taken; a loop with CUDA calls runs its
//!    body once; of two ways the one with CUDA calls is taken; without any, evaluation goes on at the join.
//!
//! 9. **A check that is gone past** is said: the evaluator notes it as an assumption where a CUDA call comes later. A
//!    second slice keeps such checks with the host's work that they look at, for when there is time for it.
//!
//! What is cut is then made small: chains of blocks become one and ids close up.

mod at_exit;
pub(crate) mod calls;
mod choice;
pub(crate) mod control;
mod decided;
pub(crate) mod definitions;
#[cfg(test)]
pub(crate) mod draft;
pub(crate) mod effects;
pub(crate) mod event;
pub(crate) mod eventful;
pub(crate) mod flow;
pub(crate) mod graphs;
mod groups;
mod keep;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod objects;
mod opened;
#[cfg(test)]
mod oracle;
pub(crate) mod points_to;
pub(crate) mod position;
mod rebuild;
mod remains;
mod tidy;
mod unknown_branch;
mod work;

use migfit_schema::program::SizeProgram;

pub use decided::decide;
pub use event::captures;

/// Whether the tables of library functions say what a function does.
pub(crate) fn has_effect_row(name: &str) -> bool {
    effects::effect(name).is_some()
}

/// Whether anything in a program takes device memory, launches, or may do so.
#[must_use]
pub fn calls_cuda(program: &SizeProgram) -> bool {
    position::instructions(program).any(|(_, found)| event::is_event(program, &found.op))
}

/// Keeps what allocations, frees, launches and the control flow around them depend on, in as few blocks, functions
/// and globals as that takes.
#[must_use]
pub fn slice(program: &SizeProgram) -> SizeProgram {
    let mut program = cut(program);
    tidy::shrink(&mut program);
    program
}

/// A slice, and where it goes past checks that the host's work decides, a second one that keeps them with that work:
/// it takes longer, and has less to assume.
#[must_use]
pub fn slices(program: &SizeProgram) -> (SizeProgram, Option<SizeProgram>) {
    let mut cuts = cuts(program, true);
    for cut in &mut cuts {
        tidy::shrink(cut);
    }
    let mut cuts = cuts.into_iter();
    (cuts.next().unwrap_or_default(), cuts.next())
}

/// The whole program, only with advice for branches on unknown values: the oracle that a slice is tested against.
#[must_use]
pub fn advise(program: &SizeProgram) -> SizeProgram {
    let graphs = graphs::Graphs::of(program);
    let objects = objects::Objects::of(program);
    let calls = calls::Calls::of(program, &points_to::solve(program, &objects));
    let eventful = eventful::Eventful::of(program, &calls);
    rebuild::advise(program, &graphs, &eventful)
}

/// The first half of `slice`: what is kept, under the ids that it had, so that its branches can be compared with those
/// of the whole program.
#[must_use]
pub fn cut(program: &SizeProgram) -> SizeProgram {
    let mut cuts = cuts(program, false);
    cuts.pop().unwrap_or_default()
}

fn cuts(program: &SizeProgram, with_checks: bool) -> Vec<SizeProgram> {
    let graphs = graphs::Graphs::of(program);
    let objects = objects::Objects::of(program);
    let pointers = points_to::solve(program, &objects);
    let memory = memory::Memory::of(program, &objects, &pointers);
    let calls = calls::Calls::of(program, &pointers);
    let eventful = eventful::Eventful::of(program, &calls);
    let known = keep::Known {
        program,
        graphs: &graphs,
        memory: &memory,
        calls: &calls,
        pointers: &pointers,
    };
    let rebuilt = |kept: &keep::Kept| {
        let mut cut = rebuild::rebuild(program, &graphs, &eventful, kept);
        tidy::clean(&mut cut);
        cut
    };
    let kept = keep::keep(known, &eventful, keep::Checks::Cheap);
    let mut cuts = vec![rebuilt(&kept)];
    if with_checks && kept.unchecked.on_host() {
        let kept = keep::keep(known, &eventful, keep::Checks::All);
        cuts.push(rebuilt(&kept));
    }
    cuts
}
