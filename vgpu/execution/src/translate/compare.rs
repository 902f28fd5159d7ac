//! Comparisons.

use super::function::{Done, Translation, clif, refuse};
use super::moves::two_types;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// `setp`, with one result or it and its opposite, and `set`.
    pub fn compare(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let is_set = instruction.opcode == "set";
        let (result, ty) = match is_set {
            true => two_types(instruction)?,
            false => (Type::Pred, super::moves::one_type(instruction)?),
        };
        let (to, a, b, more) = match args {
            [to, a, b] => (to, a, b, None),
            [to, a, b, more] => (to, a, b, Some(more)),
            _ => return refuse("operands"),
        };
        if matches!(ty, Type::F16x2 | Type::Bf16x2) {
            return self.compare_pairs(instruction, args, result, ty);
        }
        let relation = instruction.modifiers.first().map_or("", String::as_str);
        let found = self.relation(relation, a, b, ty, instruction.has("ftz"))?;
        let joined = instruction.modifiers.get(1).map_or("", String::as_str);
        let value = self.joined(joined, found, more)?;
        if is_set {
            return self.write_set(to, result, value);
        }
        match to {
            Arg::Pair(yes, no) => {
                let opposite = self.build.ins().bxor_imm_u(found, 1);
                let opposite = self.joined(joined, opposite, more)?;
                self.write(yes, Type::Pred, value)?;
                self.write(no, Type::Pred, opposite)
            }
            to => self.write(to, Type::Pred, value),
        }
    }

    /// Compares both numbers of two words: two predicates, or a word of two results.
    fn compare_pairs(
        &mut self,
        instruction: &Instruction,
        args: &[Arg],
        result: Type,
        ty: Type,
    ) -> Done {
        let relation = instruction.modifiers.first().map_or("", String::as_str);
        let (Some(condition), [to, a, b]) = (float_relation(relation), args) else {
            return refuse(instruction.name());
        };
        let (a, b) = (self.half_lanes(a, ty)?, self.half_lanes(b, ty)?);
        let lanes = a.into_iter().zip(b);
        let found: Vec<_> = lanes
            .map(|(a, b)| self.build.ins().fcmp(condition, a, b))
            .collect();
        let &[low, high] = found.as_slice() else {
            return refuse(instruction.name());
        };
        if let Arg::Pair(first, second) = to {
            self.write(first, Type::Pred, low)?;
            return self.write(second, Type::Pred, high);
        }
        let true_bits = match result {
            Type::F16x2 => 0x3c00,
            Type::Bf16x2 => 0x3f80,
            _ => 0xffff,
        };
        let zero = self.integer(types::I32, 0);
        let (yes, upper) = (
            self.integer(types::I32, true_bits),
            self.integer(types::I32, true_bits << 16),
        );
        let low = self.build.ins().select(low, yes, zero);
        let high = self.build.ins().select(high, upper, zero);
        let word = self.build.ins().bor(high, low);
        self.write(to, result, word)
    }

    fn joined(&mut self, how: &str, found: Value, more: Option<&Arg>) -> Done<Value> {
        let Some(more) = more else {
            return Ok(found);
        };
        let more = self.read(more, Type::Pred)?;
        Ok(match how {
            "and" => self.build.ins().band(found, more),
            "or" => self.build.ins().bor(found, more),
            "xor" => self.build.ins().bxor(found, more),
            _ => return refuse(how),
        })
    }

    /// All bits, or 1.0, where it holds.
    fn write_set(&mut self, to: &Arg, ty: Type, value: Value) -> Done {
        let value = if ty == Type::F32 {
            let (one, zero) = (
                self.build.ins().f32const(1.0),
                self.build.ins().f32const(0.0),
            );
            self.build.ins().select(value, one, zero)
        } else if matches!(ty, Type::F16 | Type::Bf16) {
            let one = if ty == Type::F16 { 0x3c00 } else { 0x3f80 };
            let (one, zero) = (self.integer(types::I16, one), self.integer(types::I16, 0));
            self.build.ins().select(value, one, zero)
        } else {
            let wide = self.fit(value, clif(ty), false);
            self.build.ins().ineg(wide)
        };
        self.write(to, ty, value)
    }

    fn relation(&mut self, relation: &str, a: &Arg, b: &Arg, ty: Type, flush: bool) -> Done<Value> {
        if ty.is_float() {
            let (a, b) = (
                self.read_float(a, ty, flush)?,
                self.read_float(b, ty, flush)?,
            );
            let Some(condition) = float_relation(relation) else {
                return refuse(relation);
            };
            return Ok(self.build.ins().fcmp(condition, a, b));
        }
        let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
        match int_relation(relation, ty.is_signed()) {
            Some(condition) => Ok(self.build.ins().icmp(condition, a, b)),
            None => refuse(relation),
        }
    }
}

fn int_relation(name: &str, signed: bool) -> Option<IntCC> {
    Some(match (name, signed) {
        ("eq", _) => IntCC::Equal,
        ("ne", _) => IntCC::NotEqual,
        ("lt", true) => IntCC::SignedLessThan,
        ("le", true) => IntCC::SignedLessThanOrEqual,
        ("gt", true) => IntCC::SignedGreaterThan,
        ("ge", true) => IntCC::SignedGreaterThanOrEqual,
        ("lt" | "lo", _) => IntCC::UnsignedLessThan,
        ("le" | "ls", _) => IntCC::UnsignedLessThanOrEqual,
        ("gt" | "hi", _) => IntCC::UnsignedGreaterThan,
        ("ge" | "hs", _) => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

fn float_relation(name: &str) -> Option<FloatCC> {
    Some(match name {
        "eq" => FloatCC::Equal,
        // "Not equal" holds of no NaN, "unordered or not equal" of each.
        "ne" => FloatCC::OrderedNotEqual,
        "lt" => FloatCC::LessThan,
        "le" => FloatCC::LessThanOrEqual,
        "gt" => FloatCC::GreaterThan,
        "ge" => FloatCC::GreaterThanOrEqual,
        "equ" => FloatCC::UnorderedOrEqual,
        "neu" => FloatCC::NotEqual,
        "ltu" => FloatCC::UnorderedOrLessThan,
        "leu" => FloatCC::UnorderedOrLessThanOrEqual,
        "gtu" => FloatCC::UnorderedOrGreaterThan,
        "geu" => FloatCC::UnorderedOrGreaterThanOrEqual,
        "num" => FloatCC::Ordered,
        "nan" => FloatCC::Unordered,
        _ => return None,
    })
}
