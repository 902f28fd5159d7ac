//! Functions whose addresses a program takes: in code, or as first values of variables. Each has a number, which stands
//! for its address in all kernels of the program.

use super::program::Program;
use crate::text::ast::{Initial, Instruction, Operand, Statement};

/// Function addresses are this far apart; the first one is this, so that none is null.
pub const STEP: u64 = 16;

/// The functions, by module and name, in order of their addresses.
#[must_use]
pub fn taken(program: &Program) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (file, module) in program.modules().iter().enumerate() {
        let mut note = |name: &str| {
            if let Some((owner, function)) = program.function(file, name) {
                let key = (owner, function.name.clone());
                if !function.entry && !found.contains(&key) {
                    found.push(key);
                }
            }
        };
        for variable in module.variables() {
            variable
                .initial
                .iter()
                .for_each(|initial| in_initial(initial, &mut note));
        }
        for function in module.functions() {
            in_statements(function.body.as_deref().unwrap_or_default(), &mut note);
        }
    }
    found
}

/// The address that stands for a function.
#[must_use]
pub fn address(taken: &[(usize, String)], file: usize, name: &str) -> Option<u64> {
    let nth = taken
        .iter()
        .position(|(owner, known)| *owner == file && known == name)?;
    Some((nth as u64 + 1) * STEP)
}

fn in_initial(initial: &Initial, note: &mut dyn FnMut(&str)) {
    match initial {
        Initial::Number(_) => {}
        Initial::Address(address) => note(&address.symbol),
        Initial::List(all) => all.iter().for_each(|one| in_initial(one, note)),
    }
}

fn in_statements(statements: &[Statement], note: &mut dyn FnMut(&str)) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => in_statements(inner, note),
            Statement::Instruction(instruction) => in_instruction(instruction, note),
            _ => {}
        }
    }
}

fn in_instruction(instruction: &Instruction, note: &mut dyn FnMut(&str)) {
    // Only a move gives an address to a register.
    if instruction.opcode != "mov" {
        return;
    }
    for operand in instruction.operands.iter().skip(1) {
        if let Operand::Name(name) = operand {
            note(name);
        }
    }
}
