//! A register of a function -> how it gets its value, and its type.

use super::watch::At;
use migfit_schema::program::{
    BlockId, Callee, Function, FunctionId, Op, Phi, Place, Reg, SizeProgram, Type,
};

/// How a register gets its value.
pub enum Definition<'p> {
    /// It is the nth parameter.
    Parameter(usize, Type),
    /// It depends on where control came from.
    Phi(&'p Phi),
    /// An instruction, with its place and where it stands: block and index.
    Op(&'p Op, Place, (BlockId, u32)),
}

/// The definition of a register.
pub fn definition(function: &Function, register: Reg) -> Option<Definition<'_>> {
    let mut params = function.params.iter().enumerate();
    if let Some((at, (_, ty))) = params.find(|(_, (known, _))| *known == register) {
        return Some(Definition::Parameter(at, *ty));
    }
    (0u32..).zip(&function.blocks).find_map(|(number, block)| {
        if let Some(phi) = block.phis.iter().find(|phi| phi.dst == register) {
            return Some(Definition::Phi(phi));
        }
        (0u32..).zip(&block.ops).find_map(|(index, found)| {
            let writes = found.op.written().contains(&register);
            writes.then_some(Definition::Op(&found.op, found.place, (number, index)))
        })
    })
}

/// The type of a register.
pub fn type_of(function: &Function, register: Reg) -> Option<Type> {
    Some(match definition(function, register)? {
        Definition::Parameter(_, ty) => ty,
        Definition::Phi(phi) => phi.ty,
        Definition::Op(op, ..) => match op {
            Op::Binary { ty, .. }
            | Op::Copy { ty, .. }
            | Op::Select { ty, .. }
            | Op::Unary { ty, .. }
            | Op::Load { ty, .. } => *ty,
            Op::Cast { to, .. } => *to,
            Op::Compare { .. } => Type::Int(1),
            Op::Call { dst, results, .. } => {
                let at = dst.iter().position(|known| *known == register)?;
                *results.get(at)?
            }
            _ => return None,
        },
    })
}

/// The calls of a function of the program.
pub fn callers(program: &SizeProgram, called: FunctionId) -> Vec<At> {
    let mut found = Vec::new();
    for (function, body) in (0u32..).zip(&program.functions) {
        for (block, code) in (0u32..).zip(&body.blocks) {
            for (index, instruction) in (0u32..).zip(&code.ops) {
                let calls = matches!(&instruction.op, Op::Call { callee: Callee::Function(id), .. } if *id == called);
                if calls {
                    found.push(At {
                        function,
                        block,
                        index,
                    });
                }
            }
        }
    }
    found
}
