//! Names of types and operands, as a listing shows them.

use migfit_schema::program::{Operand, SizeProgram, Type};

/// Adds a line.
pub(super) fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// A function's mangled name.
pub(super) fn function_name(program: &SizeProgram, id: u32) -> String {
    match program.functions.get(id as usize) {
        Some(function) => format!("@{}", function.name),
        None => format!("@?{id}"),
    }
}

/// An operand outside any function.
pub(super) fn address(program: &SizeProgram, operand: Operand) -> String {
    match operand {
        Operand::Reg(register) => format!("r{register}"),
        Operand::Const(bits) => bits.to_string(),
        Operand::Global(id, 0) => format!("g{id}"),
        Operand::Global(id, offset) => format!("g{id}{offset:+}"),
        Operand::Function(id) => function_name(program, id),
        Operand::Undef => "undef".to_owned(),
    }
}

/// A type.
pub(super) fn type_name(ty: Type) -> String {
    match ty {
        Type::Int(width) => format!("i{width}"),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        Type::Ptr => "ptr".to_owned(),
    }
}

/// Types with commas between.
pub(super) fn type_names(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(|ty| type_name(*ty)).collect();
    names.join(", ")
}

/// An operation's name in lower case.
pub(super) fn word(op: &impl std::fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}
