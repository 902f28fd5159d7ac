//! Atomic operations. A block runs on one worker, so those on its shared memory need no care.

use super::function::{Done, Translation, clif, refuse};
use super::half::is_half;
use super::moves::{int, one_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, MemFlagsData, Value, types};
use migfit_ptx::flow::flat::Arg;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// `atom` and `red`.
    pub fn atomic(&mut self, instruction: &Instruction, args: &[Arg]) -> Done {
        let ty = one_type(instruction)?;
        let (to, rest) = match (instruction.opcode.as_str(), args) {
            ("atom", [to, rest @ ..]) => (Some(to), rest),
            (_, rest) => (None, rest),
        };
        let [Arg::Memory(place), values @ ..] = rest else {
            return refuse(instruction.name());
        };
        let address = self.address(instruction, place)?;
        let place = self.whole(address);
        let known = [
            "add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas",
        ];
        let operation = instruction
            .modifiers
            .iter()
            .find(|word| known.contains(&word.as_str()));
        let Some(operation) = operation else {
            return refuse(instruction.name());
        };
        if ty == Type::B128 || is_half(ty) && operation != "add" {
            return refuse(instruction.name());
        }
        let mut operands = Vec::new();
        for value in values {
            operands.push(self.read(value, ty)?);
        }
        let old = match (operation.as_str(), operands.as_slice()) {
            ("cas", [expected, wanted]) => {
                let bits = int(clif(ty).bits());
                let (expected, wanted) = (
                    self.fit(*expected, bits, false),
                    self.fit(*wanted, bits, false),
                );
                self.build
                    .ins()
                    .atomic_cas(MemFlagsData::new(), place, expected, wanted)
            }
            (name, [value]) => self.exchange(name, place, *value, ty)?,
            _ => return refuse(instruction.name()),
        };
        match to {
            Some(to) => {
                let old = self.fit(old, clif(ty), false);
                self.write(to, ty, old)
            }
            None => Ok(()),
        }
    }

    fn exchange(&mut self, name: &str, place: Value, value: Value, ty: Type) -> Done<Value> {
        let signed = ty.is_signed();
        let operation = match (name, signed) {
            _ if (ty.is_float() || is_half(ty)) && name != "exch" => None,
            ("add", _) => Some(AtomicRmwOp::Add),
            ("and", _) => Some(AtomicRmwOp::And),
            ("or", _) => Some(AtomicRmwOp::Or),
            ("xor", _) => Some(AtomicRmwOp::Xor),
            ("exch", _) => Some(AtomicRmwOp::Xchg),
            ("min", true) => Some(AtomicRmwOp::Smin),
            ("max", true) => Some(AtomicRmwOp::Smax),
            ("min", false) => Some(AtomicRmwOp::Umin),
            ("max", false) => Some(AtomicRmwOp::Umax),
            _ => None,
        };
        let bits = int(clif(ty).bits());
        if let Some(operation) = operation {
            let value = self.fit(value, bits, false);
            return Ok(self.build.ins().atomic_rmw(
                bits,
                MemFlagsData::new(),
                operation,
                place,
                value,
            ));
        }
        self.retried(name, place, value, ty, bits)
    }

    /// What the processor has no instruction for: worked out, and tried again where another was faster.
    fn retried(
        &mut self,
        name: &str,
        place: Value,
        value: Value,
        ty: Type,
        bits: ir::Type,
    ) -> Done<Value> {
        let (again, done) = (self.build.create_block(), self.build.create_block());
        let seen = self.build.append_block_param(again, bits);
        let first = self.build.ins().load(bits, MemFlagsData::new(), place, 0);
        self.jump_with(again, &[first]);
        self.build.switch_to_block(again);
        let wanted = self.changed(name, seen, value, ty)?;
        let wanted = self.fit(wanted, bits, false);
        let found = self
            .build
            .ins()
            .atomic_cas(MemFlagsData::new(), place, seen, wanted);
        let same = self.build.ins().icmp(IntCC::Equal, found, seen);
        let args = [ir::BlockArg::from(found)];
        self.build.ins().brif(same, done, &[], again, &args);
        self.build.switch_to_block(done);
        Ok(seen)
    }

    fn changed(&mut self, name: &str, seen: Value, value: Value, ty: Type) -> Done<Value> {
        let zero = self.integer(types::I32, 0);
        Ok(match name {
            "add" if is_half(ty) => {
                let old = self.fit(seen, clif(ty), false);
                self.half_sum(old, value, ty)
            }
            "add" if ty.is_float() => {
                let old = self.fit(seen, clif(ty), false);
                self.build.ins().fadd(old, value)
            }
            "inc" => {
                let more = self.build.ins().iadd_imm_s(seen, 1);
                let over = self
                    .build
                    .ins()
                    .icmp(IntCC::UnsignedGreaterThanOrEqual, seen, value);
                self.build.ins().select(over, zero, more)
            }
            "dec" => {
                let less = self.build.ins().iadd_imm_s(seen, -1);
                let none = self.build.ins().icmp_imm_u(IntCC::Equal, seen, 0);
                let over = self
                    .build
                    .ins()
                    .icmp(IntCC::UnsignedGreaterThan, seen, value);
                let wraps = self.build.ins().bor(none, over);
                self.build.ins().select(wraps, value, less)
            }
            _ => return refuse(format!("atomic {name}.{}", ty.name())),
        })
    }
}
