//! Where an instruction stands, and walking over all of them.

use migfit_schema::program::{
    BlockId, Callee, Function, FunctionId, Instruction, OnUnknown, Op, Operand, SizeProgram,
    Terminator,
};

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Function.
    pub function: FunctionId,
    /// Block.
    pub block: BlockId,
    /// Index into the block's instructions.
    pub index: u32,
}

/// All instructions of a program with their positions.
pub fn instructions(program: &SizeProgram) -> impl Iterator<Item = (Position, &Instruction)> {
    let all = (0u32..).zip(&program.functions);
    all.flat_map(|(function, body)| of_function(function, body))
}

/// All instructions of one function with their positions.
pub fn of_function(
    function: FunctionId,
    body: &Function,
) -> impl Iterator<Item = (Position, &Instruction)> {
    let blocks = (0u32..).zip(&body.blocks);
    blocks.flat_map(move |(block, contents)| {
        (0u32..)
            .zip(&contents.ops)
            .map(move |(index, instruction)| {
                let at = Position {
                    function,
                    block,
                    index,
                };
                (at, instruction)
            })
    })
}

/// The instruction at a position of this program.
pub fn instruction(program: &SizeProgram, at: Position) -> Option<&Instruction> {
    let function = program.functions.get(at.function as usize)?;
    function
        .blocks
        .get(at.block as usize)?
        .ops
        .get(at.index as usize)
}

/// Values that an instruction reads; for a call its arguments and the pointer called through.
pub fn read(op: &Op) -> Vec<Operand> {
    match op {
        Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => vec![*a, *b],
        Op::Cast { a, .. } | Op::Copy { a, .. } | Op::Unary { a, .. } => vec![*a],
        Op::Select {
            condition, a, b, ..
        } => vec![*condition, *a, *b],
        Op::Alloca { count, .. } => vec![*count],
        Op::Load { address, .. } => vec![*address],
        Op::Store { value, address, .. } => vec![*value, *address],
        Op::Offset { base, terms, .. } => std::iter::once(*base)
            .chain(terms.iter().map(|(index, _, _)| *index))
            .collect(),
        Op::MemCopy { to, from, bytes } => vec![*to, *from, *bytes],
        Op::MemSet { to, byte, bytes } => vec![*to, *byte, *bytes],
        Op::Call { callee, args, .. } => {
            let through = match callee {
                Callee::Indirect(pointer) => Some(*pointer),
                Callee::Function(_) | Callee::External(_) => None,
            };
            args.iter()
                .map(|(value, _)| *value)
                .chain(through)
                .collect()
        }
        Op::Launch { .. } | Op::Unsupported { .. } => Vec::new(),
    }
}

/// Blocks that a terminator may go on at, each once.
pub fn successors(end: &Terminator) -> Vec<BlockId> {
    let mut all = match end {
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        Terminator::Jump(to) => vec![*to],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![*then, *otherwise],
        Terminator::Switch { cases, default, .. } => {
            cases.iter().map(|(_, to)| *to).chain([*default]).collect()
        }
    };
    all.sort_unstable();
    all.dedup();
    all
}

/// Every block that a terminator names, in its ways and in its advice, to be changed.
pub fn targets_mut(end: &mut Terminator) -> Vec<&mut BlockId> {
    let (mut all, unknown) = match end {
        Terminator::Return(_) | Terminator::Unreachable => return Vec::new(),
        Terminator::Jump(to) => return vec![to],
        Terminator::Branch {
            then,
            otherwise,
            unknown,
            ..
        } => (vec![then, otherwise], unknown),
        Terminator::Switch {
            cases,
            default,
            unknown,
            ..
        } => (
            cases
                .iter_mut()
                .map(|(_, to)| to)
                .chain([default])
                .collect(),
            unknown,
        ),
    };
    match unknown {
        OnUnknown::Stop => {}
        OnUnknown::CheckPasses(to) | OnUnknown::TakeCuda(to) | OnUnknown::Join(to) => all.push(to),
        OnUnknown::LoopOnce { body, exit } => all.extend([body, exit]),
    }
    all
}
