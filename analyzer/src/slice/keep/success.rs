//! Conditions that only ask whether something went well that is taken to go well: CUDA calls, host memory, output.
//! A check of those alone says nothing that an evaluation could find out, so it needs no mention.

use super::keeper::Keeper;
use crate::slice::choice::Choice;
use crate::slice::definitions::Definition;
use crate::slice::effects::{Returns, effect, gives_status};
use crate::slice::memory::Initial;
use crate::slice::points_to::returned;
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::{
    BlockId, Callee, FunctionId, Op, Operand, Phi, Reg, Terminator, Type,
};
use std::collections::HashSet;

/// Values looked at for one condition.
const MOST: usize = 300;

/// Values on the way: one that is come to again is as good as the others are.
type Seen = HashSet<(FunctionId, Reg)>;

impl Keeper<'_> {
    /// Whether the branch at the end of a block asks for success alone.
    pub(super) fn asks_for_success(&self, function: FunctionId, block: BlockId) -> bool {
        self.branch_is_success(function, block, &mut Seen::new())
    }

    fn branch_is_success(&self, function: FunctionId, block: BlockId, seen: &mut Seen) -> bool {
        let body = self.known.program.functions.get(function as usize);
        let found = body.and_then(|body| body.blocks.get(block as usize));
        match found.map(|found| &found.end) {
            Some(
                Terminator::Branch {
                    condition: value, ..
                }
                | Terminator::Switch { value, .. },
            ) => self.is_success(function, *value, seen),
            _ => true,
        }
    }

    /// Whether a value is made of nothing but successes and constants.
    fn is_success(&self, function: FunctionId, value: Operand, seen: &mut Seen) -> bool {
        let Operand::Reg(register) = value else {
            return true;
        };
        if !seen.insert((function, register)) {
            return true;
        }
        if seen.len() > MOST {
            return false;
        }
        match self.definitions.get(function, register) {
            Some(Definition::Op(at, op, _)) => self.op_is_success(at, op, register, seen),
            Some(Definition::Phi(block, phi)) => self.phi_is_success(function, block, phi, seen),
            Some(Definition::Parameter(index)) => self.parameter_is_success(function, index, seen),
            None => false,
        }
    }

    fn op_is_success(&self, at: Position, op: &Op, register: Reg, seen: &mut Seen) -> bool {
        match op {
            Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Copy { .. }
            | Op::Select { .. }
            | Op::Unary { .. }
            | Op::Offset { .. } => {
                let mut all = read(op).into_iter();
                all.all(|operand| self.is_success(at.function, operand, seen))
            }
            Op::Load { ty, .. } => self.loads_success(at, *ty, seen),
            Op::Call {
                callee: Callee::External(name),
                ..
            } => gives_success(name),
            Op::Call { dst, .. } => {
                let index = dst.iter().position(|one| *one == register).unwrap_or(0);
                let targets = self.known.calls.targets(at);
                !targets.is_empty()
                    && targets
                        .iter()
                        .all(|target| self.result_is_success(*target, index, seen))
            }
            Op::Alloca { .. } => true,
            _ => false,
        }
    }

    fn result_is_success(&self, function: FunctionId, index: usize, seen: &mut Seen) -> bool {
        let Some(body) = self.known.program.functions.get(function as usize) else {
            return false;
        };
        let values: Vec<Operand> = returned(body, index).into_iter().collect();
        // Of several constants the way that is taken decides, and that is not looked at here.
        agree(&values, body.results.get(index))
            && values
                .into_iter()
                .all(|value| self.is_success(function, value, seen))
    }

    fn phi_is_success(
        &self,
        function: FunctionId,
        block: BlockId,
        phi: &Phi,
        seen: &mut Seen,
    ) -> bool {
        let values: Vec<Operand> = phi.incoming.iter().map(|(_, value)| *value).collect();
        if !values
            .iter()
            .all(|value| self.is_success(function, *value, seen))
        {
            return false;
        }
        let graphs = self.known.graphs;
        let flow = graphs.flow(function);
        // What goes round in a loop is computed by it, be it out of constants alone.
        if phi
            .incoming
            .iter()
            .any(|(from, _)| flow.reaches(block, *from))
        {
            return false;
        }
        let choice = Choice {
            block,
            incoming: phi.incoming.iter().map(|(from, _)| *from).collect(),
        };
        agree(&values, Some(&phi.ty))
            || choice
                .deciders(flow, graphs.control(function))
                .into_iter()
                .all(|branch| self.branch_is_success(function, branch, seen))
    }

    fn parameter_is_success(&self, function: FunctionId, index: usize, seen: &mut Seen) -> bool {
        let sites = self.known.calls.sites(function);
        let mut given = Vec::new();
        for at in sites {
            match instruction(self.known.program, *at).map(|found| &found.op) {
                Some(Op::Call {
                    callee: Callee::Function(_) | Callee::Indirect(_),
                    args,
                    ..
                }) => given.extend(args.get(index).map(|(value, _)| (at.function, *value))),
                _ => return false,
            }
        }
        let values: Vec<Operand> = given.iter().map(|(_, value)| *value).collect();
        let body = self.known.program.functions.get(function as usize);
        let parameter = body.and_then(|body| body.params.get(index));
        !given.is_empty()
            && agree(&values, parameter.map(|(_, ty)| ty))
            && given
                .into_iter()
                .all(|(caller, value)| self.is_success(caller, value, seen))
    }

    /// Whether all that may have been stored where an instruction reads, or lies there from the start, is success.
    fn loads_success(&self, at: Position, ty: Type, seen: &mut Seen) -> bool {
        let objects = self.known.memory.reads(at);
        let mut stored = Vec::new();
        for object in objects {
            match self.known.memory.initial(*object) {
                Some(Initial::Zeroes) => stored.push((at.function, Operand::Const(0))),
                Some(Initial::Figures) => return false,
                None => {}
            }
            for writer in self.known.memory.writers(*object) {
                match instruction(self.known.program, *writer).map(|found| &found.op) {
                    Some(Op::Store { value, .. }) => stored.push((writer.function, *value)),
                    Some(Op::Call {
                        callee: Callee::External(name),
                        ..
                    }) if fills_with_success(name) => {}
                    _ => return false,
                }
            }
        }
        let values: Vec<Operand> = stored.iter().map(|(_, value)| *value).collect();
        !objects.is_empty()
            && agree(&values, Some(&ty))
            && stored
                .into_iter()
                .all(|(function, value)| self.is_success(function, value, seen))
    }
}

