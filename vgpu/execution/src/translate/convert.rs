//! Conversions between types, with rounding and saturation.

use super::float::rounding;
use super::function::{Done, Translation, clif, refuse};
use super::half::is_half;
use super::moves::{int, two_types};
use crate::rounded;
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
        if matches!(to, Type::F16x2 | Type::Bf16x2) && from == Type::F32 {
            return self.half_pair(instruction, args, to);
        }
        let [result, arg] = args else {
            return refuse(instruction.name());
        };
        let known = |ty: Type| {
            !matches!(
                ty,
                Type::F16x2 | Type::Bf16x2 | Type::Tf32 | Type::Pred | Type::B128
            )
        };
        let relu = instruction.has("relu") && !is_half(to);
        if !known(to) || !known(from) || relu {
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
        let value = self.read(arg, from)?;
        let signed = from.is_signed();
        if is_half(to) {
            let wide = self.fit(value, types::I64, signed);
            let exact = self.half_integer(wide, signed);
            return Ok(self.half_result(instruction, exact, to));
        }
        if let Some(mode) = rounding(instruction).filter(|_| !is_exact(from, to)) {
            let wide = self.fit(value, types::I64, signed);
            let mode = self.integer(types::I32, mode.into());
            let function = match (signed, to) {
                (true, Type::F32) => rounded::integer_single as *const (),
                (true, _) => rounded::integer_double as *const (),
                (false, Type::F32) => rounded::unsigned_single as *const (),
                (false, _) => rounded::unsigned_double as *const (),
            };
            let value = self.call_math(function, &[wide, mode], Some(clif(to)));
            return Ok(match instruction.has("sat") {
                true => self.between_zero_and_one(value),
                false => value,
            });
        }
        let bits = clif(from).bits().max(32);
        let value = self.fit(value, int(bits), signed);
        let value = match signed {
            true => self.build.ins().fcvt_from_sint(clif(to), value),
            false => self.build.ins().fcvt_from_uint(clif(to), value),
        };
        Ok(match instruction.has("sat") {
            true => self.between_zero_and_one(value),
            false => value,
        })
    }

    fn half_result(&mut self, instruction: &Instruction, value: Value, to: Type) -> Value {
        let bits = self.half_narrowed(instruction, value, to);
        self.fit(bits, types::I16, false)
    }

    fn float_to_int(&mut self, conversion: &Conversion<'_>) -> Done<Value> {
        let &Conversion {
            instruction,
            arg,
            to,
            from,
        } = conversion;
        let value = self.read_float(arg, from, instruction.has("ftz"))?;
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
            arg,
            to,
            from,
        } = conversion;
        let mut value = self.read_float(arg, from, instruction.has("ftz"))?;
        if ["rni", "rzi", "rmi", "rpi"]
            .iter()
            .any(|round| instruction.has(round))
        {
            value = self.rounded(instruction, value);
        }
        if is_half(to) {
            return Ok(self.half_result(instruction, value, to));
        }
        if instruction.has("sat") {
            value = self.between_zero_and_one(value);
        }
        let is_single = self.build.func.dfg.value_type(value) == types::F32;
        value = match (is_single, to, rounding(instruction)) {
            (true, Type::F64, _) => self.build.ins().fpromote(types::F64, value),
            (false, Type::F32, None) => self.build.ins().fdemote(types::F32, value),
            (false, Type::F32, Some(mode)) => {
                let mode = self.integer(types::I32, mode.into());
                let function = rounded::demoted as *const ();
                self.call_math(function, &[value, mode], Some(types::F32))
            }
            _ => value,
        };
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
