//! Changes to functions that the CUDA compiler generated: a stub loses its body, a wrapper its lines.
//! Must not know which functions those are.

use inkwell::module::Module;
use inkwell::values::AsValueRef;
use llvm_sys::core::{
    LLVMGetFirstBasicBlock, LLVMGetFirstInstruction, LLVMGetNextBasicBlock, LLVMGetNextInstruction,
    LLVMInstructionEraseFromParent, LLVMIsADbgInfoIntrinsic, LLVMSetIsNewDbgInfoFormat,
};
use llvm_sys::debuginfo::{LLVMInstructionSetDebugLoc, LLVMSetSubprogram};
use llvm_sys::prelude::LLVMValueRef;
use std::ptr::null_mut;

/// Puts a declaration in a function's place, under the same name.
pub(super) fn forget_body(module: &Module<'_>, name: &str) {
    let Some(function) = module.get_function(name) else {
        return;
    };
    let declaration = module.add_function("", function.get_type(), None);
    function.replace_all_uses_with(declaration);
    // SAFETY: nothing refers to the function any more (its uses were replaced just before), and no view of
    // it is alive: callers keep names only.
    unsafe { function.delete() };
    declaration.as_global_value().set_name(name);
}

/// Takes all debug information from a function, so that its code stands at the call once it is inlined.
pub(super) fn hide_lines(module: &Module<'_>, name: &str) {
    let Some(function) = module.get_function(name) else {
        return;
    };
    let function = function.as_value_ref();
    // SAFETY: module and function are alive and no view of them is; every instruction is looked at before the
    // next one is asked for, and only debug intrinsics, which nothing uses, are erased.
    unsafe {
        // Variables are intrinsic calls then, and can be erased like any instruction.
        LLVMSetIsNewDbgInfoFormat(module.as_mut_ptr(), 0);
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                let next = LLVMGetNextInstruction(instruction);
                hide_line(instruction);
                instruction = next;
            }
            block = LLVMGetNextBasicBlock(block);
        }
        LLVMSetSubprogram(function, null_mut());
    }
}

/// # Safety
/// `instruction` must be an instruction of a live module, and no view of it may be used afterwards.
unsafe fn hide_line(instruction: LLVMValueRef) {
    // SAFETY: the caller promises a live instruction; debug intrinsics have no users.
    unsafe {
        if LLVMIsADbgInfoIntrinsic(instruction).is_null() {
            LLVMInstructionSetDebugLoc(instruction, null_mut());
        } else {
            LLVMInstructionEraseFromParent(instruction);
        }
    }
}
