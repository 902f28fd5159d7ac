//! Where each register of a program gets its value. A program that defines one twice keeps the last.

use crate::slice::position::{Position, instructions};
use migfit_schema::program::{BlockId, FunctionId, Op, Phi, Place, Reg, SizeProgram};
use std::collections::HashMap;

/// Where a register gets its value.
#[derive(Clone, Copy)]
pub enum Definition<'a> {
    /// An instruction, its position and place.
    Op(Position, &'a Op, Place),
    /// A phi in a block.
    Phi(BlockId, &'a Phi),
    /// The function's parameter of this index.
    Parameter(usize),
}

/// The definitions of a whole program.
pub struct Definitions<'a>(HashMap<(FunctionId, Reg), Definition<'a>>);

impl<'a> Definitions<'a> {
    /// Collects them.
    pub fn of(program: &'a SizeProgram) -> Definitions<'a> {
        let mut all = HashMap::new();
        for (function, body) in (0u32..).zip(&program.functions) {
            for (index, (register, _)) in body.params.iter().enumerate() {
                all.insert((function, *register), Definition::Parameter(index));
            }
            for (block, contents) in (0u32..).zip(&body.blocks) {
                for phi in &contents.phis {
                    all.insert((function, phi.dst), Definition::Phi(block, phi));
                }
            }
        }
        for (at, instruction) in instructions(program) {
            for register in instruction.op.written() {
                all.insert(
                    (at.function, *register),
                    Definition::Op(at, &instruction.op, instruction.place),
                );
            }
        }
        Definitions(all)
    }

    /// Where a register gets its value; `None` where nothing writes it.
    pub fn get(&self, function: FunctionId, register: Reg) -> Option<Definition<'a>> {
        self.0.get(&(function, register)).copied()
    }
}
