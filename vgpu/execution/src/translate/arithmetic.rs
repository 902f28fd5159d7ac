//! Integer arithmetic.

use super::function::{Done, Translation, clif, refuse};
use super::moves::{int, one_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// Integer arithmetic of one result.
    pub fn integer_operation(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let ty = one_type(instruction)?;
        match (instruction.opcode.as_str(), args) {
            ("mul", [to, a, b]) => {
                let value = self.product(instruction, a, b, ty)?;
                self.write(
                    to,
                    if instruction.has("wide") {
                        wide(ty)
                    } else {
                        ty
                    },
                    value,
                )
            }
            ("mad", [to, a, b, c]) => self.multiply_add(instruction, to, [a, b, c], ty),
            ("madc", [to, a, b, c]) => self.multiply_add(instruction, to, [a, b, c], ty),
            ("mul24" | "mad24", [to, a, b, rest @ ..]) => {
                self.short_product(instruction, to, [a, b], rest)
            }
            ("dp4a" | "dp2a", [to, a, b, c]) => self.dot(instruction, to, [a, b, c]),
            ("add" | "sub" | "addc" | "subc", [to, a, b]) => {
                let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
                let value = self.sum(instruction, a, b, ty)?;
                self.write(to, ty, value)
            }
            ("sad", [to, a, b, c]) => {
                let (a, b, c) = (self.read(a, ty)?, self.read(b, ty)?, self.read(c, ty)?);
                let (high, low) = (self.larger(a, b, ty, true), self.larger(a, b, ty, false));
                let difference = self.build.ins().isub(high, low);
                let value = self.build.ins().iadd(difference, c);
                self.write(to, ty, value)
            }
            ("abs" | "neg", [to, a]) => {
                let a = self.read(a, ty)?;
                let value = match instruction.opcode.as_str() {
                    "abs" => self.build.ins().iabs(a),
                    _ => self.build.ins().ineg(a),
                };
                self.write(to, ty, value)
            }
            (opcode @ ("min" | "max"), [to, a, b]) if !is_pair(instruction) => {
                let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
                let value = self.larger(a, b, ty, opcode == "max");
                let value = if instruction.has("relu") {
                    self.at_least_zero(value, ty)
                } else {
                    value
                };
                self.write(to, ty, value)
            }
            (opcode @ ("div" | "rem"), [to, a, b]) => {
                let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
                let value = self.quotient(a, b, ty, opcode == "rem");
                self.write(to, ty, value)
            }
            _ => refuse(instruction.name()),
        }
    }

    fn at_least_zero(&mut self, value: Value, ty: Type) -> Value {
        let zero = self.integer(clif(ty), 0);
        self.build.ins().smax(value, zero)
    }

    fn larger(&mut self, a: Value, b: Value, ty: Type, largest: bool) -> Value {
        match (ty.is_signed(), largest) {
            (true, true) => self.build.ins().smax(a, b),
            (true, false) => self.build.ins().smin(a, b),
            (false, true) => self.build.ins().umax(a, b),
            (false, false) => self.build.ins().umin(a, b),
        }
    }

    fn sum(&mut self, instruction: &Instruction, a: Value, b: Value, ty: Type) -> Done<Value> {
        let subtract = instruction.opcode.starts_with("sub");
        let with_carry = instruction.opcode.ends_with('c');
        if instruction.has("sat") {
            return self.saturated_sum(a, b, ty, subtract);
        }
        if !with_carry && !instruction.has("cc") {
            return Ok(match subtract {
                true => self.build.ins().isub(a, b),
                false => self.build.ins().iadd(a, b),
            });
        }
        let (value, out) = self.carried_sum(a, b, ty, subtract, with_carry);
        if instruction.has("cc") {
            self.set_carry(out);
        }
        Ok(value)
    }

    /// Sum and carry, or difference and borrow.
    fn carried_sum(
        &mut self,
        a: Value,
        b: Value,
        ty: Type,
        subtract: bool,
        with_carry: bool,
    ) -> (Value, Value) {
        let carry = match with_carry {
            true => self.carry(),
            false => self.build.ins().iconst(types::I8, 0),
        };
        let wide_carry = self.fit(carry, clif(ty), false);
        let below = IntCC::UnsignedLessThan;
        let (once, first) = if subtract {
            (
                self.build.ins().isub(a, b),
                self.build.ins().icmp(below, a, b),
            )
        } else {
            let sum = self.build.ins().iadd(a, b);
            (sum, self.build.ins().icmp(below, sum, a))
        };
        let (twice, second) = if subtract {
            let less = self.build.ins().isub(once, wide_carry);
            (less, self.build.ins().icmp(below, once, wide_carry))
        } else {
            let more = self.build.ins().iadd(once, wide_carry);
            (more, self.build.ins().icmp(below, more, once))
        };
        (twice, self.build.ins().bor(first, second))
    }

    fn carry_variable(&mut self) -> cranelift_frontend::Variable {
        let fresh = self
            .carry
            .unwrap_or_else(|| self.build.declare_var(types::I8));
        self.carry = Some(fresh);
        fresh
    }

    fn carry(&mut self) -> Value {
        let variable = self.carry_variable();
        self.build.use_var(variable)
    }

    fn set_carry(&mut self, value: Value) {
        let variable = self.carry_variable();
        self.build.def_var(variable, value);
    }

    /// `.sat` is there for signed 32-bit integers alone: worked out in 64 bits and clamped.
    fn saturated_sum(&mut self, a: Value, b: Value, ty: Type, subtract: bool) -> Done<Value> {
        if ty != Type::S32 {
            return refuse("saturation of this type");
        }
        let (a, b) = (self.fit(a, types::I64, true), self.fit(b, types::I64, true));
        let wide = if subtract {
            self.build.ins().isub(a, b)
        } else {
            self.build.ins().iadd(a, b)
        };
        Ok(self.clamped(wide, i64::from(i32::MIN), i64::from(i32::MAX), types::I32))
    }

    /// A 64-bit signed integer held between two others, in a narrower type.
    pub fn clamped(
        &mut self,
        wide: Value,
        low: i64,
        high: i64,
        to: cranelift_codegen::ir::Type,
    ) -> Value {
        let (low, high) = (
            self.build.ins().iconst(types::I64, low),
            self.build.ins().iconst(types::I64, high),
        );
        let above = self.build.ins().smax(wide, low);
        let within = self.build.ins().smin(above, high);
        self.fit(within, to, true)
    }

    fn product(&mut self, instruction: &Instruction, a: &Arg, b: &Arg, ty: Type) -> Done<Value> {
        let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
        let signed = ty.is_signed();
        if instruction.has("wide") {
            let to = int(clif(ty).bits() * 2);
            let (a, b) = (self.fit(a, to, signed), self.fit(b, to, signed));
            return Ok(self.build.ins().imul(a, b));
        }
        if instruction.has("hi") {
            let bits = clif(ty).bits();
            if bits == 64 {
                return Ok(match signed {
                    true => self.build.ins().smulhi(a, b),
                    false => self.build.ins().umulhi(a, b),
                });
            }
            let to = int(bits * 2);
            let (a, b) = (self.fit(a, to, signed), self.fit(b, to, signed));
            let whole = self.build.ins().imul(a, b);
            let high = self.build.ins().ushr_imm_u(whole, i64::from(bits));
            return Ok(self.fit(high, clif(ty), false));
        }
        Ok(self.build.ins().imul(a, b))
    }

    fn multiply_add(
        &mut self,
        instruction: &Instruction,
        to: &Arg,
        [a, b, c]: [&Arg; 3],
        ty: Type,
    ) -> Done {
        let result = if instruction.has("wide") {
            wide(ty)
        } else {
            ty
        };
        let product = self.product(instruction, a, b, ty)?;
        let c = self.read(c, result)?;
        let value = if instruction.has("sat") {
            self.saturated_sum(product, c, ty, false)?
        } else if instruction.has("cc") || instruction.opcode == "madc" {
            let with_carry = instruction.opcode == "madc";
            let (value, out) = self.carried_sum(product, c, result, false, with_carry);
            if instruction.has("cc") {
                self.set_carry(out);
            }
            value
        } else {
            self.build.ins().iadd(product, c)
        };
        self.write(to, result, value)
    }

    fn short_product(
        &mut self,
        instruction: &Instruction,
        to: &Arg,
        [a, b]: [&Arg; 2],
        rest: &[Arg],
    ) -> Done {
        let ty = one_type(instruction)?;
        let mut factor = |arg: &Arg| {
            let value = self.read(arg, ty)?;
            let up = self.build.ins().ishl_imm_u(value, 8);
            let down = match ty.is_signed() {
                true => self.build.ins().sshr_imm_u(up, 8),
                false => self.build.ins().ushr_imm_u(up, 8),
            };
            Ok(self.fit(down, types::I64, ty.is_signed()))
        };
        let (a, b) = (factor(a)?, factor(b)?);
        let whole = self.build.ins().imul(a, b);
        let shift = if instruction.has("hi") { 16 } else { 0 };
        let part = self.build.ins().ushr_imm_u(whole, shift);
        let part = self.fit(part, types::I32, false);
        let value = match rest {
            [] => part,
            [c] if !instruction.has("sat") => {
                let c = self.read(c, ty)?;
                self.build.ins().iadd(part, c)
            }
            _ => return refuse(instruction.name()),
        };
        self.write(to, ty, value)
    }

    /// Division; by zero all bits are set, as on GPUs, and the processor must not be asked.
    fn quotient(&mut self, a: Value, b: Value, ty: Type, remainder: bool) -> Value {
        let to = clif(ty);
        let zero = self.build.ins().icmp_imm_u(IntCC::Equal, b, 0);
        let one = self.integer(to, 1);
        let divisor = self.build.ins().select(zero, one, b);
        let value = if ty.is_signed() {
            // The one quotient that does not fit: its divisor, -1, means to negate.
            let minus = self.build.ins().icmp_imm_s(IntCC::Equal, b, -1);
            let divisor = self.build.ins().select(minus, one, divisor);
            let (plain, negated) = match remainder {
                true => (self.build.ins().srem(a, divisor), self.integer(to, 0)),
                false => (self.build.ins().sdiv(a, divisor), self.build.ins().ineg(a)),
            };
            self.build.ins().select(minus, negated, plain)
        } else if remainder {
            self.build.ins().urem(a, divisor)
        } else {
            self.build.ins().udiv(a, divisor)
        };
        let without = if remainder {
            a
        } else {
            self.integer(to, u64::MAX)
        };
        self.build.ins().select(zero, without, value)
    }

    /// Sums of products of bytes, or of halves and bytes.
    fn dot(&mut self, instruction: &Instruction, to: &Arg, [a, b, c]: [&Arg; 3]) -> Done {
        let mut types = instruction.types();
        let (Some(first), Some(second)) = (types.next(), types.next()) else {
            return refuse(instruction.name());
        };
        let halves = instruction.opcode == "dp2a";
        let (a, b) = (self.read(a, Type::B32)?, self.read(b, Type::B32)?);
        let mut sum = self.read(c, Type::B32)?;
        let upper = if instruction.has("hi") { 16 } else { 0 };
        let parts = if halves { 2 } else { 4 };
        for nth in 0..parts {
            let width = if halves { 16 } else { 8 };
            let left = self.field(a, nth * width, width, first.is_signed());
            let right = self.field(
                b,
                nth * 8 + if halves { upper } else { 0 },
                8,
                second.is_signed(),
            );
            let product = self.build.ins().imul(left, right);
            sum = self.build.ins().iadd(sum, product);
        }
        self.write(to, Type::B32, sum)
    }

    /// Some bits of a 32-bit integer.
    fn field(&mut self, value: Value, start: i64, width: i64, signed: bool) -> Value {
        let up = self.build.ins().ishl_imm_u(value, 32 - start - width);
        match signed {
            true => self.build.ins().sshr_imm_u(up, 32 - width),
            false => self.build.ins().ushr_imm_u(up, 32 - width),
        }
    }
}

/// Whether two halves are worked on apart.
fn is_pair(instruction: &Instruction) -> bool {
    instruction
        .modifiers
        .iter()
        .any(|word| word.ends_with("x2"))
}

/// The type of twice the width.
fn wide(ty: Type) -> Type {
    match ty {
        Type::S16 => Type::S32,
        Type::U16 => Type::U32,
        Type::S32 => Type::S64,
        _ => Type::U64,
    }
}
