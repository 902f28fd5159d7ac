//! Size program in, the part of it that sizes and CUDA calls depend on out: the same types, fewer instructions.
//! Pure; knows neither LLVM nor files. The rules and what they are worth stand in the crate's documentation.

mod choice;
pub(crate) mod control;
mod effects;
mod event;
pub(crate) mod flow;
mod keep;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod points_to;
pub(crate) mod position;
mod rebuild;
mod unknown_branch;

use migfit_schema::program::SizeProgram;

/// Keeps what allocations, frees, launches and the control flow around them depend on. A branch that is not kept
/// becomes a jump to where its sides meet again, so whole loops vanish.
#[must_use]
pub fn slice(program: &SizeProgram) -> SizeProgram {
    let flows = flow::flows(program);
    let objects = objects::Objects::of(program);
    let pointers = points_to::solve(program, &objects);
    let memory = memory::Memory::of(program, &objects, &pointers);
    let controls = control::controls(program, &flows);
    let kept = keep::keep(program, &flows, &controls, &memory, &pointers);
    rebuild::rebuild(program, &flows, &controls, &kept)
}
