//! Error checks that cost nothing: their conditions are made of what is kept already. They decide no size, but they
//! tell a command line that the program would refuse (a wrong argument, a file that is not there).

use super::keeper::Keeper;
use crate::slice::definitions::Definition;
use crate::slice::effects::{Effect, Returns, State, Use, effect};
use crate::slice::event::may_fail;
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::{
    BlockId, Callee, FunctionId, Op, Operand, Phi, Reg, Terminator, Type,
};
use std::collections::{BTreeSet, HashSet};

/// Conditions made of more than this are left alone.
const MOST: usize = 300;

/// Most callers that a parameter is followed to.
const MOST_CALLERS: usize = 16;

/// Most objects that one instruction may read to be looked into.
const MOST_OBJECTS: usize = 256;

/// Something that has to be cheap.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A value.
    Value(FunctionId, Operand),
    /// What decides whether control comes to a block.
    Arrival(FunctionId, BlockId),
}

impl Keeper<'_> {
    /// Keeps the checks of every function in which something is kept.
    pub(super) fn cheap_checks(&mut self) {
        let program = self.known.program;
        let mut found = Vec::new();
        for (function, body) in (0u32..).zip(&program.functions) {
            if !self.kept.active.contains(&function) {
                continue;
            }
            let blocks = (0u32..).zip(&body.blocks).map(|(block, _)| block);
            let checks = blocks.filter(|block| self.is_check(function, *block));
            found.extend(checks.map(|block| (function, block)));
        }
        for (function, block) in found {
            self.branch(function, block);
        }
    }

    /// A cheap branch with ways that may end well and others that fail.
    fn is_check(&self, function: FunctionId, block: BlockId) -> bool {
        let graphs = self.known.graphs;
        let ways = graphs.control(function).ways(block).len();
        let fails = ways > 0 && graphs.flow(function).after(block).len() > ways;
        fails && self.is_cheap_branch(function, block)
    }

    fn is_cheap_branch(&self, function: FunctionId, block: BlockId) -> bool {
        let value = |value| Part::Value(function, value);
        let mut parts = vec![Part::Arrival(function, block)];
        parts.extend(self.decides(function, block).map(value));
        self.are_cheap(parts)
    }

    /// Whether everything that these are made of is kept already, or costs next to nothing.
    pub(super) fn are_cheap(&self, parts: Vec<Part>) -> bool {
        let mut seen = BTreeSet::new();
        let mut arrivals = BTreeSet::new();
        let mut waiting = parts;
        while let Some(part) = waiting.pop() {
            if seen.len() + arrivals.len() > MOST {
                return false;
            }
            let parts = match part {
                Part::Value(function, Operand::Reg(register))
                    if seen.insert((function, register)) =>
                {
                    self.parts_of_value(function, register)
                }
                Part::Arrival(function, block) if arrivals.insert((function, block)) => {
                    self.parts_of_arrival(function, block)
                }
                Part::Value(..) | Part::Arrival(..) => Some(Vec::new()),
            };
            let Some(parts) = parts else { return false };
            waiting.extend(parts);
        }
        true
    }

    /// What a block's end decides by.
    fn decides(&self, function: FunctionId, block: BlockId) -> std::option::IntoIter<Operand> {
        let body = self.known.program.functions.get(function as usize);
        let end = body.and_then(|body| body.blocks.get(block as usize));
        let value = match end.map(|found| &found.end) {
            Some(
                Terminator::Branch {
                    condition: value, ..
                }
                | Terminator::Switch { value, .. },
            ) => Some(*value),
            _ => None,
        };
        value.into_iter()
    }

    /// What has to be cheap so that coming to a block is; `None`: it is not.
    fn parts_of_arrival(&self, function: FunctionId, block: BlockId) -> Option<Vec<Part>> {
        let control = self.known.graphs.control(function);
        let mut parts = Vec::new();
        for branch in control.controllers(block) {
            if self.kept.branches.contains(&(function, *branch)) {
                continue;
            }
            if !self.is_seldom(function, *branch) {
                return None;
            }
            parts.push(Part::Arrival(function, *branch));
            let decides = self.decides(function, *branch);
            parts.extend(decides.map(|value| Part::Value(function, value)));
        }
        Some(parts)
    }

    /// Whether a block is come to at most once for each word of the command line.
    pub(super) fn is_seldom(&self, function: FunctionId, block: BlockId) -> bool {
        let graphs = self.known.graphs;
        let heads = graphs.loops(function).around(block);
        let mut over_words = heads
            .iter()
            .map(|head| self.is_loop_over_words(function, *head));
        !graphs.flow(function).reaches(block, block)
            || (!heads.is_empty() && over_words.all(|is| is))
    }

    /// What has to be cheap so that a value is; `None`: it is not.
    fn parts_of_value(&self, function: FunctionId, register: Reg) -> Option<Vec<Part>> {
        match self.definitions.get(function, register)? {
            Definition::Op(at, op, _) => self.parts_of_op(at, op),
            Definition::Phi(block, phi) => self.parts_of_phi(function, block, phi),
            Definition::Parameter(_) if self.known.program.main == Some(function) => {
                Some(Vec::new())
            }
            Definition::Parameter(index) => self.parts_of_parameter(function, index),
        }
    }

    /// What the callers give; they are all there, as the function is called where something in it is kept.
    fn parts_of_parameter(&self, function: FunctionId, index: usize) -> Option<Vec<Part>> {
        let sites = self.known.calls.sites(function);
        if sites.is_empty() || sites.len() > MOST_CALLERS {
            return None;
        }
        let given = sites.iter().map(|at| {
            match instruction(self.known.program, *at).map(|found| &found.op) {
                Some(Op::Call {
                    callee: Callee::Function(_) | Callee::Indirect(_),
                    args,
                    ..
                }) => {
                    let (value, _) = args.get(index)?;
                    Some(Part::Value(at.function, *value))
                }
                _ => None,
            }
        });
        given.collect()
    }

    fn parts_of_phi(&self, function: FunctionId, block: BlockId, phi: &Phi) -> Option<Vec<Part>> {
        if self.kept.phis.contains(&(function, phi.dst)) {
            return Some(Vec::new());
        }
        if !self.is_seldom(function, block) {
            return None;
        }
        let mut parts = Vec::new();
        for (from, value) in &phi.incoming {
            if !self.is_seldom(function, *from) {
                return None;
            }
            parts.extend([
                Part::Value(function, *value),
                Part::Arrival(function, *from),
            ]);
            let decides = self.decides(function, *from);
            parts.extend(decides.map(|value| Part::Value(function, value)));
        }
        Some(parts)
    }

    fn parts_of_op(&self, at: Position, op: &Op) -> Option<Vec<Part>> {
        let values = |all: Vec<Operand>| {
            let parts = all.into_iter();
            parts.map(|value| Part::Value(at.function, value)).collect()
        };
        match op {
            Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Copy { .. }
            | Op::Select { .. }
            | Op::Unary { .. }
            | Op::Offset { .. } => Some(values(read(op))),
            Op::Load { address, .. } => {
                let known = !self.known.memory.reads(at).is_empty();
                (known && self.is_filled(at)).then(|| values(vec![*address]))
            }
            Op::Call {
                callee: Callee::External(name),
                args,
                ..
            } => self.parts_of_call(at, name, args).map(values),
            _ => self.kept.ops.contains(&at).then(Vec::new),
        }
    }

    /// A call that is kept, or one that only makes a number of kept memory (atoi). The status of a CUDA call is
    /// success, but for those that may fail for what is known: a lack of memory, a shape.
    fn parts_of_call(
        &self,
        at: Position,
        name: &str,
        args: &[(Operand, Type)],
    ) -> Option<Vec<Operand>> {
        let is_kept = self.kept.ops.contains(&at) && !self.kept.bare.contains(&at);
        if is_kept && may_fail(name) {
            return Some(Vec::new());
        }
        let Some(effect) = effect(name) else {
            return is_kept.then(Vec::new);
        };
        // In a loop over a file's lines even a comparison is dear.
        let flow = self.known.graphs.flow(at.function);
        let once = !flow.reaches(at.block, at.block);
        if once && is_kept && effect.returns != Returns::Status {
            return Some(Vec::new());
        }
        let only_reads = |index: usize, value: Operand| match effect.of_argument(index) {
            Use::Value | Use::Reads | Use::Text | Use::Follows => true,
            Use::Calls | Use::TextBoth | Use::Links | Use::KeptInFirst => false,
            Use::Writes | Use::Both | Use::StoresFirst | Use::StoresFresh => {
                value == Operand::Const(0)
            }
        };
        let makes_number =
            effect.returns == Returns::Value && !keeps_state(effect) && !effect.dropped;
        let mut all = args.iter().enumerate();
        let pure = makes_number
            && self.is_filled(at)
            && all.all(|(index, (value, _))| only_reads(index, *value));
        pure.then(|| args.iter().map(|(value, _)| *value).collect())
    }

    /// Whether everything that may write what an instruction reads is kept. What may read very many objects (in a
    /// library of templates, all that a pointer without a type may lead to) is not looked into.
    fn is_filled(&self, at: Position) -> bool {
        let objects = self.known.memory.reads(at);
        if objects.len() > MOST_OBJECTS {
            return false;
        }
        // One instruction may write several of them.
        let mut seen = HashSet::new();
        let mut writers = objects
            .iter()
            .flat_map(|object| self.known.memory.writers(*object))
            .filter(|writer| seen.insert(**writer));
        writers.all(|writer| {
            !self.may_come_before(*writer, at) || self.kept_with_destinations(*writer, at)
        })
    }

    fn kept_with_destinations(&self, writer: Position, reader: Position) -> bool {
        let objects = self.known.memory.reads(reader);
        let Some(found) = instruction(self.known.program, writer) else {
            return false;
        };
        let written = objects
            .iter()
            .flat_map(|object| self.destinations_in(writer, &found.op, *object));
        let mut written = written.map(|index| self.kept.destinations.contains(&(writer, index)));
        self.kept.ops.contains(&writer) && written.all(|kept| kept)
    }
}

/// Whether a call hangs on earlier ones, or later ones on it; `errno` tells only of this one.
fn keeps_state(effect: Effect) -> bool {
    effect.state.is_some_and(|state| state != State::Errno)
}
