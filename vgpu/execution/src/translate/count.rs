//! What straight pieces of code cost, and the instructions that count how often each is run. It must not know what the
//! counts are for: their sums do not depend on the computer, its load, or how many blocks run at a time.

use super::function::Translation;
use crate::context::offset;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use migfit_ptx::flow::flat::{Arg, Op, Step};
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;
use migfit_schema::record::Work;
use std::ops::Range;

/// Machine instructions that a division, root or reciprocal in full precision is taken for: our estimate, as nobody
/// publishes it. (PTX has one instruction, the assembler makes a short routine of it.)
const ROUTINE: u64 = 10;

impl Translation<'_, '_, '_> {
    /// At the begin of a piece: counts a run of it.
    pub fn count_piece(&mut self, steps: Range<usize>) {
        let mut work = Work::default();
        for step in &self.flat.steps[steps] {
            add(&mut work, cost(step));
            // Under a predicate an instruction is issued in any case, and moves its bytes only where it holds.
            if step.guard.is_none() {
                add(&mut work, bytes(step));
            }
        }
        self.count(work);
    }

    /// Behind the predicate of a step, where it holds.
    pub fn count_guarded(&mut self, step: &Step) {
        self.count(bytes(step));
    }

    fn count(&mut self, work: Work) {
        if work == Work::default() {
            return;
        }
        let Some(nth) = self.env.counter(work) else {
            return;
        };
        let flags = MemFlagsData::trusted();
        let counters = self.pointer(offset::COUNTERS);
        let place = i32::try_from(nth * 8).unwrap_or(0);
        let before = self.build.ins().load(types::I64, flags, counters, place);
        let after = self.build.ins().iadd_imm_s(before, 1);
        self.build.ins().store(flags, after, counters, place);
    }
}

/// Adds work to a sum; sums saturate.
pub fn add(sum: &mut Work, more: Work) {
    add_times(sum, more, 1);
}

/// Adds work that is done so many times.
pub fn add_times(sum: &mut Work, more: Work, times: u64) {
    let plus = |sum: &mut u64, one: u64| *sum = sum.saturating_add(one.saturating_mul(times));
    plus(&mut sum.instructions, more.instructions);
    plus(&mut sum.double, more.double);
    plus(&mut sum.shared, more.shared);
    plus(&mut sum.atomics, more.atomics);
    plus(&mut sum.read_bytes, more.read_bytes);
    plus(&mut sum.written_bytes, more.written_bytes);
    plus(&mut sum.distinct_bytes, more.distinct_bytes);
}

/// What a step takes of the processor.
fn cost(step: &Step) -> Work {
    let Op::Given(instruction) = step.op else {
        // What stands in place of a call takes no instruction of its own.
        return Work::default();
    };
    let opcode = instruction.opcode.as_str();
    let routine = matches!(opcode, "div" | "sqrt" | "rcp" | "rem") && !instruction.has("approx");
    let issued = if routine { ROUTINE } else { 1 };
    let double = instruction.types().next() == Some(Type::F64) && is_arithmetic(opcode);
    Work {
        instructions: issued,
        double: if double { issued } else { 0 },
        shared: u64::from(instruction.has("shared")),
        atomics: u64::from(matches!(opcode, "atom" | "red")),
        ..Work::default()
    }
}

fn is_arithmetic(opcode: &str) -> bool {
    matches!(
        opcode,
        "add"
            | "sub"
            | "mul"
            | "fma"
            | "mad"
            | "div"
            | "rcp"
            | "sqrt"
            | "rsqrt"
            | "min"
            | "max"
            | "setp"
    )
}

/// What a step moves to and from memory outside the block.
fn bytes(step: &Step) -> Work {
    let mut work = Work::default();
    let Op::Given(instruction) = step.op else {
        return work;
    };
    let elsewhere = ["shared", "local", "param"];
    if elsewhere.iter().any(|space| instruction.has(space)) {
        return work;
    }
    let bytes = size(instruction, &step.args);
    match instruction.opcode.as_str() {
        "ld" | "ldu" | "tex" | "tld4" | "suld" => work.read_bytes = bytes,
        "st" | "sust" => work.written_bytes = bytes,
        "atom" | "red" => (work.read_bytes, work.written_bytes) = (bytes, bytes),
        _ => {}
    }
    work
}

/// Bytes of the operand: its type, as often as a vector has it. A texel has what the vector that it goes to has.
fn size(instruction: &Instruction, args: &[Arg]) -> u64 {
    let one = instruction
        .types()
        .next()
        .map_or(0, |ty| u64::from(ty.bytes()));
    let parts = args.iter().find_map(|arg| match arg {
        Arg::Vector(parts) => Some(parts.len() as u64),
        _ => None,
    });
    one * parts.unwrap_or(1)
}
