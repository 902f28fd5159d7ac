//! Changes to what a compiler generated: a stub loses its body, a table its value, a wrapper its lines.
//! Must not know which those are.

use super::view::text;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, GlobalValue};
use llvm_sys::LLVMLinkage;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::{
    LLVMAddFunction, LLVMAliasGetAliasee, LLVMGetFirstBasicBlock, LLVMGetFirstGlobalAlias,
    LLVMGetFirstInstruction, LLVMGetNextBasicBlock, LLVMGetNextGlobalAlias, LLVMGetNextInstruction,
    LLVMGetValueName2, LLVMGlobalGetValueType, LLVMInstructionEraseFromParent,
    LLVMIsADbgInfoIntrinsic, LLVMIsAFunction, LLVMReplaceAllUsesWith, LLVMSetInitializer,
    LLVMSetIsNewDbgInfoFormat, LLVMSetLinkage, LLVMSetValueName2,
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

/// Makes a global one that is defined elsewhere.
pub(super) fn forget_value(global: GlobalValue<'_>) {
    let global = global.as_value_ref();
    // SAFETY: the global is of a live module; null stands for no value and for no group.
    unsafe {
        LLVMSetInitializer(global, null_mut());
        LLVMSetComdat(global, null_mut());
        LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
    }
}

/// Another name of a function: what constructors are to each other.
pub(super) struct Alias(LLVMValueRef);

/// All aliases of functions; none may be used when the module is gone.
pub(super) fn aliases(module: &Module<'_>) -> Vec<Alias> {
    let mut found = Vec::new();
    // SAFETY: the module is alive, and nothing changes it while its list is walked.
    unsafe {
        let mut alias = LLVMGetFirstGlobalAlias(module.as_mut_ptr());
        while !alias.is_null() {
            if !LLVMIsAFunction(LLVMAliasGetAliasee(alias)).is_null() {
                found.push(Alias(alias));
            }
            alias = LLVMGetNextGlobalAlias(alias);
        }
    }
    found
}

impl Alias {
    /// Its name.
    pub(super) fn name(&self) -> String {
        name_of(self.0)
    }

    /// Name of the function.
    pub(super) fn stands_for(&self) -> String {
        // SAFETY: the alias is one of a live module, and so is what it stands for.
        name_of(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    /// Lets a linker take it where it is asked for, and only there.
    pub(super) fn offer(&self) {
        // SAFETY: the alias is one of a live module.
        unsafe { LLVMSetLinkage(self.0, LLVMLinkage::LLVMLinkOnceODRLinkage) };
    }

    /// Puts a declaration in its place; itself stays behind without name and uses.
    pub(super) fn forget(&self, module: &Module<'_>) {
        let name = self.name();
        self.offer();
        // SAFETY: alias and module are alive; the declaration has the type of the function that the alias stands for,
        // and the name's length is its own.
        unsafe {
            let ty = LLVMGlobalGetValueType(self.0);
            LLVMSetValueName2(self.0, c"unused".as_ptr(), 6);
            let declaration = LLVMAddFunction(module.as_mut_ptr(), c"".as_ptr(), ty);
            LLVMReplaceAllUsesWith(self.0, declaration);
            LLVMSetValueName2(declaration, name.as_ptr().cast(), name.len());
        }
    }
}

fn name_of(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: callers give a value of a live module; LLVM keeps as many bytes there as it says.
    let start = unsafe { LLVMGetValueName2(value, &raw mut length) };
    text::lent(start, length)
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
