//! A short way to write size programs in tests: functions of blocks, operands by two letters, calls by name.

use migfit_schema::program::{
    BinaryOp, Block, BlockId, Callee, Compare, Function, Global, Instruction, OnUnknown, Op,
    Operand, Phi, Place, Reg, SizeProgram, Terminator, Type,
};

pub const I32: Type = Type::Int(32);
pub const I64: Type = Type::Int(64);

/// A register.
pub fn r(register: Reg) -> Operand {
    Operand::Reg(register)
}

/// A constant.
pub fn c(bits: u64) -> Operand {
    Operand::Const(bits)
}

/// A global's address.
pub fn g(id: u32) -> Operand {
    Operand::Global(id, 0)
}

pub fn binary(dst: Reg, op: BinaryOp, a: Operand, b: Operand) -> Op {
    let ty = I64;
    Op::Binary {
        dst,
        ty,
        op,
        a,
        b,
        no_wrap: false,
    }
}

pub fn add(dst: Reg, a: Operand, b: Operand) -> Op {
    binary(dst, BinaryOp::Add, a, b)
}

pub fn is(dst: Reg, op: Compare, a: Operand, b: Operand) -> Op {
    let ty = I32;
    Op::Compare { dst, ty, op, a, b }
}

pub fn less(dst: Reg, a: Operand, b: Operand) -> Op {
    is(dst, Compare::SLt, a, b)
}

pub fn load(dst: Reg, ty: Type, address: Operand) -> Op {
    Op::Load { dst, ty, address }
}

pub fn store(ty: Type, value: Operand, address: Operand) -> Op {
    Op::Store { ty, value, address }
}

pub fn alloca(dst: Reg) -> Op {
    Op::Alloca {
        dst,
        size: 64,
        count: c(1),
        align: 8,
    }
}

/// `base + constant`.
pub fn field(dst: Reg, base: Operand, constant: i64) -> Op {
    Op::Offset {
        dst,
        base,
        constant,
        terms: Vec::new(),
    }
}

/// `base + 8 * index`.
pub fn element(dst: Reg, base: Operand, index: Operand) -> Op {
    Op::Offset {
        dst,
        base,
        constant: 0,
        terms: vec![(index, I64, 8)],
    }
}

fn called(dst: Option<(Reg, Type)>, callee: Callee, args: &[Operand]) -> Op {
    let pointers = |value: &Operand| match value {
        Operand::Const(bits) if *bits != 0 => I64,
        _ => Type::Ptr,
    };
    Op::Call {
        dst: dst.iter().map(|(dst, _)| *dst).collect(),
        results: dst.iter().map(|(_, ty)| *ty).collect(),
        callee,
        args: args.iter().map(|value| (*value, pointers(value))).collect(),
    }
}

/// A library call whose result is not used.
pub fn call(name: &str, args: &[Operand]) -> Op {
    called(None, Callee::External(name.to_owned()), args)
}

/// A library call.
pub fn get(dst: Reg, ty: Type, name: &str, args: &[Operand]) -> Op {
    called(Some((dst, ty)), Callee::External(name.to_owned()), args)
}

/// A call of a function of the program.
pub fn enter(dst: Reg, target: u32, args: &[Operand]) -> Op {
    called(Some((dst, I64)), Callee::Function(target), args)
}

/// A call through a pointer.
pub fn through(dst: Reg, pointer: Operand, args: &[Operand]) -> Op {
    called(Some((dst, I64)), Callee::Indirect(pointer), args)
}

/// An allocation of device memory.
pub fn device(bytes: Operand) -> Op {
    Op::Call {
        dst: Vec::new(),
        results: Vec::new(),
        callee: Callee::External("cudaMalloc".to_owned()),
        args: vec![(g(0), Type::Ptr), (bytes, I64)],
    }
}

pub fn jump(to: BlockId) -> Terminator {
    Terminator::Jump(to)
}

pub fn branch(condition: Operand, then: BlockId, otherwise: BlockId) -> Terminator {
    Terminator::Branch {
        condition,
        then,
        otherwise,
        unknown: OnUnknown::Stop,
    }
}

pub fn give(value: Operand) -> Terminator {
    Terminator::Return(vec![value])
}

pub fn phi(dst: Reg, incoming: &[(BlockId, Operand)]) -> Phi {
    Phi {
        dst,
        ty: I64,
        incoming: incoming.to_vec(),
    }
}

/// A block; its number is where it stands.
pub fn block(ops: Vec<Op>, end: Terminator) -> Block {
    joined(Vec::new(), ops, end)
}

/// A block with phis.
pub fn joined(phis: Vec<Phi>, ops: Vec<Op>, end: Terminator) -> Block {
    let place = |line| Place { file: 0, line };
    let ops = (1u32..).zip(ops);
    Block {
        phis,
        ops: ops
            .map(|(line, op)| Instruction {
                op,
                place: place(line),
            })
            .collect(),
        end,
        end_place: place(100),
    }
}

/// A function of one result with this many pointer parameters in its first registers.
pub fn function(name: &str, parameters: u32, blocks: Vec<Block>) -> Function {
    Function {
        name: name.to_owned(),
        params: (0..parameters)
            .map(|register| (register, Type::Ptr))
            .collect(),
        results: vec![I64],
        registers: 64,
        blocks,
        names: Vec::new(),
    }
}

/// A variable of 64 bytes.
pub fn global(name: &str) -> Global {
    Global {
        name: name.to_owned(),
        size: 64,
        align: 8,
        bytes: Vec::new(),
        addresses: Vec::new(),
        constant: false,
        external: false,
        device_bytes: None,
    }
}

/// A text.
pub fn text(words: &str) -> Global {
    Global {
        bytes: [words.as_bytes(), &[0]].concat(),
        constant: true,
        ..global("text")
    }
}

/// A program; its main function is `main`, its first global a place for device pointers.
pub fn program(functions: Vec<Function>, globals: Vec<Global>) -> SizeProgram {
    SizeProgram {
        files: vec!["a.cu".to_owned(), "unused.h".to_owned()],
        main: functions
            .iter()
            .position(|function| function.name == "main")
            .and_then(|id| u32::try_from(id).ok()),
        functions,
        globals: [vec![global("slot")], globals].concat(),
        constructors: Vec::new(),
        kernels: Vec::new(),
        opaque: Vec::new(),
        captures: false,
        kernel_names: Vec::new(),
        catches: Vec::new(),
        loose_floats: None,
    }
}

/// Names of the library functions that a program calls, in order.
pub fn library_calls(program: &SizeProgram) -> Vec<String> {
    let blocks = program.functions.iter().flat_map(|body| &body.blocks);
    let ops = blocks.flat_map(|block| &block.ops);
    ops.filter_map(|found| match &found.op {
        Op::Call {
            callee: Callee::External(name),
            ..
        } => Some(name.clone()),
        _ => None,
    })
    .collect()
}
