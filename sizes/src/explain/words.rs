//! Names of values, constants and operators as people write them.

use super::definition::{Definition, definition};
use crate::assumed::MODEL;
use crate::report::people_name;
use migfit_schema::program::{
    Callee, Compare, Function, FunctionId, Op, Operand, Reg, SizeProgram, Type, Unary,
};

/// The source's name of a register.
pub fn source_name(function: &Function, register: Reg) -> Option<&str> {
    let mut names = function.names.iter();
    let found = names.find(|(known, _)| *known == register);
    found.map(|(_, name)| name.as_str())
}

/// A register's name: the source's, else one that tells where it comes from.
pub fn name(program: &SizeProgram, id: FunctionId, register: Reg) -> String {
    let Some(function) = program.functions.get(id as usize) else {
        return format!("v{register}");
    };
    if let Some(name) = source_name(function, register) {
        return name.to_owned();
    }
    match definition(function, register) {
        Some(Definition::Op(Op::Load { address, .. }, ..)) => match address {
            Operand::Global(id, 0) => global(program, *id),
            Operand::Reg(variable) => {
                let named = source_name(function, *variable);
                named.map_or_else(|| format!("v{register}"), str::to_owned)
            }
            _ => format!("v{register}"),
        },
        Some(Definition::Op(Op::Call { callee, args, .. }, ..)) => match (callee, args.first()) {
            (Callee::External(called), Some((Operand::Reg(assumed), _))) if called == MODEL => {
                name(program, id, *assumed)
            }
            (Callee::External(called), _) => format!("{}()", people_name(called)),
            (Callee::Function(called), _) => {
                let called = program.functions.get(*called as usize);
                let called = called.map(|called| format!("{}()", people_name(&called.name)));
                called.unwrap_or_else(|| format!("v{register}"))
            }
            (Callee::Indirect(_), _) => format!("v{register}"),
        },
        _ => format!("v{register}"),
    }
}

/// A global variable's name.
pub fn global(program: &SizeProgram, id: u32) -> String {
    let global = program.globals.get(id as usize);
    global.map_or_else(
        || format!("global {id}"),
        |global| people_name(&global.name),
    )
}

/// A constant of a type, as people write it.
pub fn constant(bits: u64, ty: Type) -> String {
    match ty {
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::Int(_) => {
            signed(bits, ty).map_or_else(|| bits.to_string(), |value| value.to_string())
        }
        Type::Ptr => format!("{bits:#x}"),
    }
}

/// The signed value of an integer's bits; a truth value is 0 or 1.
pub fn signed(bits: u64, ty: Type) -> Option<i64> {
    match ty {
        Type::Int(1) => Some(i64::from(bits & 1 == 1)),
        Type::Int(width) => {
            let shift = 64 - u32::from(width.clamp(1, 64));
            Some((bits << shift).cast_signed() >> shift)
        }
        Type::F32 | Type::F64 | Type::Ptr => None,
    }
}

/// The sign of a comparison.
pub fn comparison(op: Compare) -> &'static str {
    use Compare as C;
    match op {
        C::Eq | C::FOEq | C::FUEq => "==",
        C::Ne | C::FONe | C::FUNe => "!=",
        C::ULt | C::SLt | C::FOLt | C::FULt => "<",
        C::ULe | C::SLe | C::FOLe | C::FULe => "<=",
        C::UGt | C::SGt | C::FOGt | C::FUGt => ">",
        C::UGe | C::SGe | C::FOGe | C::FUGe => ">=",
        C::FOrd => "comparable with",
        C::FUno => "not comparable with",
        C::FTrue => "or not",
        C::FFalse => "never",
    }
}

/// The name of an operation on one value.
pub fn unary(op: Unary) -> &'static str {
    match op {
        Unary::FNeg => "-",
        Unary::FAbs | Unary::Abs => "abs",
        Unary::Sqrt => "sqrt",
        Unary::Ceil => "ceil",
        Unary::Floor => "floor",
        Unary::Trunc => "trunc",
        Unary::Round => "round",
        Unary::RoundEven => "rint",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Log => "log",
        Unary::Log2 => "log2",
        Unary::Log10 => "log10",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Ctlz => "leading_zeros",
        Unary::Cttz => "trailing_zeros",
        Unary::Ctpop => "set_bits",
        Unary::Bswap => "swapped_bytes",
    }
}
