//! Floating-point arithmetic in single and double precision.

use super::function::{Done, Translation, clif, refuse};
use crate::math;
use crate::rounded::{self, mode};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

/// The rounding that an instruction asks for, unless it is to nearest.
pub fn rounding(instruction: &Instruction) -> Option<u32> {
    let modes = [("rz", mode::ZERO), ("rm", mode::DOWN), ("rp", mode::UP)];
    let said = modes.iter().find(|(word, _)| instruction.has(word));
    said.map(|(_, mode)| *mode)
}

impl Translation<'_, '_, '_> {
    /// Floating-point arithmetic of one result.
    pub fn float(&mut self, instruction: &Instruction, args: &[Arg], ty: Type) -> Done {
        if args.len() < 2 || instruction.has("relu") || instruction.has("xorsign") {
            return refuse(instruction.name());
        }
        let flush = instruction.has("ftz");
        let mut values = Vec::new();
        for arg in &args[1..] {
            values.push(match instruction.opcode.as_str() {
                "testp" | "copysign" => self.read(arg, ty)?,
                _ => self.read_float(arg, ty, flush)?,
            });
        }
        if instruction.opcode == "testp" {
            let found = self.test(instruction, values[0], ty)?;
            return self.write(&args[0], Type::Pred, found);
        }
        let mut value = match rounding(instruction) {
            Some(mode) => self.directed(instruction, &values, ty, mode)?,
            None => self.operation(instruction, &values, ty)?,
        };
        if flush && clif(ty) == types::F32 {
            value = self.flushed(value);
        }
        if instruction.has("sat") {
            value = self.between_zero_and_one(value);
        }
        self.write(&args[0], ty, value)
    }

    /// A floating-point operand; where subnormal numbers are flushed, zero in place of one.
    pub fn read_float(&mut self, arg: &Arg, ty: Type, flush: bool) -> Done<Value> {
        if matches!(ty, Type::F16 | Type::Bf16) {
            let bits = self.read(arg, ty)?;
            let value = self.half_widened(bits, ty);
            return Ok(value);
        }
        if !matches!(ty, Type::F32 | Type::F64) {
            return refuse(format!("arithmetic of {}", ty.name()));
        }
        let value = self.read(arg, ty)?;
        Ok(match (flush, ty) {
            (true, Type::F32) => self.flushed(value),
            _ => value,
        })
    }

    /// Zero of the same sign in place of a subnormal number.
    pub fn flushed(&mut self, value: Value) -> Value {
        let size = self.build.ins().fabs(value);
        let least = self.build.ins().f32const(f32::MIN_POSITIVE);
        let small = self.build.ins().fcmp(FloatCC::LessThan, size, least);
        let zero = self.build.ins().f32const(0.0);
        let zero = self.build.ins().fcopysign(zero, value);
        self.build.ins().select(small, zero, value)
    }

    /// Held between 0 and 1; NaN is 0.
    pub fn between_zero_and_one(&mut self, value: Value) -> Value {
        let (zero, one) = match self.build.func.dfg.value_type(value) {
            types::F32 => (
                self.build.ins().f32const(0.0),
                self.build.ins().f32const(1.0),
            ),
            _ => (
                self.build.ins().f64const(0.0),
                self.build.ins().f64const(1.0),
            ),
        };
        let above = self.build.ins().fcmp(FloatCC::GreaterThan, value, zero);
        let value = self.build.ins().select(above, value, zero);
        let below = self.build.ins().fcmp(FloatCC::LessThan, value, one);
        self.build.ins().select(below, value, one)
    }

    /// Arithmetic whose result is not rounded to nearest.
    fn directed(
        &mut self,
        instruction: &Instruction,
        values: &[Value],
        ty: Type,
        mode: u32,
    ) -> Done<Value> {
        let single = ty == Type::F32;
        let mut values = values.to_vec();
        let opcode = instruction.opcode.as_str();
        match (opcode, values.as_mut_slice()) {
            ("sub", [_, b]) => *b = self.build.ins().fneg(*b),
            ("rcp", [_]) => {
                let one = match single {
                    true => self.build.ins().f32const(1.0),
                    false => self.build.ins().f64const(1.0),
                };
                values.insert(0, one);
            }
            _ => {}
        }
        let function = match (opcode, values.len(), single) {
            ("add" | "sub", 2, true) => rounded::add_single as *const (),
            ("add" | "sub", 2, false) => rounded::add_double as *const (),
            ("mul", 2, true) => rounded::mul_single as *const (),
            ("mul", 2, false) => rounded::mul_double as *const (),
            ("div" | "rcp", 2, true) => rounded::div_single as *const (),
            ("div" | "rcp", 2, false) => rounded::div_double as *const (),
            ("fma" | "mad", 3, true) if self.env.has_fma() => rounded::fma_single as *const (),
            ("fma" | "mad", 3, false) if self.env.has_fma() => rounded::fma_double as *const (),
            ("sqrt", 1, true) => rounded::root_single as *const (),
            ("sqrt", 1, false) => rounded::root_double as *const (),
            _ => return refuse(instruction.name()),
        };
        values.push(self.integer(types::I32, mode.into()));
        Ok(self.call_math(function, &values, Some(clif(ty))))
    }

    fn operation(&mut self, instruction: &Instruction, values: &[Value], ty: Type) -> Done<Value> {
        let single = ty == Type::F32;
        Ok(match (instruction.opcode.as_str(), values) {
            ("add", [a, b]) => self.build.ins().fadd(*a, *b),
            ("sub", [a, b]) => self.build.ins().fsub(*a, *b),
            ("mul", [a, b]) => self.build.ins().fmul(*a, *b),
            ("div", [a, b]) => self.build.ins().fdiv(*a, *b),
            ("fma" | "mad", [a, b, c]) => self.fused(*a, *b, *c, single),
            ("neg", [a]) => self.build.ins().fneg(*a),
            ("abs", [a]) => self.build.ins().fabs(*a),
            ("sqrt", [a]) => self.build.ins().sqrt(*a),
            ("copysign", [a, b]) => self.build.ins().fcopysign(*b, *a),
            ("min" | "max", [a, b]) => self.extreme(instruction, *a, *b),
            ("rcp", [a]) => self.reciprocal(instruction, *a, single),
            ("rsqrt", [a]) => {
                let root = self.build.ins().sqrt(*a);
                self.reciprocal(instruction, root, single)
            }
            ("ex2", [a]) if single => {
                self.call_math(math::exp2 as *const (), &[*a], Some(types::F32))
            }
            ("lg2", [a]) if single => {
                self.call_math(math::log2 as *const (), &[*a], Some(types::F32))
            }
            ("sin", [a]) if single => {
                self.call_math(math::sin as *const (), &[*a], Some(types::F32))
            }
            ("cos", [a]) if single => {
                self.call_math(math::cos as *const (), &[*a], Some(types::F32))
            }
            ("tanh", [a]) if single => {
                self.call_math(math::tanh as *const (), &[*a], Some(types::F32))
            }
            _ => return refuse(instruction.name()),
        })
    }

    fn fused(&mut self, a: Value, b: Value, c: Value, single: bool) -> Value {
        if self.env.has_fma() {
            return self.build.ins().fma(a, b, c);
        }
        match single {
            true => self.call_math(math::fma_single as *const (), &[a, b, c], Some(types::F32)),
            false => self.call_math(math::fma_double as *const (), &[a, b, c], Some(types::F64)),
        }
    }

    fn reciprocal(&mut self, instruction: &Instruction, a: Value, single: bool) -> Value {
        if single {
            let one = self.build.ins().f32const(1.0);
            return self.build.ins().fdiv(one, a);
        }
        let one = self.build.ins().f64const(1.0);
        let value = self.build.ins().fdiv(one, a);
        if !instruction.has("approx") {
            return value;
        }
        // The approximation in double precision has the upper word alone.
        let bits = self.fit(value, types::I64, false);
        let upper = self.build.ins().band_imm_s(bits, -1 << 32);
        self.fit(upper, types::F64, false)
    }

    /// The smaller or larger number; of a number and NaN the number, unless NaN is asked for.
    fn extreme(&mut self, instruction: &Instruction, a: Value, b: Value) -> Value {
        let both = match instruction.opcode.as_str() {
            "min" => self.build.ins().fmin(a, b),
            _ => self.build.ins().fmax(a, b),
        };
        if instruction.has("NaN") {
            return both;
        }
        let without_a = self.build.ins().fcmp(FloatCC::Unordered, a, a);
        let without_b = self.build.ins().fcmp(FloatCC::Unordered, b, b);
        let value = self.build.ins().select(without_b, a, both);
        self.build.ins().select(without_a, b, value)
    }

    fn test(&mut self, instruction: &Instruction, value: Value, ty: Type) -> Done<Value> {
        let kind = instruction.modifiers.first().map_or("", String::as_str);
        let size = self.build.ins().fabs(value);
        let (infinite, least) = match ty {
            Type::F32 => (
                self.build.ins().f32const(f32::INFINITY),
                self.build.ins().f32const(f32::MIN_POSITIVE),
            ),
            _ => (
                self.build.ins().f64const(f64::INFINITY),
                self.build.ins().f64const(f64::MIN_POSITIVE),
            ),
        };
        Ok(match kind {
            "finite" => self.build.ins().fcmp(FloatCC::LessThan, size, infinite),
            "infinite" => self.build.ins().fcmp(FloatCC::Equal, size, infinite),
            "number" => self.build.ins().fcmp(FloatCC::Ordered, value, value),
            "notanumber" => self.build.ins().fcmp(FloatCC::Unordered, value, value),
            "normal" => {
                let large = self
                    .build
                    .ins()
                    .fcmp(FloatCC::GreaterThanOrEqual, size, least);
                let finite = self.build.ins().fcmp(FloatCC::LessThan, size, infinite);
                self.build.ins().band(large, finite)
            }
            "subnormal" => {
                let small = self.build.ins().fcmp(FloatCC::LessThan, size, least);
                let bits = self.fit(size, super::moves::int(clif(ty).bits()), false);
                let nonzero = self.build.ins().icmp_imm_u(IntCC::NotEqual, bits, 0);
                self.build.ins().band(small, nonzero)
            }
            _ => return refuse(instruction.name()),
        })
    }

    /// Calls a function of ours.
    pub fn call_math(
        &mut self,
        function: *const (),
        args: &[Value],
        result: Option<ir::Type>,
    ) -> Value {
        let mut signature = Signature::new(CallConv::SystemV);
        let types = args.iter().map(|arg| self.build.func.dfg.value_type(*arg));
        signature.params.extend(types.map(AbiParam::new));
        signature.returns.extend(result.map(AbiParam::new));
        let signature = self.build.import_signature(signature);
        let address = i64::try_from(function.addr()).unwrap_or(0);
        let address = self.build.ins().iconst(types::I64, address);
        let call = self.build.ins().call_indirect(signature, address, args);
        match self.build.inst_results(call).first() {
            Some(value) => *value,
            None => address,
        }
    }
}
