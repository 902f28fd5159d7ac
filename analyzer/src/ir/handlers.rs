//! The module as the front end left it in, the places where the user's code catches exceptions out. Read before any pass:
//! inlining adds a handler's clauses to landing pads of library code. Must not know registers.

use super::places::Places;
use super::view::function::{Block, Function};
use super::view::instruction::Instruction;
use super::view::module::ModuleView;
use llvm_sys::LLVMOpcode;

/// What clang calls where an exception must not leave a function: no handler of the user's.
const TERMINATES: &str = "__clang_call_terminate";

/// File and line of each handler, each once; line 0 where the compiler gave none.
#[must_use]
pub fn places(module: ModuleView<'_>) -> Vec<(String, u32)> {
    let mut places = Places::of(module);
    let bodies = module.functions().filter(|function| !function.is_copy());
    let pads = bodies.flat_map(Function::blocks).filter_map(catching);
    let mut found: Vec<(String, u32)> = pads
        .filter_map(|pad| match pad.location() {
            Some(location) => places.of_users(location),
            None => Some((String::new(), 0)),
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The landing pad of a block, where it catches and goes on.
fn catching(block: Block<'_>) -> Option<Instruction<'_>> {
    let pad = block
        .instructions()
        .find(|one| one.opcode() == LLVMOpcode::LLVMLandingPad)?;
    let ends = block.instructions().any(|one| {
        one.opcode() == LLVMOpcode::LLVMCall
            && one
                .callee()
                .and_then(|callee| callee.as_function())
                .is_some_and(|callee| callee.name() == TERMINATES)
    });
    (pad.catches() && !ends).then_some(pad)
}
