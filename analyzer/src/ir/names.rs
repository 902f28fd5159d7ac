//! Source names of values, from `llvm.dbg.value`, and of stack memory, from `llvm.dbg.declare`. Must not know registers.

use super::view::function::Function;
use super::view::instruction::Instruction;
use super::view::value::Value;
use llvm_sys::LLVMOpcode;
use std::collections::HashMap;

/// A name and how deep in inlined functions its variable stands.
struct Candidate {
    depth: usize,
    name: String,
}

/// The name of each value that is a whole variable. A value that several variables hold gets the name of the least deeply
/// inlined one (the caller's `n`, not the helper's `count`), the first of equals.
#[must_use]
pub fn of_values<'m>(function: Function<'m>) -> HashMap<Value<'m>, String> {
    let mut best: HashMap<Value<'m>, Candidate> = HashMap::new();
    for (value, candidate) in function.instructions().filter_map(described) {
        let known = best.get(&value);
        if known.is_none_or(|known| candidate.depth < known.depth) {
            best.insert(value, candidate);
        }
    }
    best.into_iter()
        .map(|(value, candidate)| (value, candidate.name))
        .collect()
}

fn described(instruction: Instruction<'_>) -> Option<(Value<'_>, Candidate)> {
    if instruction.opcode() != LLVMOpcode::LLVMCall {
        return None;
    }
    let callee = instruction.callee()?.as_function()?;
    let describes = ["llvm.dbg.value", "llvm.dbg.declare"];
    if !describes.contains(&callee.intrinsic()?.as_str()) {
        return None;
    }
    let [value, variable, expression] = instruction.arguments()[..] else {
        return None;
    };
    let value = value
        .wrapped()
        .filter(|_| expression.is_plain_expression())?;
    let depth = instruction
        .location()
        .map_or(0, |location| location.chain().count());
    let name = variable.variable_name()?;
    Some((value, Candidate { depth, name }))
}
