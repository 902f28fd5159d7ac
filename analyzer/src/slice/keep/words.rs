//! Loops of `main` over the words of the command line: `for (i = 1; i < argc; i++)`. They run a few times only, so what is
//! decided in them is cheap.

use super::keeper::Keeper;
use crate::slice::definitions::Definition;
use crate::slice::position::read;
use migfit_schema::program::{BlockId, FunctionId, Op, Operand, Terminator};
use std::collections::BTreeSet;

impl Keeper<'_> {
    /// Whether a loop ends where a counter and `argc` say so.
    pub(super) fn is_loop_over_words(&self, function: FunctionId, head: BlockId) -> bool {
        let program = self.known.program;
        let body = program.functions.get(function as usize);
        let found = body.and_then(|body| body.blocks.get(head as usize));
        match found.map(|found| &found.end) {
            Some(Terminator::Branch { condition, .. }) if program.main == Some(function) => {
                let leaves = self.leaves(function, *condition);
                let counts = |leaf: &Leaf| matches!(leaf, Leaf::Count | Leaf::Constant);
                leaves.contains(&Leaf::Count) && leaves.iter().all(counts)
            }
            _ => false,
        }
    }

    /// What a value is made of by arithmetic and phis, round loops too.
    fn leaves(&self, function: FunctionId, value: Operand) -> BTreeSet<Leaf> {
        let mut leaves = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            let Operand::Reg(register) = value else {
                leaves.insert(Leaf::Constant);
                continue;
            };
            if !seen.insert(register) {
                continue;
            }
            match self.definitions.get(function, register) {
                Some(Definition::Parameter(0)) => {
                    leaves.insert(Leaf::Count);
                }
                Some(Definition::Phi(_, phi)) => {
                    waiting.extend(phi.incoming.iter().map(|(_, value)| *value));
                }
                Some(Definition::Op(
                    _,
                    op @ (Op::Binary { .. }
                    | Op::Compare { .. }
                    | Op::Cast { .. }
                    | Op::Copy { .. }
                    | Op::Select { .. }),
                    _,
                )) => waiting.extend(read(op)),
                _ => {
                    leaves.insert(Leaf::Other);
                }
            }
        }
        leaves
    }
}

/// What a value is made of in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leaf {
    Constant,
    Count,
    Other,
}