/// Whether no two different constants are among values, and none beside others but the 0 of a status that is success:
/// beside pointers it is the lack of one.
fn agree(values: &[Operand], ty: Option<&Type>) -> bool {
    let constants: HashSet<u64> = values
        .iter()
        .filter_map(|value| match value {
            Operand::Const(bits) => Some(*bits),
            _ => None,
        })
        .collect();
    let others = values
        .iter()
        .any(|value| !matches!(value, Operand::Const(_) | Operand::Undef));
    match constants.len() {
        0 => true,
        1 => !others || (constants.contains(&0) && ty != Some(&Type::Ptr)),
        _ => false,
    }
}

/// Functions whose result tells only whether they went well, and that are taken to go well.
fn gives_success(name: &str) -> bool {
    // Whether a file is there to be read is the command line's doing.
    const MAY_FAIL: [&str; 6] = ["fopen", "fopen64", "fdopen", "opendir", "popen", "freopen"];
    let known = effect(name).is_some_and(|effect| match effect.returns {
        Returns::Fresh => !MAY_FAIL.contains(&name),
        _ => effect.dropped || name == "posix_memalign",
    });
    known || gives_status(name)
}

/// Functions that leave a pointer to fresh memory where they are told to.
fn fills_with_success(name: &str) -> bool {
    const ALLOCATE: [&str; 9] = [
        "cudaMalloc",
        "cudaMallocManaged",
        "cudaMallocHost",
        "cudaHostAlloc",
        "cudaMallocPitch",
        "cudaMallocAsync",
        "cudaStreamCreate",
        "cudaEventCreate",
        "posix_memalign",
    ];
    ALLOCATE.contains(&name)
}
