//! Operands as values of a type, and values as results.

use super::function::{Done, Translation, clif, refuse};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use migfit_ptx::flow::flat::{Arg, Reg, Symbol};
use migfit_ptx::text::literal::Literal;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// An operand as a value of a type.
    pub fn read(&mut self, arg: &Arg, ty: Type) -> Done<Value> {
        match arg {
            Arg::Reg(reg) => Ok(self.read_register(*reg, ty)),
            Arg::Number(number) => Ok(self.number(*number, ty)),
            Arg::Not(reg) => {
                let value = self.predicate(*reg);
                Ok(self.build.ins().bxor_imm_u(value, 1))
            }
            Arg::Symbol(Symbol::Foreign(name), 0) if name.starts_with('%') => {
                let value = self.special(name)?;
                Ok(self.fit(value, clif(ty), false))
            }
            Arg::Symbol(symbol, offset) => {
                let (base, more) = self.address_of(symbol)?;
                let address = self
                    .build
                    .ins()
                    .iadd_imm_s(base, more.wrapping_add(*offset));
                Ok(self.fit(address, clif(ty), false))
            }
            Arg::RegOffset(reg, offset) => {
                let value = self.read_register(*reg, ty);
                Ok(self.build.ins().iadd_imm_s(value, *offset))
            }
            Arg::Sink => {
                let zero = Literal::Integer(0, false);
                Ok(self.number(zero, ty))
            }
            other => refuse(format!("operand {other:?}")),
        }
    }

    /// A predicate.
    pub fn predicate(&mut self, reg: Reg) -> Value {
        let variable = self.variable(reg);
        self.build.use_var(variable)
    }

    fn read_register(&mut self, reg: Reg, ty: Type) -> Value {
        let variable = self.variable(reg);
        let value = self.build.use_var(variable);
        self.fit(value, clif(ty), ty.is_signed())
    }

    /// A number as a value of a type.
    pub fn number(&mut self, number: Literal, ty: Type) -> Value {
        let to = clif(ty);
        if to == types::F32 {
            let value = match number {
                Literal::Single(bits) => f32::from_bits(bits),
                Literal::Double(bits) => f64::from_bits(bits) as f32,
                Literal::Integer(value, _) => value.cast_signed() as f32,
            };
            return self.build.ins().f32const(value);
        }
        if to == types::F64 {
            let value = match number {
                Literal::Single(bits) => f64::from(f32::from_bits(bits)),
                Literal::Double(bits) => f64::from_bits(bits),
                Literal::Integer(value, _) => value.cast_signed() as f64,
            };
            return self.build.ins().f64const(value);
        }
        if to == types::I128 {
            let low = self
                .build
                .ins()
                .iconst(types::I64, number.bits().cast_signed());
            return self.build.ins().uextend(types::I128, low);
        }
        self.integer(to, number.bits())
    }

    /// An integer constant of which so many bits are taken as the type has.
    pub fn integer(&mut self, ty: ir::Type, value: u64) -> Value {
        let mask = u64::MAX >> (64 - ty.bits().min(64));
        self.build.ins().iconst(ty, (value & mask).cast_signed())
    }

    /// A result, in a register as wide as its type or wider.
    pub fn write(&mut self, arg: &Arg, ty: Type, value: Value) -> Done {
        match arg {
            Arg::Reg(reg) => {
                let to = clif(self.flat.registers[reg.0 as usize]);
                let value = self.fit(value, to, ty.is_signed());
                let variable = self.variable(*reg);
                self.build.def_var(variable, value);
                Ok(())
            }
            Arg::Sink => Ok(()),
            other => refuse(format!("result {other:?}")),
        }
    }

    /// The same bits in another type: cut off, or extended.
    pub fn fit(&mut self, value: Value, to: ir::Type, signed: bool) -> Value {
        let from = self.build.func.dfg.value_type(value);
        if from == to {
            return value;
        }
        let whole = if from.is_float() {
            let ty = if from == types::F32 {
                types::I32
            } else {
                types::I64
            };
            self.build.ins().bitcast(ty, MemFlagsData::new(), value)
        } else {
            value
        };
        let wanted = match to {
            types::F32 => types::I32,
            types::F64 => types::I64,
            other => other,
        };
        let from = self.build.func.dfg.value_type(whole);
        let sized = match from.bits().cmp(&wanted.bits()) {
            std::cmp::Ordering::Equal => whole,
            std::cmp::Ordering::Greater => self.build.ins().ireduce(wanted, whole),
            std::cmp::Ordering::Less if signed => self.build.ins().sextend(wanted, whole),
            std::cmp::Ordering::Less => self.build.ins().uextend(wanted, whole),
        };
        if to.is_float() {
            return self.build.ins().bitcast(to, MemFlagsData::new(), sized);
        }
        sized
    }

    /// The address of something in generic space; of shared variables, in the space of shared memory.
    pub fn address_of(&mut self, symbol: &Symbol) -> Done<(Value, i64)> {
        use crate::context::offset;
        use migfit_ptx::text::types::Space;
        if let Some(own) = self.own_address(symbol) {
            return Ok(own);
        }
        match symbol {
            Symbol::Storage(nth) => {
                let offset = self
                    .layout
                    .offsets
                    .get(*nth)
                    .copied()
                    .unwrap_or(0)
                    .cast_signed();
                let base = if self.flat.storage[*nth].space == Space::Shared {
                    self.build.ins().iconst(types::I64, 0)
                } else {
                    self.frame_base()
                };
                Ok((base, offset))
            }
            Symbol::Variable(file, name) => match self.env.variable(*file, name) {
                Some(at) => Ok((self.pointer(offset::VARIABLES), at.cast_signed())),
                None => refuse(format!("variable {name}")),
            },
            Symbol::Function(file, name) => match self.env.function_number(*file, name) {
                Some(number) => Ok((self.build.ins().iconst(types::I64, number.cast_signed()), 0)),
                None => refuse(format!("address of function {name}")),
            },
            Symbol::Parameter(_) | Symbol::Return(_) => refuse("parameter"),
            Symbol::Foreign(name) => refuse(name.clone()),
        }
    }
}
