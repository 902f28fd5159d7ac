//! Skipping both sides of an unknown branch: everything that either side may write becomes unknown.
//! Looks at the instructions between the branch and the block where the sides join, without running them.

use super::address::global_address;
use super::arithmetic::bytes;
use super::host::End;
use super::mark::Mark;
use super::run::{Machine, malformed};
use super::step::set;
use super::value::Value;
use crate::models;
use crate::report;
use migfit_schema::program::{
    Block, BlockId, Callee, Function, FunctionId, Op, Operand, Reg, Terminator, Type, UNCHECKED,
};
use std::collections::{BTreeMap, BTreeSet};

/// What defines a register between the branch and the join.
#[derive(Clone, Copy)]
enum Definition<'p> {
    Op(&'p Op),
    Phi(&'p [(BlockId, Operand)]),
}

/// The blocks between a branch and its join.
struct Region<'p> {
    blocks: BTreeSet<BlockId>,
    definitions: BTreeMap<Reg, Definition<'p>>,
}

/// Something that may have been written: an address, and whether it is exact.
#[derive(Clone, Copy)]
struct Target {
    address: Value,
    exact: bool,
}

impl<'p> Machine<'p> {
    /// Goes to where the sides of an unknown branch join.
    pub fn join(&mut self, target: BlockId, mark: Mark) -> Result<(), End> {
        let frame = self.frame()?;
        let function = self
            .program
            .functions
            .get(frame.function as usize)
            .ok_or_else(malformed)?;
        let region = Region::between(function, frame.block, target);
        self.host.charge_bytes(64 * region.definitions.len() as u64);
        for id in &region.blocks {
            if let Some(block) = function.blocks.get(*id as usize) {
                self.spoil_block(&region, block, mark);
            }
        }
        let phis = self.joined_phis(function, &region, (frame.block, target), mark);
        self.note_branch(target);
        self.jump(target)?;
        let registers = self.registers.get_mut(frame.base..).unwrap_or_default();
        // Where the branch lies in a loop of the region, what was computed before may be computed anew.
        for register in region.definitions.keys() {
            set(registers, *register, Value::unknown(mark));
        }
        for (register, value) in phis {
            set(registers, register, value);
        }
        Ok(())
    }

    /// The values at the join: known only where both sides give the same and did not compute it.
    fn joined_phis(
        &self,
        function: &Function,
        region: &Region<'p>,
        (branch, target): (BlockId, BlockId),
        mark: Mark,
    ) -> Vec<(Reg, Value)> {
        let Some(block) = function.blocks.get(target as usize) else {
            return Vec::new();
        };
        let comes = |from: &BlockId| *from == branch || region.blocks.contains(from);
        let mut chosen = Vec::new();
        for phi in &block.phis {
            let mut sides = phi.incoming.iter().filter(|(from, _)| comes(from));
            let first = sides.next().map(|(_, operand)| operand);
            let same = first.filter(|first| {
                !region.computes(first) && sides.all(|(_, operand)| operand == *first)
            });
            let value = same.map_or(Value::unknown(mark), |operand| self.operand(operand));
            chosen.push((phi.dst, value));
        }
        chosen
    }

    fn spoil_block(&mut self, region: &Region<'p>, block: &'p Block, mark: Mark) {
        for instruction in &block.ops {
            self.host.place = instruction.place;
            match &instruction.op {
                Op::Store { ty, address, .. } => {
                    self.spoil_target(region, address, Some(bytes(*ty) as u64), mark);
                }
                Op::MemCopy { to, .. } | Op::MemSet { to, .. } => {
                    self.spoil_target(region, to, None, mark);
                }
                Op::Call { callee, args, .. } => self.spoil_call(region, callee, args, mark),
                _ => {}
            }
        }
    }

    /// Spoils what an address may point to; one that cannot be followed becomes an assumption.
    fn spoil_target(
        &mut self,
        region: &Region<'p>,
        address: &Operand,
        len: Option<u64>,
        mark: Mark,
    ) {
        let mut targets = Vec::new();
        if !self.targets(region, address, &mut BTreeSet::new(), &mut targets) {
            let reason = format!(
                "it is taken to hit nothing that matters: {}",
                self.host.explain(mark)
            );
            let place = self.host.place;
            self.host
                .notes
                .assume(place, "write in a branch that is skipped", reason);
        }
        for target in targets {
            match (len, target.exact) {
                (Some(len), true) => self.host.memory.spoil(target.address.bits, len, mark),
                _ => self.host.memory.spoil_object(target.address.bits, mark),
            }
        }
    }

    fn spoil_call(
        &mut self,
        region: &Region<'p>,
        callee: &Callee,
        args: &[(Operand, Type)],
        mark: Mark,
    ) {
        match callee {
            Callee::External(name) if self.opaque.contains(name.as_str()) => {
                let place = self.host.place;
                let name = report::people_name(name);
                self.host.notes.not_looked_into(place, &name);
            }
            Callee::External(name) if name == UNCHECKED => {
                let on_device = args
                    .first()
                    .is_some_and(|(one, _)| *one == Operand::Const(1));
                self.host.ledger.pass_unchecked(self.host.place, on_device);
                return;
            }
            Callee::External(name) if models::only_reads(name) => return,
            Callee::Function(function) => self.spoil_globals_of(*function, mark),
            Callee::External(name) => self.doubt_file(name, args),
            _ => {}
        }
        for (operand, ty) in args {
            if *ty == Type::Ptr {
                let mut targets = Vec::new();
                self.targets(region, operand, &mut BTreeSet::new(), &mut targets);
                for target in targets {
                    self.host.memory.spoil_object(target.address.bits, mark);
                }
            }
        }
    }

