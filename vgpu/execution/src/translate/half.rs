//! Arithmetic, comparisons and conversions of 16-bit floating-point numbers, one or two in a word: calls of ours.

use super::float::rounding;
use super::function::{Done, Translation, clif, refuse};
use crate::half::{self, Operation, flag};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

/// Whether a type is of 16-bit floating-point numbers.
pub fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2)
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::Bf16x2)
}

fn is_bf16(ty: Type) -> bool {
    matches!(ty, Type::Bf16 | Type::Bf16x2)
}

/// The format as a called function is told it.
fn format(ty: Type) -> u32 {
    let format = if is_bf16(ty) { flag::BF16 } else { 0 };
    let pair = if is_pair(ty) { flag::PAIR } else { 0 };
    format | pair
}

/// What the called function is told: the format, and the instruction's modifiers.
fn code(instruction: &Instruction, ty: Type) -> u32 {
    let words = [
        ("relu", flag::RELU),
        ("sat", flag::SATURATE),
        ("ftz", flag::FLUSH),
        ("NaN", flag::NAN),
        ("satfinite", flag::FINITE),
    ];
    let said = words.iter().filter(|(word, _)| instruction.has(word));
    said.fold(format(ty), |code, (_, flag)| code | flag)
}

impl Translation<'_, '_, '_> {
    /// Arithmetic of one result.
    pub fn half_operation(&mut self, instruction: &Instruction, args: &[Arg], ty: Type) -> Done {
        let [to, operands @ ..] = args else {
            return refuse(instruction.name());
        };
        let directed = rounding(instruction).is_some();
        let operation = Operation::named(&instruction.opcode, operands.len());
        let (Some(operation), false, false) = (operation, directed, instruction.has("xorsign"))
        else {
            return refuse(instruction.name());
        };
        let mut values = Vec::new();
        for operand in operands {
            values.push(self.read(operand, ty)?);
        }
        let value = self.half_call(code(instruction, ty) | operation as u32, &values, ty);
        self.write(to, ty, value)
    }

    /// The sum that an atomic operation writes.
    pub fn half_sum(&mut self, a: Value, b: Value, ty: Type) -> Value {
        self.half_call(format(ty) | Operation::Add as u32, &[a, b], ty)
    }

    fn half_call(&mut self, code: u32, values: &[Value], ty: Type) -> Value {
        let mut words = vec![self.integer(types::I32, u64::from(code))];
        for value in values {
            words.push(self.fit(*value, types::I32, false));
        }
        while words.len() < 4 {
            words.push(self.integer(types::I32, 0));
        }
        let value = self.call_math(half::operate as *const (), &words, Some(types::I32));
        self.fit(value, clif(ty), false)
    }

    /// A number in single precision, from the low 16 bits of a value.
    pub fn half_widened(&mut self, bits: Value, ty: Type) -> Value {
        let bits = self.fit(bits, types::I32, false);
        if is_bf16(ty) {
            let upper = self.build.ins().ishl_imm_u(bits, 16);
            return self.fit(upper, types::F32, false);
        }
        let code = self.integer(types::I32, 0);
        self.call_math(half::widened as *const (), &[code, bits], Some(types::F32))
    }

    /// Both numbers of a word in single precision, the lower one first; of one number, that one.
    pub fn half_lanes(&mut self, arg: &Arg, ty: Type) -> Done<Vec<Value>> {
        let word = self.read(arg, ty)?;
        let low = self.half_widened(word, ty);
        if !is_pair(ty) {
            return Ok(vec![low]);
        }
        let upper = self.build.ins().ushr_imm_u(word, 16);
        Ok(vec![low, self.half_widened(upper, ty)])
    }

    /// A number of single or double precision in a format of 16 bits.
    pub fn half_narrowed(&mut self, instruction: &Instruction, value: Value, ty: Type) -> Value {
        let value = match self.build.func.dfg.value_type(value) {
            types::F32 => self.build.ins().fpromote(types::F64, value),
            _ => value,
        };
        let code = code(instruction, ty) & !flag::FLUSH;
        let code = self.integer(types::I32, u64::from(code));
        let rounding = u64::from(rounding(instruction).unwrap_or(0));
        let rounding = self.integer(types::I32, rounding);
        let args = [code, value, rounding];
        self.call_math(half::convert as *const (), &args, Some(types::I32))
    }

    /// `cvt` of two numbers into one word: the first operand becomes the upper half.
    pub fn half_pair(&mut self, instruction: &Instruction, args: &[Arg], ty: Type) -> Done {
        let [to, upper, lower] = args else {
            return refuse(instruction.name());
        };
        let flush = instruction.has("ftz");
        let (upper, lower) = (
            self.read_float(upper, Type::F32, flush)?,
            self.read_float(lower, Type::F32, flush)?,
        );
        let (upper, lower) = (
            self.half_narrowed(instruction, upper, ty),
            self.half_narrowed(instruction, lower, ty),
        );
        let upper = self.build.ins().ishl_imm_u(upper, 16);
        let word = self.build.ins().bor(upper, lower);
        self.write(to, ty, word)
    }

    /// A 64-bit integer in double precision, so that rounding it once more rounds as once.
    pub fn half_integer(&mut self, value: Value, signed: bool) -> Value {
        let signed = self.integer(types::I32, signed.into());
        let args = [value, signed];
        self.call_math(half::integer as *const (), &args, Some(types::F64))
    }
}
