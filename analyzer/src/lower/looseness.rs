//! Whether an instruction's floating-point result may differ in the last digit from what IEEE 754 says.

use crate::ir::view::function::Function;
use crate::ir::view::instruction::Instruction;
use llvm_sys::LLVMOpcode;

/// Why a function's results may differ; `None`: they do not. The instructions are those that are lowered.
pub(super) fn reason<'m>(
    function: Function<'m>,
    mut instructions: impl Iterator<Item = Instruction<'m>>,
) -> Option<String> {
    let fuses = function
        .target_features()
        .split(',')
        .any(|feature| feature == "+fma" || feature == "+fma4");
    instructions.find_map(|one| {
        if one.is_loose() {
            Some("compiled with -ffast-math or a part of it".to_owned())
        } else if fuses && may_be_fused(one) {
            Some("products and sums are fused (FMA), as with -march=native".to_owned())
        } else {
            None
        }
    })
}

/// The front end's mark for a product and a sum that may become one operation.
fn may_be_fused(instruction: Instruction<'_>) -> bool {
    let callee = (instruction.opcode() == LLVMOpcode::LLVMCall)
        .then(|| instruction.callee()?.as_function()?.intrinsic())
        .flatten();
    callee.is_some_and(|name| name == "llvm.fmuladd")
}
