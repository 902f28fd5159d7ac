//! What one evaluation saw: what each register held first and last, who wrote what each load read, what the calls of
//! models were about. Bounded by the size of the program, however long it runs.

use migfit_schema::program::{BlockId, FunctionId, Reg, SizeProgram};
use std::collections::{BTreeMap, BTreeSet};

/// Writers that are kept of one load.
const MOST_WRITERS: usize = 4;
/// Lines that are kept of one call.
const MOST_LINES: usize = 2;

/// An instruction: function, block, index in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// Function.
    pub function: FunctionId,
    /// Block.
    pub block: BlockId,
    /// Instruction of the block.
    pub index: u32,
}

/// What a register held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// How often it was written.
    pub times: u64,
    /// Its first bits, and its last ones.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// Whether it was ever not known.
    pub unknown: bool,
}

/// Notes of one evaluation.
#[derive(Debug, Default)]
pub struct Watch {
    held: Vec<Vec<Held>>,
    read: BTreeMap<(FunctionId, Reg), BTreeSet<At>>,
    calls: BTreeMap<At, Vec<String>>,
    callers: BTreeMap<FunctionId, BTreeSet<At>>,
    ran: BTreeSet<At>,
}

impl Watch {
    /// Nothing seen yet of a program.
    #[must_use]
    pub fn new(program: &SizeProgram) -> Watch {
        let functions = program.functions.iter();
        let held = functions.map(|function| vec![Held::default(); function.registers as usize]);
        Watch {
            held: held.collect(),
            ..Watch::default()
        }
    }

    /// Notes what a register holds; `bits` is none where that is not known.
    pub fn holds(&mut self, function: FunctionId, register: Reg, bits: Option<u64>) {
        let registers = self.held.get_mut(function as usize);
        let Some(held) = registers.and_then(|all| all.get_mut(register as usize)) else {
            return;
        };
        let Some(bits) = bits else {
            held.times += 1;
            held.unknown = true;
            return;
        };
        if held.times == 0 {
            held.first = bits;
        }
        held.last = bits;
        held.times += 1;
    }

    /// Notes who wrote what a load reads.
    pub fn reads(&mut self, function: FunctionId, register: Reg, writer: At) {
        let writers = self.read.entry((function, register)).or_default();
        if writers.len() < MOST_WRITERS {
            writers.insert(writer);
        }
    }

    /// Notes what a call of a function outside is about.
    pub fn calls(&mut self, at: At, line: Option<String>) {
        self.ran.insert(at);
        let lines = self.calls.entry(at).or_default();
        if let Some(line) = line
            && lines.len() < MOST_LINES
            && !lines.contains(&line)
        {
            lines.push(line);
        }
    }

    /// Notes a call of a function of the program.
    pub fn enters(&mut self, at: At, function: FunctionId) {
        self.ran.insert(at);
        self.callers.entry(function).or_default().insert(at);
    }

    /// What a register held; none where it was never written.
    #[must_use]
    pub fn held(&self, function: FunctionId, register: Reg) -> Option<Held> {
        let held = self.held.get(function as usize)?.get(register as usize)?;
        (held.times > 0).then_some(*held)
    }

    /// Who wrote what a load read.
    pub fn writers(&self, function: FunctionId, register: Reg) -> impl Iterator<Item = At> + '_ {
        self.read
            .get(&(function, register))
            .into_iter()
            .flatten()
            .copied()
    }

    /// What a call was about.
    #[must_use]
    pub fn lines(&self, at: At) -> &[String] {
        self.calls.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Calls of a function of the program that ran.
    pub fn callers(&self, function: FunctionId) -> impl Iterator<Item = At> + '_ {
        self.callers.get(&function).into_iter().flatten().copied()
    }

    /// Whether a call ran.
    #[must_use]
    pub fn ran(&self, at: At) -> bool {
        self.ran.contains(&at)
    }
}
