//! Conditions made of what the device computed. They are not known before the run whatever is kept, so nothing of what
//! they are made of is: a comparison with a reference that the host computes costs neither the reference nor its input.
//! What is not surely such a result is kept as usual: then the answer only takes longer.

use super::keeper::{Keeper, Known};
use crate::slice::choice::Choice;
use crate::slice::definitions::Definition;
use crate::slice::objects::ObjectId;
use crate::slice::position::{Position, instructions, read};
use migfit_schema::program::{BlockId, Callee, FunctionId, Op, Operand, Phi, Terminator};
use std::collections::{BTreeSet, HashMap};

/// Registers looked at for one condition.
const MOST: usize = 400;
/// `cudaMemcpyDeviceToHost`.
const TO_HOST: Operand = Operand::Const(2);

/// Where the device's results come to the host.
pub type Arrivals = HashMap<ObjectId, Vec<Position>>;

/// Finds the copies from the device by the objects that they write.
pub fn arrivals(known: &Known<'_>) -> Arrivals {
    let mut found = Arrivals::new();
    for (at, instruction) in instructions(known.program) {
        let Op::Call {
            callee: Callee::External(name),
            args,
            ..
        } = &instruction.op
        else {
            continue;
        };
        let from_device = match name.as_str() {
            "cudaMemcpy" | "cudaMemcpyAsync" => args.get(3).is_some_and(|kind| kind.0 == TO_HOST),
            "cuMemcpyDtoH_v2" | "cuMemcpyDtoHAsync_v2" => true,
            _ => false,
        };
        if let (true, Some((to, _))) = (from_device, args.first()) {
            for object in known.pointers.of(at.function, *to) {
                found.entry(object).or_default().push(at);
            }
        }
    }
    found
}

impl Keeper<'_> {
    /// Whether the branch at the end of a block certainly hangs on a result of the device.
    pub(super) fn hangs_on_device(&self, function: FunctionId, block: BlockId) -> bool {
        if self.arrivals.is_empty() {
            return false;
        }
        let mut seen = BTreeSet::new();
        self.is_result_branch(function, block, &mut seen)
    }

    fn is_result_branch(
        &self,
        function: FunctionId,
        block: BlockId,
        seen: &mut BTreeSet<(u32, u32)>,
    ) -> bool {
        let body = self.known.program.functions.get(function as usize);
        let found = body.and_then(|body| body.blocks.get(block as usize));
        match found.map(|found| &found.end) {
            Some(Terminator::Branch { condition, .. }) => {
                self.is_result(function, *condition, seen)
            }
            Some(Terminator::Switch { value, .. }) => self.is_result(function, *value, seen),
            _ => false,
        }
    }

    fn is_result(
        &self,
        function: FunctionId,
        value: Operand,
        seen: &mut BTreeSet<(u32, u32)>,
    ) -> bool {
        let Operand::Reg(register) = value else {
            return false;
        };
        if seen.len() >= MOST || !seen.insert((register, u32::MAX)) {
            return false;
        }
        match self.definitions.get(function, register) {
            Some(Definition::Op(at, Op::Load { .. }, _)) => self.loads_result(at),
            Some(Definition::Op(
                _,
                op @ (Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Cast { .. }
                | Op::Copy { .. }
                | Op::Unary { .. }
                | Op::Select { .. }),
                _,
            )) => read(op)
                .into_iter()
                .any(|operand| self.is_result(function, operand, seen)),
            Some(Definition::Phi(block, phi)) => self.is_result_phi(function, block, phi, seen),
            _ => false,
        }
    }

    /// A value is a result too where results decide which one it is.
    fn is_result_phi(
        &self,
        function: FunctionId,
        block: BlockId,
        phi: &Phi,
        seen: &mut BTreeSet<(u32, u32)>,
    ) -> bool {
        let mut values = phi.incoming.iter().map(|(_, value)| *value);
        if values.any(|value| self.is_result(function, value, seen)) {
            return true;
        }
        let graphs = self.known.graphs;
        let choice = Choice {
            block,
            incoming: phi.incoming.iter().map(|(from, _)| *from).collect(),
        };
        let deciders = choice.deciders(graphs.flow(function), graphs.control(function));
        deciders.into_iter().any(|branch| {
            seen.insert((branch, function)) && self.is_result_branch(function, branch, seen)
        })
    }

    /// Whether what is read came from the device just before: a copy on every way, and no other write behind it.
    fn loads_result(&self, at: Position) -> bool {
        let objects = self.known.memory.reads(at);
        !objects.is_empty()
            && objects.iter().all(|object| {
                let copies = self.arrivals.get(object).map_or(&[][..], Vec::as_slice);
                copies.iter().any(|copy| self.arrives(*copy, at, *object))
            })
    }

    fn arrives(&self, copy: Position, at: Position, object: ObjectId) -> bool {
        copy.function == at.function
            && self.comes_on_every_way(copy, at)
            && self.known.memory.writers(object).all(|writer| {
                *writer == copy
                    || self
                        .arrivals
                        .get(&object)
                        .is_some_and(|copies| copies.contains(writer))
                    || !self.may_follow(copy, *writer)
            })
    }

    /// Whether no way from the function's start leads to a place but through an instruction.
    fn comes_on_every_way(&self, first: Position, second: Position) -> bool {
        if first.block == second.block {
            return first.index < second.index;
        }
        let flow = self.known.graphs.flow(first.function);
        let mut seen = BTreeSet::from([first.block]);
        let mut waiting = vec![0];
        while let Some(block) = waiting.pop() {
            if seen.insert(block) {
                if block == second.block {
                    return false;
                }
                waiting.extend(flow.after(block));
            }
        }
        true
    }

    /// Whether a write may come behind a copy: in its function, or in one that is called from there.
    fn may_follow(&self, copy: Position, writer: Position) -> bool {
        let flow = self.known.graphs.flow(copy.function);
        let behind = |at: Position| {
            (at.block == copy.block && at.index > copy.index) || flow.reaches(copy.block, at.block)
        };
        if writer.function == copy.function {
            return behind(writer);
        }
        let sites = self.known.calls.sites(writer.function);
        sites.is_empty()
            || sites
                .iter()
                .any(|site| site.function != copy.function || behind(*site))
    }
}
