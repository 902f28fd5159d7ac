//! Calls of functions that do not stand in place, and arguments in registers.

use super::function::{Done, Shape, Translation, clif, refuse};
use crate::error::FaultKind;
use crate::host;
use crate::layout::MOST_ALIGN;
use cranelift_codegen::ir::{
    InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, TrapCode, Value, types,
};
use migfit_ptx::flow::addresses;
use migfit_ptx::flow::flat::{Arg, Symbol};
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// `call` of a function, by its name or through its address.
    pub fn call(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let (results, callee, rest) = match args {
            [Arg::List(results), callee, rest @ ..] => (results.as_slice(), callee, rest),
            [callee, rest @ ..] => (&[][..], callee, rest),
            [] => return refuse(instruction.name()),
        };
        let arguments = match rest.first() {
            Some(Arg::List(all)) => all.as_slice(),
            _ => &[],
        };
        let given = self.area(arguments)?;
        for (arg, offset) in arguments.iter().zip(&given.1) {
            self.carry_over(arg, given.0, *offset, true)?;
        }
        let got = self.area(results)?;
        match callee {
            Arg::Symbol(Symbol::Function(file, name), 0) => {
                self.call_by_name(*file, name, given.0, got.0)?
            }
            Arg::Symbol(Symbol::Foreign(name), _) => {
                let Some((function, ends)) = host::brought(name) else {
                    return refuse(format!("call of {name}"));
                };
                let values = [self.context, self.thread, given.0, got.0];
                self.call_math(function as *const (), &values, None);
                if ends {
                    self.build.ins().trap(TrapCode::unwrap_user(1));
                    let unreached = self.build.create_block();
                    self.build.switch_to_block(unreached);
                }
            }
            address => {
                let shape = (self.bytes_of(arguments)?, self.bytes_of(results)?);
                self.call_by_address(address, &shape, given.0, got.0)?;
            }
        }
        for (arg, offset) in results.iter().zip(&got.1) {
            self.carry_over(arg, got.0, *offset, false)?;
        }
        Ok(())
    }

    fn call_by_name(&mut self, file: usize, name: &str, given: Value, got: Value) -> Done {
        let Some(function) = self.env.function(self.build.func, file, name) else {
            return refuse(format!("call of {name}"));
        };
        let [x, y, z] = self.position;
        let values = [self.context, self.thread, x, y, z, given, got];
        self.build.ins().call(function, &values);
        Ok(())
    }

    /// Calls the one of the functions whose addresses are taken that has this address.
    fn call_by_address(&mut self, address: &Arg, shape: &Shape, given: Value, got: Value) -> Done {
        let address = self.read(address, Type::U64)?;
        let nth = self
            .build
            .ins()
            .iadd_imm_s(address, -addresses::STEP.cast_signed());
        // Rotated, what is no multiple of the step is far too large.
        let nth = self
            .build
            .ins()
            .rotr_imm_u(nth, i64::from(addresses::STEP.trailing_zeros()));
        let most = self.build.ins().iconst(types::I64, i64::from(u32::MAX));
        let nth = self.build.ins().umin(nth, most);
        let nth = self.build.ins().ireduce(types::I32, nth);
        let (wild, behind) = (self.build.create_block(), self.build.create_block());
        let functions = self.env.taken();
        let mut blocks = Vec::new();
        for (file, name, its) in &functions {
            blocks.push((its == shape).then(|| (*file, name, self.build.create_block())));
        }
        let targets: Vec<_> = blocks
            .iter()
            .map(|one| one.as_ref().map_or(wild, |(_, _, block)| *block))
            .collect();
        self.table(nth, &targets, wild);
        for (file, name, block) in blocks.into_iter().flatten() {
            self.build.switch_to_block(block);
            self.call_by_name(file, name, given, got)?;
            self.build.ins().jump(behind, &[]);
        }
        self.build.switch_to_block(wild);
        self.trap(FaultKind::Instruction);
        self.build.switch_to_block(behind);
        Ok(())
    }

    fn bytes_of(&self, args: &[Arg]) -> Done<Vec<u64>> {
        args.iter().map(|arg| Ok(self.size(arg)?.0)).collect()
    }

    /// Room for values one behind the other: its address, and where each lies.
    fn area(&mut self, args: &[Arg]) -> Done<(Value, Vec<u64>)> {
        let mut end = 0_u64;
        let mut offsets = Vec::new();
        for arg in args {
            let (bytes, align) = self.size(arg)?;
            let start = end.next_multiple_of(align.clamp(1, MOST_ALIGN));
            end = start.saturating_add(bytes);
            offsets.push(start);
        }
        let bytes = u32::try_from(end).unwrap_or(u32::MAX);
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4);
        let slot = self.build.create_sized_stack_slot(slot);
        Ok((self.build.ins().stack_addr(types::I64, slot, 0), offsets))
    }

    fn size(&self, arg: &Arg) -> Done<(u64, u64)> {
        match arg {
            Arg::Symbol(Symbol::Storage(nth), 0) => {
                let storage = &self.flat.storage[*nth];
                Ok((storage.bytes, storage.align))
            }
            Arg::Reg(reg) => {
                let bytes = u64::from(self.flat.registers[reg.0 as usize].bytes());
                Ok((bytes, bytes))
            }
            _ => refuse("argument"),
        }
    }

    /// Copies an argument to the room for it, or a result from there.
    fn carry_over(&mut self, arg: &Arg, room: Value, at: u64, forth: bool) -> Done {
        let offset = |bytes: u64| i32::try_from(bytes).unwrap_or(i32::MAX);
        let flags = MemFlagsData::trusted();
        if let Arg::Reg(reg) = arg {
            let ty = self.flat.registers[reg.0 as usize];
            if forth {
                let value = self.read(arg, ty)?;
                self.build.ins().store(flags, value, room, offset(at));
                return Ok(());
            }
            let value = self.build.ins().load(clif(ty), flags, room, offset(at));
            return self.write(arg, ty, value);
        }
        let Arg::Symbol(symbol, _) = arg else {
            return refuse("argument");
        };
        let (bytes, _) = self.size(arg)?;
        let (own, start) = self.address_of(symbol)?;
        let own = self.build.ins().iadd_imm_s(own, start);
        let mut done = 0;
        while done < bytes {
            let (ty, step) = match bytes - done {
                8.. => (types::I64, 8),
                4.. => (types::I32, 4),
                2.. => (types::I16, 2),
                _ => (types::I8, 1),
            };
            let (from, to) = match forth {
                true => ((own, done), (room, at + done)),
                false => ((room, at + done), (own, done)),
            };
            let plain = MemFlagsData::new();
            let value = self.build.ins().load(ty, plain, from.0, offset(from.1));
            self.build.ins().store(plain, value, to.0, offset(to.1));
            done += step;
        }
        Ok(())
    }

    /// An argument of a function that stands in place, or its result, by way of a register or a variable.
    pub fn argument(&mut self, to: &Arg, from: &Arg) -> Done {
        let ty = match (to, from) {
            (Arg::Reg(reg), _) | (_, Arg::Reg(reg)) => self.flat.registers[reg.0 as usize],
            _ => Type::B64,
        };
        if let Arg::Symbol(symbol, offset) = to {
            let value = self.read(from, ty)?;
            let (base, more) = self.address_of(symbol)?;
            let place = self
                .build
                .ins()
                .iadd_imm_s(base, more.wrapping_add(*offset));
            self.build.ins().store(MemFlagsData::new(), value, place, 0);
            return Ok(());
        }
        let value = self.read(from, ty)?;
        self.write(to, ty, value)
    }
}
