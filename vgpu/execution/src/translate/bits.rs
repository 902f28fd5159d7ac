//! Bits: logic, shifts, fields, counts.

use super::function::{Done, Translation, clif, refuse};
use super::moves::one_type;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::literal::Literal;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// An operation on bits.
    pub fn bit_operation(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let ty = one_type(instruction)?;
        match (instruction.opcode.as_str(), args) {
            (opcode @ ("and" | "or" | "xor"), [to, a, b]) => {
                let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
                let value = match opcode {
                    "and" => self.build.ins().band(a, b),
                    "or" => self.build.ins().bor(a, b),
                    _ => self.build.ins().bxor(a, b),
                };
                self.write(to, ty, value)
            }
            ("not", [to, a]) => {
                let a = self.read(a, ty)?;
                let value = match ty {
                    Type::Pred => self.build.ins().bxor_imm_u(a, 1),
                    _ => self.build.ins().bnot(a),
                };
                self.write(to, ty, value)
            }
            ("cnot", [to, a]) => {
                let a = self.read(a, ty)?;
                let zero = self.build.ins().icmp_imm_u(IntCC::Equal, a, 0);
                let value = self.fit(zero, clif(ty), false);
                self.write(to, ty, value)
            }
            (opcode @ ("shl" | "shr"), [to, a, b]) => {
                let (a, b) = (self.read(a, ty)?, self.read(b, Type::U32)?);
                let value = self.shifted(a, b, ty, opcode == "shl");
                self.write(to, ty, value)
            }
            ("shf", [to, low, high, by]) => self.funnel(instruction, to, [low, high, by]),
            ("popc" | "clz", [to, a]) => {
                let a = self.read(a, ty)?;
                let count = match instruction.opcode.as_str() {
                    "popc" => self.build.ins().popcnt(a),
                    _ => self.build.ins().clz(a),
                };
                let value = self.fit(count, types::I32, false);
                self.write(to, Type::U32, value)
            }
            ("brev", [to, a]) => {
                let a = self.read(a, ty)?;
                let value = self.build.ins().bitrev(a);
                self.write(to, ty, value)
            }
            ("bfind", [to, a]) => self.highest_bit(instruction, to, a, ty),
            ("bfe", [to, a, start, length]) => self.extract(to, [a, start, length], ty),
            ("bfi", [to, a, b, start, length]) => self.insert(to, [a, b, start, length], ty),
            ("lop3", [to, a, b, c, Arg::Number(table)]) if !matches!(to, Arg::Pair(..)) => {
                self.logic(to, [a, b, c], *table)
            }
            ("prmt", [to, a, b, select]) => self.permute(instruction, to, [a, b, select]),
            _ => refuse(instruction.name()),
        }
    }

    /// A shift by 32 bits or more is no smaller shift: it leaves nothing, or the sign.
    fn shifted(&mut self, a: Value, by: Value, ty: Type, left: bool) -> Value {
        let bits = i64::from(clif(ty).bits());
        let far = self
            .build
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, by, bits);
        if ty.is_signed() && !left {
            let most = self.build.ins().iconst(types::I32, bits - 1);
            let by = self.build.ins().umin(by, most);
            return self.build.ins().sshr(a, by);
        }
        let near = match left {
            true => self.build.ins().ishl(a, by),
            false => self.build.ins().ushr(a, by),
        };
        let nothing = self.integer(clif(ty), 0);
        self.build.ins().select(far, nothing, near)
    }

    fn funnel(&mut self, instruction: &Instruction, to: &Arg, [low, high, by]: [&Arg; 3]) -> Done {
        let (low, high) = (self.read(low, Type::B32)?, self.read(high, Type::B32)?);
        let by = self.read(by, Type::U32)?;
        let by = if instruction.has("clamp") {
            let most = self.build.ins().iconst(types::I32, 32);
            self.build.ins().umin(by, most)
        } else {
            self.build.ins().band_imm_u(by, 31)
        };
        let (low, high) = (
            self.fit(low, types::I64, false),
            self.fit(high, types::I64, false),
        );
        let high = self.build.ins().ishl_imm_u(high, 32);
        let both = self.build.ins().bor(high, low);
        let value = if instruction.has("l") {
            let up = self.build.ins().ishl(both, by);
            self.build.ins().ushr_imm_u(up, 32)
        } else {
            self.build.ins().ushr(both, by)
        };
        // Shifted left by 32 in 64 bits, the low word is the upper half: as it must be.
        let value = self.fit(value, types::I32, false);
        self.write(to, Type::B32, value)
    }

    fn highest_bit(&mut self, instruction: &Instruction, to: &Arg, a: &Arg, ty: Type) -> Done {
        let mut a = self.read(a, ty)?;
        let bits = i64::from(clif(ty).bits());
        if ty.is_signed() {
            // Of a negative number the highest zero is meant.
            let sign = self.build.ins().sshr_imm_u(a, bits - 1);
            a = self.build.ins().bxor(a, sign);
        }
        let zeros = self.build.ins().clz(a);
        let zeros = self.fit(zeros, types::I32, false);
        let most = self.build.ins().iconst(types::I32, bits - 1);
        let place = self.build.ins().isub(most, zeros);
        let value = if instruction.has("shiftamt") {
            let none = self.build.ins().icmp_imm_u(IntCC::Equal, a, 0);
            let minus = self.integer(types::I32, u64::MAX);
            self.build.ins().select(none, minus, zeros)
        } else {
            place
        };
        self.write(to, Type::U32, value)
    }

    /// Bits of a position or length that count: the lowest eight.
    fn small(&mut self, arg: &Arg) -> Done<Value> {
        let value = self.read(arg, Type::U32)?;
        Ok(self.build.ins().band_imm_u(value, 255))
    }

    fn extract(&mut self, to: &Arg, [a, start, length]: [&Arg; 3], ty: Type) -> Done {
        let a = self.read(a, ty)?;
        let (start, length) = (self.small(start)?, self.small(length)?);
        let bits = i64::from(clif(ty).bits());
        // Worked out in 64 bits: what lies beyond the end is the sign, or zero.
        let wide = self.fit(a, types::I64, ty.is_signed());
        let by_start = if ty.is_signed() { Type::S64 } else { Type::U64 };
        let from = self.shifted(wide, start, by_start, false);
        let width = self.build.ins().iconst(types::I32, 64);
        let unused = self.build.ins().isub(width, length);
        let zero = self.build.ins().iconst(types::I32, 0);
        let unused = self.build.ins().smax(unused, zero);
        let up = self.shifted(from, unused, Type::U64, true);
        let mut value = self.shifted(up, unused, by_start, false);
        if ty.is_signed() {
            // A field that reaches beyond the end has the sign of the whole: that of the bit at its end otherwise.
            let end = self.build.ins().iadd(start, length);
            let beyond = self
                .build
                .ins()
                .icmp_imm_u(IntCC::UnsignedGreaterThan, end, bits);
            value = self.build.ins().select(beyond, from, value);
        }
        let nothing = self.build.ins().iconst(types::I64, 0);
        let none = self.build.ins().icmp_imm_u(IntCC::Equal, length, 0);
        let value = self.build.ins().select(none, nothing, value);
        let value = self.fit(value, clif(ty), false);
        self.write(to, ty, value)
    }

    fn insert(&mut self, to: &Arg, [a, b, start, length]: [&Arg; 4], ty: Type) -> Done {
        let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
        let (start, length) = (self.small(start)?, self.small(length)?);
        let (a, b) = (
            self.fit(a, types::I64, false),
            self.fit(b, types::I64, false),
        );
        let one = self.build.ins().iconst(types::I64, 1);
        let beyond = self.shifted(one, length, Type::U64, true);
        let ones = self.build.ins().iadd_imm_s(beyond, -1);
        let mask = self.shifted(ones, start, Type::U64, true);
        let placed = self.shifted(a, start, Type::U64, true);
        let inside = self.build.ins().band(placed, mask);
        let outside = self.build.ins().band_not(b, mask);
        let value = self.build.ins().bor(inside, outside);
        let value = self.fit(value, clif(ty), false);
        self.write(to, ty, value)
    }

    /// Any function of three bits: the ones among its eight cases, put together.
    fn logic(&mut self, to: &Arg, [a, b, c]: [&Arg; 3], table: Literal) -> Done {
        let values = [
            self.read(a, Type::B32)?,
            self.read(b, Type::B32)?,
            self.read(c, Type::B32)?,
        ];
        let mut all = self.integer(types::I32, 0);
        for case in (0..8_u64).filter(|case| table.bits() >> case & 1 == 1) {
            let mut both = self.integer(types::I32, u64::MAX);
            for (nth, value) in values.iter().enumerate() {
                let set = case >> (2 - nth) & 1 == 1;
                both = match set {
                    true => self.build.ins().band(both, *value),
                    false => self.build.ins().band_not(both, *value),
                };
            }
            all = self.build.ins().bor(all, both);
        }
        self.write(to, Type::B32, all)
    }

    fn permute(&mut self, instruction: &Instruction, to: &Arg, [a, b, select]: [&Arg; 3]) -> Done {
        let modes = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];
        if instruction
            .modifiers
            .iter()
            .any(|word| modes.contains(&word.as_str()))
        {
            return refuse(instruction.name());
        }
        let (a, b) = (self.read(a, Type::B32)?, self.read(b, Type::B32)?);
        let select = self.read(select, Type::B32)?;
        let (a, b) = (
            self.fit(a, types::I64, false),
            self.fit(b, types::I64, false),
        );
        let high = self.build.ins().ishl_imm_u(b, 32);
        let bytes = self.build.ins().bor(high, a);
        let mut all = self.integer(types::I32, 0);
        for nth in 0..4 {
            let control = self.build.ins().ushr_imm_u(select, 4 * nth);
            let place = self.build.ins().band_imm_u(control, 7);
            let place = self.build.ins().ishl_imm_u(place, 3);
            let byte = self.build.ins().ushr(bytes, place);
            let byte = self.fit(byte, types::I8, false);
            // The fourth bit asks for the byte's sign in all its places.
            let sign = self.build.ins().sshr_imm_u(byte, 7);
            let wants = self.build.ins().band_imm_u(control, 8);
            let byte = self.build.ins().select(wants, sign, byte);
            let byte = self.fit(byte, types::I32, false);
            let placed = self.build.ins().ishl_imm_u(byte, 8 * nth);
            all = self.build.ins().bor(all, placed);
        }
        self.write(to, Type::B32, all)
    }
}
