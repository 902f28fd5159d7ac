//! Loads and stores.

use super::function::{Done, Translation, clif, constant_memory, refuse};
use super::moves::one_type;
use crate::context::offset;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use migfit_ptx::flow::flat::{Arg, Symbol};
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::{Space, Type};

/// An address with a part that is known.
#[derive(Clone, Copy)]
pub struct Address {
    base: Value,
    offset: i32,
    /// Whether what lies there does not change while the code runs.
    constant: bool,
}

impl Translation<'_, '_, '_> {
    /// `ld`.
    pub fn load(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let [to, Arg::Memory(from)] = args else {
            return refuse(instruction.name());
        };
        let ty = one_type(instruction)?;
        let address = self.address(instruction, from)?;
        let parts = match to {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut values = Vec::new();
        for nth in 0..parts.len() {
            values.push(self.load_one(instruction, address.part(nth, ty), ty));
        }
        for (part, value) in parts.iter().zip(values) {
            self.write(part, ty, value)?;
        }
        Ok(())
    }

    fn load_one(&mut self, instruction: &Instruction, address: Address, ty: Type) -> Value {
        if is_strong(instruction) && clif(ty) != types::I128 {
            let place = self.whole(address);
            let bits = super::moves::int(clif(ty).bits());
            let value = self
                .build
                .ins()
                .atomic_load(bits, MemFlagsData::new(), place);
            return self.fit(value, clif(ty), false);
        }
        let flags = match address.constant {
            true => constant_memory(),
            false => MemFlagsData::new(),
        };
        self.build
            .ins()
            .load(clif(ty), flags, address.base, address.offset)
    }

    /// `st`.
    pub fn store(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let [Arg::Memory(to), from] = args else {
            return refuse(instruction.name());
        };
        let ty = one_type(instruction)?;
        let address = self.address(instruction, to)?;
        let parts = match from {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        for (nth, part) in parts.iter().enumerate() {
            let value = self.read(part, ty)?;
            let address = address.part(nth, ty);
            if is_strong(instruction) && clif(ty) != types::I128 {
                let place = self.whole(address);
                let bits = self.fit(value, super::moves::int(clif(ty).bits()), false);
                self.build
                    .ins()
                    .atomic_store(MemFlagsData::new(), bits, place);
            } else {
                self.build
                    .ins()
                    .store(MemFlagsData::new(), value, address.base, address.offset);
            }
        }
        Ok(())
    }

    /// An address as one value.
    pub fn whole(&mut self, address: Address) -> Value {
        match address.offset {
            0 => address.base,
            offset => self.build.ins().iadd_imm_s(address.base, i64::from(offset)),
        }
    }

    /// Where an operand in brackets lies in this process.
    pub fn address(&mut self, instruction: &Instruction, parts: &[Arg]) -> Done<Address> {
        let [arg] = parts else {
            return refuse(instruction.name());
        };
        let mut spaces = instruction
            .modifiers
            .iter()
            .filter_map(|word| Space::named(word));
        let space = spaces.next();
        if instruction.has("shared::cluster") {
            return refuse(instruction.name());
        }
        let shared = space == Some(Space::Shared);
        let (base, offset) = self.base(arg, shared)?;
        let constant = space == Some(Space::Param) && self.is_own_parameter(arg);
        let base = if shared {
            let window = self.pointer(offset::SHARED);
            self.build.ins().iadd(window, base)
        } else {
            base
        };
        Ok(match i32::try_from(offset) {
            Ok(offset) => Address {
                base,
                offset,
                constant,
            },
            Err(_) => Address {
                base: self.build.ins().iadd_imm_s(base, offset),
                offset: 0,
                constant,
            },
        })
    }

    /// A kernel's parameters do not change; those of a call lie in memory of the caller.
    fn is_own_parameter(&self, arg: &Arg) -> bool {
        self.call.is_none() && matches!(arg, Arg::Symbol(Symbol::Parameter(_), _))
    }

    fn base(&mut self, arg: &Arg, shared: bool) -> Done<(Value, i64)> {
        match arg {
            Arg::Reg(reg) | Arg::RegOffset(reg, _) => {
                let offset = match arg {
                    Arg::RegOffset(_, offset) => *offset,
                    _ => 0,
                };
                if !shared {
                    return Ok((self.read(&Arg::Reg(*reg), Type::U64)?, offset));
                }
                // Addresses in shared memory have 32 bits, and wrap there: a register may be below zero.
                let value = self.read(&Arg::Reg(*reg), Type::U32)?;
                let value = match offset {
                    0 => value,
                    offset => self.build.ins().iadd_imm_s(value, i64::from(offset as i32)),
                };
                Ok((self.fit(value, types::I64, false), 0))
            }
            Arg::Symbol(symbol, offset) => {
                let (base, more) = self.address_of(symbol)?;
                Ok((base, more.wrapping_add(*offset)))
            }
            Arg::Number(number) => {
                let base = self.build.ins().iconst(types::I64, 0);
                Ok((base, number.bits().cast_signed()))
            }
            other => refuse(format!("address {other:?}")),
        }
    }
}

impl Address {
    /// The address of an element behind it.
    fn part(self, nth: usize, ty: Type) -> Address {
        let bytes = i32::try_from(nth).unwrap_or(0) * ty.bytes().cast_signed();
        Address {
            offset: self.offset.wrapping_add(bytes),
            ..self
        }
    }
}

/// Whether others must see an access as it is written.
fn is_strong(instruction: &Instruction) -> bool {
    let words = ["volatile", "relaxed", "acquire", "release", "mmio"];
    let shared = instruction.has("shared");
    // A block's shared memory is used by one worker alone.
    !shared && words.iter().any(|word| instruction.has(word))
}
