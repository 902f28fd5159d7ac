//! Every operand of an instruction or a function, to be changed: how ids are given new numbers.

use crate::program::{Callee, Function, Op, Operand, Terminator};

impl Op {
    /// Values that the instruction reads; for a call its arguments and the pointer called through.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        match self {
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => vec![a, b],
            Op::Cast { a, .. } | Op::Copy { a, .. } | Op::Unary { a, .. } => vec![a],
            Op::Select {
                condition, a, b, ..
            } => vec![condition, a, b],
            Op::Alloca { count, .. } => vec![count],
            Op::Load { address, .. } => vec![address],
            Op::Store { value, address, .. } => vec![value, address],
            Op::Offset { base, terms, .. } => std::iter::once(base)
                .chain(terms.iter_mut().map(|(index, _, _)| index))
                .collect(),
            Op::MemCopy { to, from, bytes } => vec![to, from, bytes],
            Op::MemSet { to, byte, bytes } => vec![to, byte, bytes],
            Op::Call { callee, args, .. } => {
                let through = match callee {
                    Callee::Indirect(pointer) => Some(pointer),
                    Callee::Function(_) | Callee::External(_) => None,
                };
                let args = args.iter_mut().map(|(value, _)| value);
                args.chain(through).collect()
            }
            Op::Launch { .. } | Op::Unsupported { .. } => Vec::new(),
        }
    }
}

impl Function {
    /// Every operand of its phis, instructions and terminators.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        self.blocks.iter_mut().flat_map(|block| {
            let phis = block.phis.iter_mut().flat_map(|phi| &mut phi.incoming);
            let ops = block.ops.iter_mut();
            let end: Vec<&mut Operand> = match &mut block.end {
                Terminator::Return(values) => values.iter_mut().collect(),
                Terminator::Branch { condition, .. } => vec![condition],
                Terminator::Switch { value, .. } => vec![value],
                Terminator::Jump(_) | Terminator::Unreachable => Vec::new(),
            };
            phis.map(|(_, value)| value)
                .chain(ops.flat_map(|found| found.op.operands_mut()))
                .chain(end)
        })
    }
}
