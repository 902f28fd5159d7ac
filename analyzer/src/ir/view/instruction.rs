//! Instructions and what each kind carries beside its operands.

use super::function::Block;
use super::metadata::Location;
use super::types::Ty;
use super::value::Value;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::{
    LLVMAtomicRMWBinOp, LLVMAttributeIndex, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate,
};

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction<'m>(Value<'m>);

impl<'m> Instruction<'m> {
    pub(super) fn of(value: Value<'m>) -> Self {
        Instruction(value)
    }

    /// Its result.
    #[must_use]
    pub fn value(self) -> Value<'m> {
        self.0
    }

    /// Type of its result.
    #[must_use]
    pub fn ty(self) -> Ty<'m> {
        self.0.ty()
    }

    /// What it does.
    #[must_use]
    pub fn opcode(self) -> LLVMOpcode {
        query!(LLVMGetInstructionOpcode(self.0.raw()))
    }

    /// One operand. `None` past the last.
    #[must_use]
    pub fn operand(self, index: u32) -> Option<Value<'m>> {
        if index >= self.operand_count() {
            return None;
        }
        Value::new(query!(LLVMGetOperand(self.0.raw(), index)))
    }

    /// How many operands it has, blocks and the callee included.
    #[must_use]
    pub fn operand_count(self) -> u32 {
        u32::try_from(query!(LLVMGetNumOperands(self.0.raw()))).unwrap_or(0)
    }

    /// Whether signed overflow of its arithmetic is undefined (`nsw`); false where it has no such mark.
    #[must_use]
    pub fn no_signed_wrap(self) -> bool {
        use LLVMOpcode::*;
        matches!(self.opcode(), LLVMAdd | LLVMSub | LLVMMul | LLVMShl)
            && query!(LLVMGetNSW(self.0.raw())) != 0
    }

    /// Whether it may be reckoned more loosely than IEEE 754 says (`fast`, `contract`, `reassoc`, ...).
    #[must_use]
    pub fn is_loose(self) -> bool {
        query!(LLVMCanValueUseFastMathFlags(self.0.raw())) != 0
            && query!(LLVMGetFastMathFlags(self.0.raw())) != 0
    }

    /// Where it stands in the source.
    #[must_use]
    pub fn location(self) -> Option<Location<'m>> {
        Location::new(query!(LLVMInstructionGetDebugLoc(self.0.raw())))
    }

    /// Blocks that control may go on at; of a terminator only.
    #[must_use]
    pub fn successors(self) -> Vec<Block<'m>> {
        let count = query!(LLVMGetNumSuccessors(self.0.raw()));
        (0..count)
            .filter_map(|i| Block::new(query!(LLVMGetSuccessor(self.0.raw(), i))))
            .collect()
    }

    /// Condition of a branch; none of an unconditional one. Of a `br` only.
    #[must_use]
    pub fn condition(self) -> Option<Value<'m>> {
        if query!(LLVMIsConditional(self.0.raw())) == 0 {
            return None;
        }
        Value::new(query!(LLVMGetCondition(self.0.raw())))
    }

    /// (predecessor, value) of a phi.
    #[must_use]
    pub fn incoming(self) -> Vec<(Block<'m>, Value<'m>)> {
        let raw = self.0.raw();
        (0..query!(LLVMCountIncoming(raw)))
            .filter_map(|i| {
                let block = Block::new(query!(LLVMGetIncomingBlock(raw, i)))?;
                let value = Value::new(query!(LLVMGetIncomingValue(raw, i)))?;
                Some((block, value))
            })
            .collect()
    }

    /// Predicate of an `icmp`.
    #[must_use]
    pub fn int_predicate(self) -> LLVMIntPredicate {
        query!(LLVMGetICmpPredicate(self.0.raw()))
    }

    /// Predicate of an `fcmp`.
    #[must_use]
    pub fn float_predicate(self) -> LLVMRealPredicate {
        query!(LLVMGetFCmpPredicate(self.0.raw()))
    }

    /// Operation of an `atomicrmw`.
    #[must_use]
    pub fn atomic_operation(self) -> LLVMAtomicRMWBinOp {
        query!(LLVMGetAtomicRMWBinOp(self.0.raw()))
    }

    /// Path of an `extractvalue` or `insertvalue`.
    #[must_use]
    pub fn indices(self) -> Vec<u32> {
        let count = query!(LLVMGetNumIndices(self.0.raw())) as usize;
        let start = query!(LLVMGetIndices(self.0.raw()));
        if start.is_null() {
            return Vec::new();
        }
        // SAFETY: LLVM keeps as many indices behind this pointer as it counted just before.
        unsafe { std::slice::from_raw_parts(start, count) }.to_vec()
    }

    /// Lanes that a `shufflevector` picks; `None` for one that may be anything.
    #[must_use]
    pub fn mask(self) -> Vec<Option<usize>> {
        let raw = self.0.raw();
        (0..query!(LLVMGetNumMaskElements(raw)))
            .map(|i| usize::try_from(query!(LLVMGetMaskValue(raw, i))).ok())
            .collect()
    }

    /// Type that an `alloca` makes room for.
    #[must_use]
    pub fn allocated(self) -> Ty<'m> {
        Ty::new(query!(LLVMGetAllocatedType(self.0.raw())))
    }

    /// Alignment of an `alloca` in bytes.
    #[must_use]
    pub fn align(self) -> u32 {
        query!(LLVMGetAlignment(self.0.raw()))
    }

    /// Called value of a `call` or `invoke`.
    #[must_use]
    pub fn callee(self) -> Option<Value<'m>> {
        Value::new(query!(LLVMGetCalledValue(self.0.raw())))
    }

    /// Arguments of a `call` or `invoke`, those behind `...` included.
    #[must_use]
    pub fn arguments(self) -> Vec<Value<'m>> {
        let raw = self.0.raw();
        (0..query!(LLVMGetNumArgOperands(raw)))
            .filter_map(|i| Value::new(query!(LLVMGetOperand(raw, i))))
            .collect()
    }

    /// Type of an argument that is passed by copy (`byval`), by its place from 0.
    #[must_use]
    pub fn by_value(self, argument: u32) -> Option<Ty<'m>> {
        let name = "byval";
        let kind = query!(LLVMGetEnumAttributeKindForName(
            name.as_ptr().cast(),
            name.len()
        ));
        // Places count the result as 0, so the first argument is 1.
        let place: LLVMAttributeIndex = argument + 1;
        let attribute = query!(LLVMGetCallSiteEnumAttribute(self.0.raw(), place, kind));
        (!attribute.is_null()).then(|| Ty::new(query!(LLVMGetTypeAttributeValue(attribute))))
    }
}

/// Address arithmetic (`getelementptr`), an instruction or a constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressArithmetic<'m>(Value<'m>);

impl<'m> AddressArithmetic<'m> {
    /// A view of a value that is known to be a `getelementptr`.
    pub(crate) fn of(value: Value<'m>) -> Self {
        AddressArithmetic(value)
    }

    /// Address it starts from.
    #[must_use]
    pub fn base(self) -> Option<Value<'m>> {
        Value::new(query!(LLVMGetOperand(self.0.raw(), 0)))
    }

    /// Type that the first index steps over.
    #[must_use]
    pub fn element(self) -> Ty<'m> {
        Ty::new(query!(LLVMGetGEPSourceElementType(self.0.raw())))
    }

    /// Its indices in order.
    #[must_use]
    pub fn indices(self) -> Vec<Value<'m>> {
        let raw = self.0.raw();
        let count = u32::try_from(query!(LLVMGetNumOperands(raw))).unwrap_or(0);
        (1..count)
            .filter_map(|i| Value::new(query!(LLVMGetOperand(raw, i))))
            .collect()
    }
}
