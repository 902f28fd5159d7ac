//! Constants: numbers, aggregates, addresses of globals and functions, constant expressions.

use super::function::Function;
use super::instruction::AddressArithmetic;
use super::text;
use super::types::{Ty, TyKind};
use super::value::{Value, ValueKind};
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMValueKind};

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant<'m>(Value<'m>);

/// What a constant is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantKind<'m> {
    /// A whole number of at most 64 bits, zero-extended.
    Int(u64),
    /// `float` or `double` by its bits.
    Float(u64),
    /// Null, zero of any type.
    Zero,
    /// Any value does.
    Undefined,
    /// Structure, array or vector: ask `element`.
    Aggregate,
    /// A global variable.
    Global(Global<'m>),
    /// A function.
    Function(Function<'m>),
    /// Another name of a constant.
    Alias(Value<'m>),
    /// An expression.
    Expression(Expression<'m>),
    /// A constant that has no form here, by name.
    Other(&'static str),
}

/// A constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expression<'m> {
    /// Address arithmetic.
    Address(AddressArithmetic<'m>),
    /// A cast that keeps the bits, cuts them or adds zeros: pointer to pointer, pointer to integer and back.
    Cast(Value<'m>),
    /// Arithmetic on whole numbers.
    Binary(LLVMOpcode, Value<'m>, Value<'m>),
    /// An expression that has no form here.
    Other,
}

impl<'m> Constant<'m> {
    pub(super) fn of(value: Value<'m>) -> Self {
        Constant(value)
    }

    /// Its type.
    #[must_use]
    pub fn ty(self) -> Ty<'m> {
        self.0.ty()
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> ConstantKind<'m> {
        use LLVMValueKind::*;
        let raw = self.0.raw();
        match query!(LLVMGetValueKind(raw)) {
            LLVMUndefValueValueKind | LLVMPoisonValueKind => ConstantKind::Undefined,
            LLVMFunctionValueKind => ConstantKind::Function(Function::of(self.0)),
            LLVMGlobalVariableValueKind => ConstantKind::Global(Global(self.0)),
            LLVMGlobalAliasValueKind => match Value::new(query!(LLVMAliasGetAliasee(raw))) {
                Some(aliasee) => ConstantKind::Alias(aliasee),
                None => ConstantKind::Other("alias of nothing"),
            },
            LLVMConstantIntValueKind => self.int(),
            LLVMConstantFPValueKind => self.float(),
            LLVMConstantPointerNullValueKind | LLVMConstantAggregateZeroValueKind => {
                ConstantKind::Zero
            }
            LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => ConstantKind::Aggregate,
            LLVMConstantExprValueKind => ConstantKind::Expression(self.expression()),
            LLVMBlockAddressValueKind => ConstantKind::Other("address of a block"),
            LLVMGlobalIFuncValueKind => ConstantKind::Other("function chosen at load time"),
            _ => ConstantKind::Other("constant of a kind without form"),
        }
    }

    fn int(self) -> ConstantKind<'m> {
        match self.ty().kind() {
            TyKind::Int(width) if width <= 64 => {
                ConstantKind::Int(query!(LLVMConstIntGetZExtValue(self.0.raw())))
            }
            _ => ConstantKind::Other("integer wider than 64 bits"),
        }
    }

    fn float(self) -> ConstantKind<'m> {
        let mut inexact = 0;
        let value = query!(LLVMConstRealGetDouble(self.0.raw(), &raw mut inexact));
        match self.ty().kind() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "LLVM widened it from a float"
            )]
            TyKind::Float => ConstantKind::Float(u64::from((value as f32).to_bits())),
            TyKind::Double => ConstantKind::Float(value.to_bits()),
            _ => ConstantKind::Other("float of a kind without form"),
        }
    }

    fn expression(self) -> Expression<'m> {
        let raw = self.0.raw();
        let operand = |i| Value::new(query!(LLVMGetOperand(raw, i)));
        match (query!(LLVMGetConstOpcode(raw)), operand(0), operand(1)) {
            (LLVMOpcode::LLVMGetElementPtr, ..) => {
                Expression::Address(AddressArithmetic::of(self.0))
            }
            (
                LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMPtrToInt
                | LLVMOpcode::LLVMIntToPtr,
                Some(from),
                _,
            ) => Expression::Cast(from),
            (opcode, Some(a), Some(b)) => Expression::Binary(opcode, a, b),
            _ => Expression::Other,
        }
    }

    /// Element of a structure, array or vector.
    #[must_use]
    pub fn element(self, index: u32) -> Option<Value<'m>> {
        Value::new(query!(LLVMGetAggregateElement(self.0.raw(), index)))
    }

    /// Bytes of an array of `i8`, read at once.
    #[must_use]
    pub fn bytes(self) -> Option<Vec<u8>> {
        let raw = self.0.raw();
        let is_data =
            query!(LLVMGetValueKind(raw)) == LLVMValueKind::LLVMConstantDataArrayValueKind;
        if !is_data || query!(LLVMIsConstantString(raw)) == 0 {
            return None;
        }
        let mut length = 0;
        let start = query!(LLVMGetAsString(raw, &raw mut length));
        // SAFETY: LLVM returned this start and length together; the constant outlives this copy.
        let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
        Some(bytes.to_vec())
    }

    /// The function that it is, looking through aliases and casts.
    #[must_use]
    pub fn as_function(self) -> Option<Function<'m>> {
        match self.kind() {
            ConstantKind::Function(function) => Some(function),
            ConstantKind::Alias(value) | ConstantKind::Expression(Expression::Cast(value)) => {
                value.as_function()
            }
            _ => None,
        }
    }

    /// The text up to its zero byte, when it is the address of a constant string.
    #[must_use]
    pub fn as_text(self) -> Option<String> {
        let ConstantKind::Global(global) = self.kind() else {
            return None;
        };
        let bytes = global.initialiser()?.bytes()?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(bytes.get(..end)?).into_owned())
    }
}

/// A global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Global<'m>(Value<'m>);

impl<'m> Global<'m> {
    /// Its mangled name.
    #[must_use]
    pub fn name(self) -> String {
        self.0.name()
    }

    /// Type of what it holds.
    #[must_use]
    pub fn content(self) -> Ty<'m> {
        Ty::new(query!(LLVMGlobalGetValueType(self.0.raw())))
    }

    /// Its initial value; none where it is defined outside the module.
    #[must_use]
    pub fn initialiser(self) -> Option<Constant<'m>> {
        match Value::new(query!(LLVMGetInitializer(self.0.raw())))?.kind() {
            ValueKind::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// True where the program never writes it.
    #[must_use]
    pub fn is_constant(self) -> bool {
        query!(LLVMIsGlobalConstant(self.0.raw())) != 0
    }

    /// Alignment in bytes that the module asks for; 0 where it does not.
    #[must_use]
    pub fn align(self) -> u32 {
        query!(LLVMGetAlignment(self.0.raw()))
    }

    /// True for LLVM's own arrays such as the list of constructors.
    #[must_use]
    pub fn is_appending(self) -> bool {
        query!(LLVMGetLinkage(self.0.raw())) == LLVMLinkage::LLVMAppendingLinkage
    }
}

impl std::fmt::Display for Constant<'_> {
    /// As LLVM writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text::given(query!(LLVMPrintValueToString(self.0.raw()))))
    }
}
