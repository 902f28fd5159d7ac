//! Functions and basic blocks.

use super::instruction::Instruction;
use super::text;
use super::types::Ty;
use super::value::Value;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMBasicBlockRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};
use std::marker::PhantomData;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function<'m>(Value<'m>);

impl<'m> Function<'m> {
    pub(super) fn of(value: Value<'m>) -> Self {
        Function(value)
    }

    /// It as a value.
    #[must_use]
    pub fn value(self) -> Value<'m> {
        self.0
    }

    /// Its mangled name.
    #[must_use]
    pub fn name(self) -> String {
        self.0.name()
    }

    /// True where the module holds its code.
    #[must_use]
    pub fn has_body(self) -> bool {
        query!(LLVMCountBasicBlocks(self.0.raw())) != 0
    }

    /// Its function type.
    #[must_use]
    pub fn signature(self) -> Ty<'m> {
        Ty::new(query!(LLVMGlobalGetValueType(self.0.raw())))
    }

    /// True where the body is only a copy of a function that lives outside (`atoi` of glibc's headers).
    #[must_use]
    pub fn is_copy(self) -> bool {
        query!(LLVMGetLinkage(self.0.raw())) == LLVMLinkage::LLVMAvailableExternallyLinkage
    }

    /// True for a weak declaration: nothing need define it, and its address may be null. What the C library's
    /// threads offer is there always.
    #[must_use]
    pub fn may_be_missing(self) -> bool {
        let name = self.name();
        query!(LLVMGetLinkage(self.0.raw())) == LLVMLinkage::LLVMExternalWeakLinkage
            && !name.trim_start_matches('_').starts_with("pthread_")
    }

    /// Its parameters.
    #[must_use]
    pub fn params(self) -> Vec<Value<'m>> {
        let count = query!(LLVMCountParams(self.0.raw()));
        (0..count)
            .filter_map(|i| Value::new(query!(LLVMGetParam(self.0.raw(), i))))
            .collect()
    }

    /// Name of the intrinsic that it is (`llvm.memcpy`), without the types of an overload.
    #[must_use]
    pub fn intrinsic(self) -> Option<String> {
        let id = query!(LLVMGetIntrinsicID(self.0.raw()));
        if id == 0 {
            return None;
        }
        let mut length = 0;
        let start = query!(LLVMIntrinsicGetName(id, &raw mut length));
        Some(text::lent(start, length))
    }

    /// What its code may use of the processor (`+sse2,+fma`), as the compiler was told; empty where it was not.
    #[must_use]
    pub fn target_features(self) -> String {
        let name = "target-features";
        let attribute = query!(LLVMGetStringAttributeAtIndex(
            self.0.raw(),
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            u32::try_from(name.len()).unwrap_or(0)
        ));
        if attribute.is_null() {
            return String::new();
        }
        let mut length = 0;
        let start = query!(LLVMGetStringAttributeValue(attribute, &raw mut length));
        text::lent(start, length as usize)
    }

    /// Its blocks; the first is the entry.
    #[must_use]
    pub fn blocks(self) -> Vec<Block<'m>> {
        let count = query!(LLVMCountBasicBlocks(self.0.raw())) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        query!(LLVMGetBasicBlocks(self.0.raw(), raw.as_mut_ptr()));
        raw.into_iter().filter_map(Block::new).collect()
    }

    /// All instructions, block by block.
    pub fn instructions(self) -> impl Iterator<Item = Instruction<'m>> {
        self.blocks().into_iter().flat_map(Block::instructions)
    }
}

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Block<'m> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Option<Self> {
        (!raw.is_null()).then_some(Block {
            raw,
            module: PhantomData,
        })
    }

    /// Its instructions; the last is the terminator.
    pub fn instructions(self) -> impl Iterator<Item = Instruction<'m>> {
        let first = Value::new(query!(LLVMGetFirstInstruction(self.raw)));
        std::iter::successors(first, |value| {
            Value::new(query!(LLVMGetNextInstruction(value.raw())))
        })
        .map(Instruction::of)
    }

    /// How it ends.
    #[must_use]
    pub fn terminator(self) -> Option<Instruction<'m>> {
        Value::new(query!(LLVMGetBasicBlockTerminator(self.raw))).map(Instruction::of)
    }
}
