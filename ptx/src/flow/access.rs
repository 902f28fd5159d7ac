//! Which registers a step reads and which it writes.

use super::flat::{Arg, Op, Reg, Step};

/// Instructions whose first operand is no result.
const WITHOUT_RESULT: [&str; 24] = [
    "st",
    "bra",
    "brx",
    "red",
    "ret",
    "exit",
    "trap",
    "brkpt",
    "membar",
    "fence",
    "prefetch",
    "prefetchu",
    "nanosleep",
    "discard",
    "applypriority",
    "pmevent",
    "sust",
    "sured",
    "cp",
    "stmatrix",
    "griddepcontrol",
    "setmaxnreg",
    "mbarrier",
    "stackrestore",
];

impl Step<'_> {
    /// Calls `read` and `write` for each register that it reads or writes.
    pub fn access(&self, read: &mut dyn FnMut(Reg), write: &mut dyn FnMut(Reg)) {
        if let Some((guard, _)) = self.guard {
            read(guard);
        }
        let results = self.results();
        for (nth, arg) in self.args.iter().enumerate() {
            if nth < results {
                result(arg, read, write);
            } else {
                each(arg, read);
            }
        }
    }

    /// How many of its first operands are results.
    fn results(&self) -> usize {
        let Op::Given(instruction) = self.op else {
            return usize::from(matches!(self.op, Op::Move));
        };
        let none = match instruction.opcode.as_str() {
            "call" => !matches!(self.args.first(), Some(Arg::List(_))),
            "bar" | "barrier" => !instruction.has("red"),
            opcode => WITHOUT_RESULT.contains(&opcode),
        };
        usize::from(!none)
    }
}

fn result(arg: &Arg, read: &mut dyn FnMut(Reg), write: &mut dyn FnMut(Reg)) {
    match arg {
        Arg::Vector(all) | Arg::List(all) => all.iter().for_each(|one| result(one, read, write)),
        Arg::Pair(first, second) => {
            result(first, read, write);
            result(second, read, write);
        }
        Arg::Reg(reg) => write(*reg),
        other => each(other, read),
    }
}

fn each(arg: &Arg, read: &mut dyn FnMut(Reg)) {
    match arg {
        Arg::Reg(reg) | Arg::RegOffset(reg, _) | Arg::Not(reg) => read(*reg),
        Arg::Vector(all) | Arg::List(all) | Arg::Memory(all) => {
            all.iter().for_each(|one| each(one, read));
        }
        Arg::Pair(first, second) => {
            each(first, read);
            each(second, read);
        }
        Arg::Symbol(..) | Arg::Label(_) | Arg::Targets(_) | Arg::Number(_) | Arg::Sink => {}
    }
}
