//! Registers that have one value for the whole life of a thread, worked out of parameters and the thread's place alone.
//! They are worked out anew behind a wait (the code generator does so only where they are used), not saved.

use super::function::{Refused, Translation};
use migfit_ptx::flow::flat::{Arg, Op, Reg, Step, Symbol};
use std::collections::HashSet;

/// Such registers, and the steps that work them out.
#[derive(Default)]
pub struct Fixed {
    registers: HashSet<Reg>,
    steps: HashSet<usize>,
}

impl Fixed {
    /// Whether a step works one of them out.
    pub fn defines(&self, step: usize) -> bool {
        self.steps.contains(&step)
    }

    /// Whether a register is one.
    pub fn holds(&self, reg: Reg) -> bool {
        self.registers.contains(&reg)
    }
}

/// What may be worked out at any time: no memory but parameters, no fault.
const PURE: [&str; 12] = [
    "mov", "cvta", "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "cvt", "ld",
];

/// Special registers that do not change.
const PLACES: [&str; 13] = [
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
];

impl Translation<'_, '_, '_> {
    /// Finds them, and works them out here.
    pub fn fix(&mut self) -> Result<(), Refused> {
        let mut writes = vec![0_u32; self.flat.registers.len()];
        for step in &self.flat.steps {
            step.access(&mut |_| {}, &mut |reg| writes[reg.0 as usize] += 1);
        }
        let steps = &self.flat.steps;
        for (nth, step) in steps.iter().enumerate() {
            let Some(Arg::Reg(to)) = step.args.first() else {
                continue;
            };
            if writes[to.0 as usize] != 1 || !self.is_pure(step) {
                continue;
            }
            if let Op::Given(instruction) = step.op {
                self.plain(instruction, step)
                    .map_err(|refusal| (nth, refusal))?;
                self.fixed.registers.insert(*to);
                self.fixed.steps.insert(nth);
            }
        }
        Ok(())
    }

    fn is_pure(&self, step: &Step) -> bool {
        let Op::Given(instruction) = step.op else {
            return false;
        };
        let opcode = instruction.opcode.as_str();
        // A carry is passed on from step to step.
        let plain = PURE.contains(&opcode) && !instruction.has("cc") && step.guard.is_none();
        let parameter = opcode != "ld"
            || matches!(step.args.get(1), Some(Arg::Memory(all)) if is_parameter(all));
        plain && parameter && step.args.iter().skip(1).all(|arg| self.is_fixed(arg))
    }

    fn is_fixed(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Reg(reg) | Arg::RegOffset(reg, _) | Arg::Not(reg) => self.fixed.holds(*reg),
            Arg::Memory(all) => all.iter().all(|one| self.is_fixed(one)),
            Arg::Symbol(Symbol::Foreign(name), _) => PLACES.contains(&name.as_str()),
            Arg::Symbol(..) | Arg::Number(_) => true,
            _ => false,
        }
    }
}

fn is_parameter(address: &[Arg]) -> bool {
    matches!(address, [Arg::Symbol(Symbol::Parameter(_), _)])
}
