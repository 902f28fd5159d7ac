//! The last touch on a slice: what nothing leads to or refers to any more goes, and ids close up.

mod edges;
mod operands;
mod renumber;
mod thread;
mod unused;

use migfit_schema::program::{Function, SizeProgram};

/// Takes out what a cut leaves without meaning, without changing any id: blocks that nothing leads to become
/// empty, phis forget edges that are gone, operands that nothing computes become undefined.
pub fn clean(program: &mut SizeProgram) {
    for function in &mut program.functions {
        clear(function);
        operands::undefine(function);
    }
}

/// Blocks that nothing leads to become empty, phis forget edges that are gone.
pub fn clear(function: &mut Function) {
    edges::clear_unreached(&mut function.blocks);
    edges::forget_missing(&mut function.blocks);
}

/// Makes a clean program small: chains of blocks become one, ids close up, what is not referred to goes.
pub fn shrink(program: &mut SizeProgram) {
    for function in &mut program.functions {
        thread::thread(function);
        renumber::renumber(function);
    }
    unused::drop_unused(program);
}

#[cfg(test)]
mod tests;