    /// The file that a call opens for writing, or removes, may have been changed.
    fn doubt_file(&mut self, name: &str, args: &[(Operand, Type)]) {
        let arg = |index: usize| args.get(index).map(|(value, _)| self.operand(value));
        let (Some(path), more) = (arg(0), arg(1)) else {
            return;
        };
        let writes = match (name, more) {
            ("fopen" | "fopen64", Some(mode)) => {
                let mode = self.host.text(mode);
                mode.is_ok_and(|mode| !mode.starts_with(b"r") || mode.contains(&b'+'))
            }
            ("open" | "open64", Some(flags)) => flags.get().is_ok_and(|flags| flags & 3 != 0),
            ("remove" | "unlink" | "rename", _) => true,
            _ => false,
        };
        if let (true, Ok(path)) = (writes, self.host.text(path)) {
            self.host.files.doubt(&String::from_utf8_lossy(&path));
        }
    }

    /// Spoils the globals that a function, or one that it calls, stores to by name.
    fn spoil_globals_of(&mut self, function: FunctionId, mark: Mark) {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![function];
        while let Some(id) = waiting.pop() {
            let Some(function) = self.program.functions.get(id as usize) else {
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            for instruction in function.blocks.iter().flat_map(|block| &block.ops) {
                let written = match &instruction.op {
                    Op::Store { address, .. } => Some(address),
                    Op::MemCopy { to, .. } | Op::MemSet { to, .. } => Some(to),
                    Op::Offset { base, .. } => Some(base),
                    Op::Call {
                        callee: Callee::Function(called),
                        ..
                    } => {
                        waiting.push(*called);
                        None
                    }
                    _ => None,
                };
                if let Some(Operand::Global(global, _)) = written {
                    self.host
                        .memory
                        .spoil_object(global_address(*global, 0), mark);
                }
            }
        }
    }

    /// Adds what an operand may point to. False where that cannot be followed.
    fn targets(
        &self,
        region: &Region<'p>,
        operand: &Operand,
        seen: &mut BTreeSet<Reg>,
        found: &mut Vec<Target>,
    ) -> bool {
        let definition = match operand {
            // What was followed already has its targets in the list.
            Operand::Reg(register) if !seen.insert(*register) => return true,
            Operand::Reg(register) => region.definitions.get(register).copied(),
            _ => None,
        };
        let mut follow = |operand: &Operand, exact: bool| {
            let start = found.len();
            let known = self.targets(region, operand, seen, found);
            if !exact {
                found
                    .iter_mut()
                    .skip(start)
                    .for_each(|target| target.exact = false);
            }
            known
        };
        match definition {
            None => {
                let address = self.operand(operand);
                let exact = !address.mark.is_hard();
                found.push(Target { address, exact });
                exact || address.bits != 0
            }
            Some(Definition::Op(Op::Offset { base, .. })) => follow(base, false),
            Some(Definition::Op(Op::Copy { a, .. } | Op::Cast { a, .. })) => follow(a, true),
            Some(Definition::Op(Op::Select { a, b, .. })) => follow(a, false) & follow(b, false),
            Some(Definition::Op(Op::Alloca { .. })) => true,
            Some(Definition::Op(Op::Load { address, .. })) => {
                self.targets_behind(region, address, seen, found)
            }
            Some(Definition::Op(Op::Call {
                callee: Callee::External(name),
                ..
            })) => models::gives_new_memory(name),
            Some(Definition::Op(_)) => false,
            Some(Definition::Phi(incoming)) => incoming
                .iter()
                .fold(true, |known, (_, operand)| follow(operand, false) & known),
        }
    }

    /// Adds what a pointer kept in memory points to.
    fn targets_behind(
        &self,
        region: &Region<'p>,
        address: &Operand,
        seen: &mut BTreeSet<Reg>,
        found: &mut Vec<Target>,
    ) -> bool {
        let mut holders = Vec::new();
        if !self.targets(region, address, seen, &mut holders) {
            return false;
        }
        let mut known = true;
        for holder in holders {
            let pointer = self.host.memory.load(holder.address.bits, 8);
            known &= holder.exact && !pointer.mark.is_hard();
            found.push(Target {
                address: pointer,
                exact: false,
            });
        }
        known
    }
}

impl<'p> Region<'p> {
    /// The blocks reachable from a branch without passing the join.
    fn between(function: &'p Function, branch: BlockId, join: BlockId) -> Region<'p> {
        let mut region = Region {
            blocks: BTreeSet::new(),
            definitions: BTreeMap::new(),
        };
        let mut waiting = function
            .blocks
            .get(branch as usize)
            .map_or(Vec::new(), successors);
        while let Some(id) = waiting.pop() {
            if id == join || !region.blocks.insert(id) {
                continue;
            }
            if let Some(block) = function.blocks.get(id as usize) {
                waiting.extend(successors(block));
                region.define(block);
            }
        }
        region
    }

    fn define(&mut self, block: &'p Block) {
        for phi in &block.phis {
            self.definitions
                .insert(phi.dst, Definition::Phi(&phi.incoming));
        }
        for instruction in &block.ops {
            for &register in instruction.op.written() {
                self.definitions
                    .insert(register, Definition::Op(&instruction.op));
            }
        }
    }

    fn computes(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Reg(register) if self.definitions.contains_key(register))
    }
}

/// Blocks that control may go to from the end of a block.
pub fn successors(block: &Block) -> Vec<BlockId> {
    match &block.end {
        Terminator::Jump(target) => vec![*target],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![*then, *otherwise],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|(_, target)| *target)
            .chain([*default])
            .collect(),
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}
