//! What an instruction of the size program does.

use crate::program::{FunctionId, Operand, Reg, Type};
use serde::{Deserialize, Serialize};

/// What an instruction does. Every `dst` is a fresh register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields are named after what the variant says")]
pub enum Op {
    /// Whole-number or floating-point arithmetic on `ty`.
    Binary {
        dst: Reg,
        ty: Type,
        op: BinaryOp,
        a: Operand,
        b: Operand,
        /// Signed overflow is undefined: where it happens, the compiled program need not wrap.
        no_wrap: bool,
    },
    /// Comparison; `dst` is `Int(1)`, `ty` the operands' type.
    Compare {
        dst: Reg,
        ty: Type,
        op: Compare,
        a: Operand,
        b: Operand,
    },
    /// Conversion.
    Cast {
        dst: Reg,
        kind: Cast,
        from: Type,
        to: Type,
        a: Operand,
    },
    /// Copy of a value (freeze, bitcast of equal kind, intrinsics that return their operand).
    Copy { dst: Reg, ty: Type, a: Operand },
    /// `condition ? a : b`.
    Select {
        dst: Reg,
        ty: Type,
        condition: Operand,
        a: Operand,
        b: Operand,
    },
    /// One-operand intrinsics and negation.
    Unary {
        dst: Reg,
        ty: Type,
        op: Unary,
        a: Operand,
    },
    /// Stack memory that lives until the function returns: `size` bytes times `count`.
    Alloca {
        dst: Reg,
        size: u64,
        count: Operand,
        align: u32,
    },
    /// Reads memory.
    Load {
        dst: Reg,
        ty: Type,
        address: Operand,
    },
    /// Writes memory.
    Store {
        ty: Type,
        value: Operand,
        address: Operand,
    },
    /// Address arithmetic: `base + constant + sum(index * scale)`; an index is a signed value of the type given.
    Offset {
        dst: Reg,
        base: Operand,
        constant: i64,
        terms: Vec<(Operand, Type, i64)>,
    },
    /// memcpy and memmove.
    MemCopy {
        to: Operand,
        from: Operand,
        bytes: Operand,
    },
    /// memset.
    MemSet {
        to: Operand,
        byte: Operand,
        bytes: Operand,
    },
    /// A call. `dst` has one register per flattened result; a call that may throw is a plain call here
    /// (its unwind edge is left out).
    Call {
        dst: Vec<Reg>,
        results: Vec<Type>,
        callee: Callee,
        args: Vec<(Operand, Type)>,
    },
    /// The call of a kernel's stub: launches `kernels[kernel]` with the pushed configuration.
    Launch { kernel: u32 },
    /// Something that has no form here; its results are unknown for this reason.
    Unsupported { dst: Vec<Reg>, what: String },
}

impl Op {
    /// Registers that it writes.
    #[must_use]
    pub fn written(&self) -> &[Reg] {
        match self {
            Op::Binary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Cast { dst, .. }
            | Op::Copy { dst, .. }
            | Op::Select { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Alloca { dst, .. }
            | Op::Load { dst, .. }
            | Op::Offset { dst, .. } => std::slice::from_ref(dst),
            Op::Call { dst, .. } | Op::Unsupported { dst, .. } => dst,
            Op::Store { .. } | Op::MemCopy { .. } | Op::MemSet { .. } | Op::Launch { .. } => &[],
        }
    }
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Callee {
    /// A function with a body.
    Function(FunctionId),
    /// A function outside, by its (mangled) name: libc, libstdc++, CUDA.
    External(String),
    /// Through a pointer.
    Indirect(Operand),
}

/// Two-operand arithmetic; `F` ones are floating-point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the LLVM instructions")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    FMin,
    FMax,
    CopySign,
    Pow,
}

/// One-operand operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the LLVM intrinsics")]
pub enum Unary {
    FNeg,
    FAbs,
    Sqrt,
    Ceil,
    Floor,
    Trunc,
    Round,
    RoundEven,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    /// Absolute value of a signed integer.
    Abs,
    /// Leading zeros.
    Ctlz,
    /// Trailing zeros.
    Cttz,
    /// Set bits.
    Ctpop,
    /// Bytes in reverse order.
    Bswap,
}

/// Comparisons. Float ones: `O` is false with a NaN, `U` is true with a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the LLVM predicates")]
pub enum Compare {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    FUEq,
    FUNe,
    FULt,
    FULe,
    FUGt,
    FUGe,
    FOrd,
    FUno,
    FTrue,
    FFalse,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cast {
    /// Zero-extension, truncation, pointer to integer and back, bitcast between kinds: bits cut to `to`.
    Bits,
    /// Sign extension.
    Sext,
    /// Unsigned integer to float.
    UToF,
    /// Signed integer to float.
    SToF,
    /// Float to unsigned integer.
    FToU,
    /// Float to signed integer.
    FToS,
    /// Between float widths.
    FToF,
}
