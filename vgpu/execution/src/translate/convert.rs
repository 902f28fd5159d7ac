//! Conversions between types, with rounding and saturation.

use super::function::{Done, Translation, clif, refuse};
use super::moves::{int, two_types};
use crate::math;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

/// One `cvt`: what it converts, between which types.
struct Conversion<'i> {
    instruction: &'i Instruction,
    arg: &'i Arg,
    to: Type,
    from: Type,
}

impl Translation<'_, '_, '_> {
    /// `cvt`.
    pub fn convert(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let (to, from) = two_types(instruction)?;
        let [result, arg] = args else {
            return refuse(instruction.name());
        };
        let known = |ty: Type| {
            clif(ty).is_int() && !ty.is_float() || matches!(ty, Type::F16 | Type::F32 | Type::F64)
        };
        let single = |ty: Type| !matches!(ty, Type::F16x2 | Type::Bf16x2 | Type::Tf32 | Type::Bf16);
        if !known(to) || !known(from) || !single(to) || !single(from) || instruction.has("relu") {
            return refuse(instruction.name());
        }
        let conversion = Conversion {
            instruction,
            arg,
            to,
            from,
        };
        let value = match (from.is_float(), to.is_float()) {
            (false, false) => self.int_to_int(&conversion)?,
            (false, true) => self.int_to_float(&conversion)?,
            (true, false) => self.float_to_int(&conversion)?,
            (true, true) => self.float_to_float(&conversion)?,
        };
        self.write(result, to, value)
    }

    fn int_to_int(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            arg,
            to,
            from,
        } = conversion;
        let value = self.read(arg, from)?;
        if !instruction.has("sat") {
            return Ok(self.fit(value, clif(to), from.is_signed()));
        }
        let bits = clif(to).bits();
        // In 64 bits: what is signed has a lower and an upper end, what is not only an upper one.
        let wide = self.fit(value, types::I64, from.is_signed());
        let most = u64::MAX >> (64 - bits) >> u32::from(to.is_signed());
        if !from.is_signed() {
            let most = self.build.ins().iconst(types::I64, most.cast_signed());
            let held = self.build.ins().umin(wide, most);
            return Ok(self.fit(held, clif(to), false));
        }
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let least = if to.is_signed() { -most - 1 } else { 0 };
        Ok(self.clamped(wide, least, most, clif(to)))
    }

    fn int_to_float(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            arg,
            to,
            from,
        } = conversion;
        if ["rz", "rm", "rp"]
            .iter()
            .any(|round| instruction.has(round))
            && !is_exact(from, to)
        {
            return refuse(instruction.name());
        }
        let value = self.read(arg, from)?;
        let bits = clif(from).bits().max(32);
        let value = self.fit(value, int(bits), from.is_signed());
        let float = if to == Type::F32 {
            types::F32
        } else {
            types::F64
        };
        let value = match from.is_signed() {
            true => self.build.ins().fcvt_from_sint(float, value),
            false => self.build.ins().fcvt_from_uint(float, value),
        };
        Ok(if to == Type::F16 {
            self.halved(value)
        } else {
            value
        })
    }

    /// A half-precision number as a single-precision one.
    fn widened(&mut self, half: Value) -> Value {
        let bits = self.fit(half, types::I32, false);
        self.call_math(math::half_to_single as *const (), &[bits], Some(types::F32))
    }

    /// The half-precision number nearest to a double-precision one.
    fn halved(&mut self, value: Value) -> Value {
        let bits = self.call_math(
            math::double_to_half as *const (),
            &[value],
            Some(types::I32),
        );
        self.fit(bits, types::I16, false)
    }

    fn float_to_int(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            to,
            from,
            ..
        } = conversion;
        let value = self.read_any_float(conversion)?;
        let rounded = self.rounded(instruction, value);
        let bits = clif(to).bits();
        let ty = int(bits.max(32));
        let whole = match to.is_signed() {
            true => self.build.ins().fcvt_to_sint_sat(ty, rounded),
            false => self.build.ins().fcvt_to_uint_sat(ty, rounded),
        };
        if bits < 32 {
            let wide = self.fit(whole, types::I64, to.is_signed());
            let (low, high) = match to.is_signed() {
                true => (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1),
                false => (0, (1_i64 << bits) - 1),
            };
            return Ok(self.clamped(wide, low, high, clif(to)));
        }
        // NaN is zero, but where one of the two has 64 bits it is the integer whose highest bit alone is set.
        if from == Type::F64 || bits == 64 {
            let none = self.build.ins().fcmp(FloatCC::Unordered, value, value);
            let highest = self.integer(ty, 1 << (bits - 1));
            return Ok(self.build.ins().select(none, highest, whole));
        }
        Ok(whole)
    }

    fn read_any_float(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            arg,
            from,
            ..
        } = conversion;
        if from == Type::F16 {
            let half = self.read(arg, from)?;
            return Ok(self.widened(half));
        }
        self.read_float(arg, from, instruction.has("ftz"))
    }

    /// Rounded to a whole number as the instruction says.
    fn rounded(&mut self, instruction: &Instruction, value: Value) -> Value {
        let ins = self.build.ins();
        match () {
            () if instruction.has("rni") => ins.nearest(value),
            () if instruction.has("rmi") => ins.floor(value),
            () if instruction.has("rpi") => ins.ceil(value),
            () => ins.trunc(value),
        }
    }

    fn float_to_float(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            to,
            from,
            ..
        } = conversion;
        let narrower = clif(to).bits() < clif(from).bits();
        if narrower && !instruction.has("rn") {
            return refuse(instruction.name());
        }
        let mut value = self.read_any_float(conversion)?;
        if ["rni", "rzi", "rmi", "rpi"]
            .iter()
            .any(|round| instruction.has(round))
        {
            value = self.rounded(instruction, value);
        }
        if instruction.has("sat") {
            value = self.between_zero_and_one(value);
        }
        let is_single = self.build.func.dfg.value_type(value) == types::F32;
        value = match (is_single, to) {
            (true, Type::F32) | (false, Type::F64) => value,
            (true, _) => self.build.ins().fpromote(types::F64, value),
            (false, Type::F32) => self.build.ins().fdemote(types::F32, value),
            (false, _) => value,
        };
        if to == Type::F16 {
            return Ok(self.halved(value));
        }
        if instruction.has("ftz") && to == Type::F32 {
            value = self.flushed(value);
        }
        Ok(value)
    }
}

/// Whether all integers of a type are numbers of the other.
fn is_exact(from: Type, to: Type) -> bool {
    clif(from).bits() < if to == Type::F64 { 53 } else { 24 }
}
