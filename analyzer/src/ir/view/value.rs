//! A value of any kind: what it is, its type, its name.

use super::constant::Constant;
use super::function::Function;
use super::instruction::Instruction;
use super::text;
use super::types::Ty;
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use std::marker::PhantomData;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind<'m> {
    /// A parameter of a function.
    Argument,
    /// The result of an instruction.
    Instruction(Instruction<'m>),
    /// A constant, the address of a global or of a function included.
    Constant(Constant<'m>),
    /// Inline assembly, as a callee.
    InlineAsm,
    /// Metadata as an argument of an intrinsic.
    Metadata,
    /// Anything else.
    Other,
}

impl<'m> Value<'m> {
    /// A view of a handle; `None` for null.
    pub(super) fn new(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Value {
            raw,
            module: PhantomData,
        })
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> ValueKind<'m> {
        use LLVMValueKind::*;
        match query!(LLVMGetValueKind(self.raw)) {
            LLVMArgumentValueKind => ValueKind::Argument,
            LLVMInstructionValueKind => ValueKind::Instruction(Instruction::of(self)),
            LLVMInlineAsmValueKind => ValueKind::InlineAsm,
            LLVMMetadataAsValueValueKind => ValueKind::Metadata,
            LLVMBasicBlockValueKind
            | LLVMMemoryUseValueKind
            | LLVMMemoryDefValueKind
            | LLVMMemoryPhiValueKind => ValueKind::Other,
            _ => ValueKind::Constant(Constant::of(self)),
        }
    }

    /// Its type.
    #[must_use]
    pub fn ty(self) -> Ty<'m> {
        Ty::new(query!(LLVMTypeOf(self.raw)))
    }

    /// Its name in the module; empty where it has none.
    #[must_use]
    pub fn name(self) -> String {
        let mut length = 0;
        let start = query!(LLVMGetValueName2(self.raw, &raw mut length));
        text::lent(start, length)
    }

    /// The function that it is, looking through aliases.
    #[must_use]
    pub fn as_function(self) -> Option<Function<'m>> {
        match self.kind() {
            ValueKind::Constant(constant) => constant.as_function(),
            _ => None,
        }
    }

    /// Text of inline assembly; empty for other values.
    #[must_use]
    pub fn assembly(self) -> String {
        if self.kind() != ValueKind::InlineAsm {
            return String::new();
        }
        let mut length = 0;
        let start = query!(LLVMGetInlineAsmAsmString(self.raw, &raw mut length));
        text::lent(start, length)
    }
}
