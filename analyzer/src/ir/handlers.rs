//! The module as the front end left it in, the places where the user's code catches exceptions out. Read before any pass:
//! inlining puts library code with handlers of its own into the user's. Must not know registers.

use super::places::Places;
use super::view::function::Function;
use super::view::instruction::Instruction;
use super::view::module::ModuleView;
use llvm_sys::LLVMOpcode;

/// Where a handler begins.
const BEGINS: &str = "__cxa_begin_catch";
/// What clang calls where an exception must not leave a function: no handler of the user's.
const TERMINATES: &str = "__clang_call_terminate";

/// File and line of each handler, each once; line 0 where the compiler gave none.
#[must_use]
pub fn places(module: ModuleView<'_>) -> Vec<(String, u32)> {
    let mut places = Places::of(module);
    let bodies = module
        .functions()
        .filter(|function| !function.is_copy() && function.name() != TERMINATES);
    let begins = bodies
        .flat_map(Function::instructions)
        .filter(|instruction| calls(*instruction, BEGINS));
    let mut found: Vec<(String, u32)> = begins
        .filter_map(|begin| match begin.location() {
            Some(location) => places.of_users(location),
            None => Some((String::new(), 0)),
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

fn calls(instruction: Instruction<'_>, name: &str) -> bool {
    let callee = (instruction.opcode() == LLVMOpcode::LLVMCall).then(|| instruction.callee());
    let callee = callee.flatten().and_then(|callee| callee.as_function());
    callee.is_some_and(|callee| callee.name() == name)
}
