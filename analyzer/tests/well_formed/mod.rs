//! What every size program must hold to: registers written once and never read unwritten anywhere, operands,
//! blocks and numbers that exist, as many values as types.

use migfit_schema::program::{
    Block, Callee, Function, Op, Operand, Reg, SizeProgram, Terminator, Type,
};
use std::collections::BTreeSet;

/// Panics at the first thing that is wrong.
pub fn check(program: &SizeProgram) {
    for id in program.constructors.iter().chain(&program.main) {
        assert!((*id as usize) < program.functions.len(), "function {id}");
    }
    for global in &program.globals {
        assert!(global.bytes.len() as u64 <= global.size, "{}", global.name);
        for (offset, operand) in &global.addresses {
            assert!(offset + 8 <= global.size, "{}", global.name);
            exists(program, *operand);
        }
    }
    for function in &program.functions {
        check_function(program, function);
    }
}

fn check_function(program: &SizeProgram, function: &Function) {
    let name = &function.name;
    assert!(!function.blocks.is_empty(), "{name} has no blocks");
    assert!(function.blocks[0].phis.is_empty(), "{name}: phi at entry");
    let mut written = BTreeSet::new();
    for register in writes(function) {
        assert!(register < function.registers, "{name}: r{register}");
        assert!(
            written.insert(register),
            "{name}: r{register} written twice"
        );
    }
    for operand in reads(function) {
        match operand {
            Operand::Reg(register) => {
                assert!(
                    written.contains(&register),
                    "{name}: r{register} never written"
                );
            }
            other => exists(program, other),
        }
    }
    for (number, block) in function.blocks.iter().enumerate() {
        check_edges(function, number, block);
    }
    for (register, _) in &function.names {
        assert!(written.contains(register), "{name}: name of r{register}");
    }
}

fn exists(program: &SizeProgram, operand: Operand) {
    match operand {
        Operand::Global(id, _) => assert!((id as usize) < program.globals.len()),
        Operand::Function(id) => assert!((id as usize) < program.functions.len()),
        Operand::Reg(_) | Operand::Const(_) | Operand::Undef => {}
    }
}

fn check_edges(function: &Function, number: usize, block: &Block) {
    let name = &function.name;
    for to in successors(&block.end) {
        let target = function.blocks.get(to as usize);
        let target = target.unwrap_or_else(|| panic!("{name}: no block b{to}"));
        for phi in &target.phis {
            let from = phi
                .incoming
                .iter()
                .filter(|(from, _)| *from as usize == number);
            assert_eq!(from.count(), 1, "{name}: r{} from b{number}", phi.dst);
        }
    }
    if let Terminator::Return(values) = &block.end {
        assert_eq!(values.len(), function.results.len(), "{name}: results");
    }
}

fn successors(end: &Terminator) -> Vec<u32> {
    match end {
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        Terminator::Jump(to) => vec![*to],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![*then, *otherwise],
        Terminator::Switch { cases, default, .. } => {
            cases.iter().map(|(_, to)| *to).chain([*default]).collect()
        }
    }
}

fn writes(function: &Function) -> Vec<Reg> {
    let mut written: Vec<Reg> = function
        .params
        .iter()
        .map(|(register, _)| *register)
        .collect();
    for block in &function.blocks {
        written.extend(block.phis.iter().map(|phi| phi.dst));
        for instruction in &block.ops {
            match &instruction.op {
                Op::Binary { dst, .. }
                | Op::Compare { dst, .. }
                | Op::Cast { dst, .. }
                | Op::Copy { dst, .. }
                | Op::Select { dst, .. }
                | Op::Unary { dst, .. }
                | Op::Alloca { dst, .. }
                | Op::Load { dst, .. }
                | Op::Offset { dst, .. } => written.push(*dst),
                Op::Call { dst, results, .. } => {
                    assert_eq!(dst.len(), results.len(), "{}: call", function.name);
                    written.extend(dst);
                }
                Op::Unsupported { dst, what } => {
                    assert!(!what.is_empty(), "{}: no reason", function.name);
                    written.extend(dst);
                }
                Op::Store { .. } | Op::MemCopy { .. } | Op::MemSet { .. } | Op::Launch { .. } => {}
            }
        }
    }
    written
}

fn reads(function: &Function) -> Vec<Operand> {
    let mut read = Vec::new();
    for block in &function.blocks {
        for phi in &block.phis {
            read.extend(phi.incoming.iter().map(|(_, operand)| *operand));
        }
        for instruction in &block.ops {
            reads_of(&instruction.op, &mut read);
        }
        match &block.end {
            Terminator::Return(values) => read.extend(values),
            Terminator::Branch { condition, .. } => read.push(*condition),
            Terminator::Switch { value, .. } => read.push(*value),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
    read
}

fn reads_of(op: &Op, read: &mut Vec<Operand>) {
    match op {
        Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => read.extend([*a, *b]),
        Op::Cast { a, .. } | Op::Copy { a, .. } | Op::Unary { a, .. } => read.push(*a),
        Op::Select {
            condition, a, b, ..
        } => read.extend([*condition, *a, *b]),
        Op::Alloca { count, .. } => read.push(*count),
        Op::Load { address, .. } => read.push(*address),
        Op::Store { value, address, .. } => read.extend([*value, *address]),
        Op::Offset { base, terms, .. } => {
            read.push(*base);
            for (index, ty, _) in terms {
                assert!(matches!(ty, Type::Int(_)), "index of type {ty:?}");
                read.push(*index);
            }
        }
        Op::MemCopy { to, from, bytes } => read.extend([*to, *from, *bytes]),
        Op::MemSet { to, byte, bytes } => read.extend([*to, *byte, *bytes]),
        Op::Call { callee, args, .. } => {
            if let Callee::Indirect(pointer) = callee {
                read.push(*pointer);
            }
            read.extend(args.iter().map(|(operand, _)| *operand));
        }
        Op::Launch { .. } | Op::Unsupported { .. } => {}
    }
}
