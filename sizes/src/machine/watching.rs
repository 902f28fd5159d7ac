//! The hooks by which an evaluation that is explained notes what it sees (`crate::explain::watch`).

use super::address::function_at;
use super::run::{Frame, Machine};
use super::tags::Tags;
use super::value::Value;
use crate::explain::{At, Watch};
use crate::models::files::Stream;
use migfit_schema::program::{Callee, Op, Operand, Type};

/// Letters of a text that are shown.
const LETTERS: usize = 40;

impl Machine<'_> {
    /// Begins to watch.
    pub fn watch(&mut self) {
        self.watch = Some(Box::new(Watch::new(self.program)));
        self.host.memory.tags = Some(Box::new(Tags::new()));
    }

    /// Notes what an instruction that is about to run reads, calls, and that it is the one that writes.
    #[cold]
    pub fn watch_op(&mut self, frame: Frame, index: usize, op: &Op) {
        let at = At {
            function: frame.function,
            block: frame.block,
            index: u32::try_from(index).unwrap_or(u32::MAX),
        };
        if let Some(tags) = &mut self.host.memory.tags {
            tags.writer = at;
        }
        match op {
            Op::Load { dst, address, .. } => {
                let address = self.operand(address).bits;
                let tags = self.host.memory.tags.as_ref();
                let writer = tags.and_then(|tags| tags.writer_of(address));
                if let (Some(watch), Some(writer)) = (&mut self.watch, writer) {
                    watch.reads(at.function, *dst, writer);
                }
            }
            Op::Call { callee, args, .. } => self.watch_call(at, callee, args),
            _ => {}
        }
    }

    fn watch_call(&mut self, at: At, callee: &Callee, args: &[(Operand, Type)]) {
        let entered = match callee {
            Callee::Function(function) => Some(*function),
            Callee::Indirect(pointer) => self.operand(pointer).get().ok().and_then(function_at),
            Callee::External(_) => None,
        };
        if let Some(function) = entered {
            if let Some(watch) = &mut self.watch {
                watch.enters(at, function);
            }
            return;
        }
        let values: Vec<(Value, Type)> = args
            .iter()
            .map(|(operand, ty)| (self.operand(operand), *ty))
            .collect();
        let line = values
            .iter()
            .filter(|(_, ty)| *ty == Type::Ptr)
            .find_map(|(value, _)| self.about(*value));
        if let Some(watch) = &mut self.watch {
            watch.calls(at, line);
        }
    }

    /// What a pointer handed to a function outside is: a file with its offset, or a word of the command line.
    fn about(&mut self, pointer: Value) -> Option<String> {
        let address = pointer.get().ok()?;
        match self.host.files.get(address) {
            Some(Stream::Reader(reader)) if !reader.name.is_empty() => {
                let (name, offset) = (&reader.name, reader.position());
                return Some(format!("from the file {name}, at byte {offset}"));
            }
            Some(Stream::Hidden(name)) => return Some(format!("from {name}")),
            _ => {}
        }
        let text = self.host.memory.text(address).ok()?;
        let text = std::str::from_utf8(text).ok()?;
        let command = self.host.command;
        let words = || command.args.iter().skip(1);
        let within = || words().position(|word| word.ends_with(text));
        let word = words().position(|word| word == text).or_else(within);
        let word = word.filter(|_| !text.is_empty());
        let shown: String = text.chars().take(LETTERS).collect();
        let cut = if shown.len() < text.len() { "..." } else { "" };
        let shown = shown.escape_default();
        word.map(|index| format!("\"{shown}{cut}\", word {} of the command line", index + 1))
    }

    /// Notes what the registers of a block hold that was run as far as its `ops`th instruction.
    #[cold]
    pub fn watch_block(&mut self, frame: Frame, ops: usize) {
        let Some(block) = self.block(frame.function, frame.block) else {
            return;
        };
        let phis = block.phis.iter().map(|phi| phi.dst);
        // Where something lies is no figure that anybody asks for.
        let has_figure = |op: &Op| !matches!(op, Op::Alloca { .. } | Op::Offset { .. });
        let done = block.ops.iter().take(ops).map(|found| &found.op);
        let written = done
            .filter(|op| has_figure(op))
            .flat_map(|op| op.written().iter().copied());
        let params = self.program.functions.get(frame.function as usize);
        let params = params.filter(|_| frame.block == 0).into_iter();
        let params = params.flat_map(|function| function.params.iter().map(|(dst, _)| *dst));
        let Some(watch) = &mut self.watch else { return };
        for register in phis.chain(written).chain(params) {
            let value = self.registers.get(frame.base + register as usize);
            let bits = value.and_then(|value| value.get().ok());
            watch.holds(frame.function, register, bits);
        }
    }

    /// Notes the blocks in which the evaluation ended.
    pub fn watch_end(&mut self) {
        for frame in self.frames.clone() {
            self.watch_block(frame, frame.next);
        }
    }
}
