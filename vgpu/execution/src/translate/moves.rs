//! What each instruction is, and moves, selections and conversions of addresses.

use super::function::{Done, Translation, clif, refuse};
use super::half::is_half;
use crate::context::offset;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use migfit_ptx::flow::flat::{Arg, Step};
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::{Space, Type};

impl Translation<'_, '_, '_> {
    /// An instruction that neither leaves nor waits.
    pub fn plain(&mut self, instruction: &Instruction, step: &Step) -> Done {
        let args = step.args.as_slice();
        match instruction.opcode.as_str() {
            "mov" => self.mov(instruction, args),
            "cvta" => self.cvta(instruction, args),
            "ld" | "ldu" => self.load(instruction, args),
            "st" => self.store(instruction, args),
            "cvt" => self.convert(instruction, args),
            "setp" | "set" => self.compare(instruction, args),
            "selp" => self.select(instruction, args),
            "slct" => self.select_by_sign(instruction, args),
            "call" => self.call(instruction, args),
            "atom" | "red" => self.atomic(instruction, args),
            "isspacep" => self.is_in_space(instruction, args),
            "membar" | "fence" => {
                self.build.ins().fence();
                Ok(())
            }
            // Hints.
            "prefetch" | "prefetchu" | "pmevent" | "discard" | "applypriority" | "nanosleep" => {
                Ok(())
            }
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "bfe" | "bfi"
            | "brev" | "popc" | "clz" | "bfind" | "prmt" | "lop3" | "bmsk" | "szext" => {
                self.bit_operation(instruction, args)
            }
            _ => match instruction.types().last() {
                Some(ty) if is_half(ty) => self.half_operation(instruction, args, ty),
                Some(ty) if clif(ty).is_float() => self.float(instruction, args, ty),
                _ => self.integer_operation(instruction, args),
            },
        }
    }

    fn mov(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let ty = one_type(instruction)?;
        match args {
            [Arg::Vector(parts), from] => {
                let whole = self.read(from, ty)?;
                self.unpack(parts, whole)
            }
            [to, Arg::Vector(parts)] => {
                let whole = self.pack(parts, ty)?;
                self.write(to, ty, whole)
            }
            [to, from] => {
                let value = self.read(from, ty)?;
                self.write(to, ty, value)
            }
            _ => refuse("operands"),
        }
    }

    /// Cuts a value into equal parts, the lowest first.
    pub fn unpack(&mut self, parts: &[Arg], whole: Value) -> Done {
        let bits = self.build.func.dfg.value_type(whole).bits();
        let integer = self.fit(whole, int(bits), false);
        let width = bits / u32::try_from(parts.len()).unwrap_or(1).max(1);
        for (nth, part) in parts.iter().enumerate() {
            let shifted = self
                .build
                .ins()
                .ushr_imm_u(integer, i64::from(width) * nth as i64);
            let cut = self.fit(shifted, int(width), false);
            self.write(part, bits_type(width), cut)?;
        }
        Ok(())
    }

    /// Puts equal parts together, the lowest first.
    pub fn pack(&mut self, parts: &[Arg], ty: Type) -> Done<Value> {
        let whole = int(clif(ty).bits());
        let width = whole.bits() / u32::try_from(parts.len()).unwrap_or(1).max(1);
        let mut all = None;
        for (nth, part) in parts.iter().enumerate() {
            let part = self.read(part, bits_type(width))?;
            let wide = self.fit(part, whole, false);
            let placed = self
                .build
                .ins()
                .ishl_imm_u(wide, i64::from(width) * nth as i64);
            all = Some(match all {
                None => placed,
                Some(before) => self.build.ins().bor(before, placed),
            });
        }
        let all = all.ok_or(super::function::Refusal("an empty vector".to_owned()))?;
        Ok(self.fit(all, clif(ty), false))
    }

    /// Between an address in a space and the generic one: they differ for shared memory alone.
    fn cvta(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let [to, from] = args else {
            return refuse("operands");
        };
        let ty = one_type(instruction)?;
        let shared = instruction
            .modifiers
            .iter()
            .any(|word| word.starts_with("shared"));
        let value = self.read(from, ty)?;
        if !shared || ty == Type::U32 {
            return self.write(to, ty, value);
        }
        let base = self.pointer(offset::SHARED);
        let moved = if instruction.has("to") {
            self.build.ins().isub(value, base)
        } else {
            self.build.ins().iadd(value, base)
        };
        self.write(to, ty, moved)
    }

    fn is_in_space(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let [to, address] = args else {
            return refuse("operands");
        };
        let address = self.read(address, Type::U64)?;
        let space = instruction
            .modifiers
            .first()
            .and_then(|word| Space::named(word));
        let base = self.pointer(offset::SHARED);
        let within = self.build.ins().isub(address, base);
        let end = i64::from(crate::run::memory::SHARED_WINDOW);
        let shared = self
            .build
            .ins()
            .icmp_imm_u(IntCC::UnsignedLessThan, within, end);
        let found = match space {
            Some(Space::Shared) => shared,
            // Local, constant and parameter memory look like global memory here.
            Some(Space::Global) => self.build.ins().bxor_imm_u(shared, 1),
            _ => return refuse(instruction.name()),
        };
        self.write(to, Type::Pred, found)
    }

    fn select(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let [to, yes, no, Arg::Reg(condition)] = args else {
            return refuse("operands");
        };
        let ty = one_type(instruction)?;
        let (yes, no) = (self.read(yes, ty)?, self.read(no, ty)?);
        let condition = self.predicate(*condition);
        let value = self.build.ins().select(condition, yes, no);
        self.write(to, ty, value)
    }

    fn select_by_sign(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let (ty, by) = two_types(instruction)?;
        let [to, yes, no, value] = args else {
            return refuse("operands");
        };
        let (yes, no, value) = (
            self.read(yes, ty)?,
            self.read(no, ty)?,
            self.read(value, by)?,
        );
        let positive = if by == Type::F32 {
            let zero = self.build.ins().f32const(0.0);
            let ge = cranelift_codegen::ir::condcodes::FloatCC::GreaterThanOrEqual;
            self.build.ins().fcmp(ge, value, zero)
        } else {
            self.build
                .ins()
                .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, value, 0)
        };
        let value = self.build.ins().select(positive, yes, no);
        self.write(to, ty, value)
    }
}

/// The integer type of so many bits.
pub fn int(bits: u32) -> cranelift_codegen::ir::Type {
    match bits {
        8 => types::I8,
        16 => types::I16,
        32 => types::I32,
        128 => types::I128,
        _ => types::I64,
    }
}

/// The bit type of so many bits.
pub fn bits_type(bits: u32) -> Type {
    match bits {
        8 => Type::B8,
        16 => Type::B16,
        32 => Type::B32,
        128 => Type::B128,
        _ => Type::B64,
    }
}

/// The type of an instruction that has one.
pub fn one_type(instruction: &Instruction) -> Done<Type> {
    match instruction.types().last() {
        Some(ty) => Ok(ty),
        None => refuse(instruction.name()),
    }
}

/// Types of result and operand.
pub fn two_types(instruction: &Instruction) -> Done<(Type, Type)> {
    let mut types = instruction.types();
    match (types.next(), types.next()) {
        (Some(to), Some(from)) => Ok((to, from)),
        _ => refuse(instruction.name()),
    }
}
