//! Where a thread waits for others: barriers, and what a warp does together.

use crate::text::ast::Instruction;

/// Whether threads wait for each other at an instruction.
#[must_use]
pub fn is_stop(instruction: &Instruction) -> bool {
    match instruction.opcode.as_str() {
        "bar" | "barrier" | "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => true,
        "st" => is_lockstep_store(instruction),
        _ => false,
    }
}

/// A volatile store to shared memory: programs written for GPUs whose warps run in lockstep exchange values by it
/// without a barrier, so a warp waits before and behind it.
#[must_use]
pub fn is_lockstep_store(instruction: &Instruction) -> bool {
    instruction.opcode == "st" && instruction.has("volatile") && instruction.has("shared")
}

/// Whether shared memory is named: its variables have their places in a kernel's frame.
#[must_use]
pub fn touches_shared(instruction: &Instruction) -> bool {
    instruction
        .modifiers
        .iter()
        .any(|word| word.starts_with("shared"))
}
