//! Size programs that no compiler made: whatever they hold, slicing and formulas end and do not panic, and what comes
//! out of a sound program is sound.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::ir::load;
use migfit_analyzer::{formula, pipeline, slice};
use migfit_schema::program::{
    BinaryOp, Block, Callee, Compare, Function, Global, Instruction, OnUnknown, Op, Operand, Phi,
    Place, SizeProgram, Terminator, Type,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

fn survive(program: &SizeProgram) {
    let slim = slice::slice(program);
    let _ = formula::formulas(&slim);
    let _ = formula::formulas(program);
    let _ = slice::slice(&slice::advise(&slim));
}

/// Encoded programs of the fixtures.
static REAL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let names = ["options", "sorted", "table", "verify", "converge", "lines"];
    let read = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slice");
        let context = Context::create();
        let module = load::read(&context, &folder.join(format!("{name}.ll"))).unwrap();
        let program = pipeline::size_program(&context, &module).unwrap();
        postcard::to_stdvec(&program).unwrap()
    };
    names.into_iter().map(read).collect()
});

/// Ids near what exists, beyond it, and far beyond it.
fn id() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..6u32, 1 => 6..40u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1)]
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -2..100i64, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)]
}

fn kind() -> impl Strategy<Value = Type> {
    prop_oneof![
        4 => Just(Type::Int(64)),
        2 => Just(Type::Int(32)),
        1 => any::<u8>().prop_map(Type::Int),
        1 => Just(Type::F64),
        4 => Just(Type::Ptr),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        8 => id().prop_map(Operand::Reg),
        2 => number().prop_map(|bits| Operand::Const(bits.cast_unsigned())),
        2 => (id(), number()).prop_map(|(id, offset)| Operand::Global(id, offset)),
        1 => id().prop_map(Operand::Function),
        1 => Just(Operand::Undef),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("cudaMalloc"),
        Just("cudaFree"),
        Just("__cudaPushCallConfiguration"),
        Just("cudaMemcpy"),
        Just("malloc"),
        Just("realloc"),
        Just("strtok"),
        Just("strcmp"),
        Just("atoi"),
        Just("strtod"),
        Just("ceil"),
        Just("getopt_long"),
        Just("fopen"),
        Just("__isoc99_fscanf"),
        Just("qsort"),
        Just("exit"),
        Just("getenv"),
        Just("mystery"),
    ]
    .prop_map(str::to_owned)
}

fn op() -> impl Strategy<Value = Op> {
    let arithmetic = prop_oneof![
        Just(BinaryOp::Add),
        Just(BinaryOp::Mul),
        Just(BinaryOp::Shl),
        Just(BinaryOp::Or),
        Just(BinaryOp::SDiv),
    ];
    let callee = prop_oneof![
        4 => name().prop_map(Callee::External),
        2 => id().prop_map(Callee::Function),
        1 => operand().prop_map(Callee::Indirect),
    ];
    let arguments = || vec((operand(), kind()), 0..7);
    prop_oneof![
        (id(), kind(), arithmetic, operand(), operand()).prop_map(|(dst, ty, op, a, b)| {
            Op::Binary {
                dst,
                ty,
                op,
                a,
                b,
                no_wrap: false,
            }
        }),
        (id(), kind(), operand(), operand()).prop_map(|(dst, ty, a, b)| Op::Compare {
            dst,
            ty,
            op: Compare::SLt,
            a,
            b
        }),
        (id(), kind(), operand()).prop_map(|(dst, ty, a)| Op::Copy { dst, ty, a }),
        (id(), kind(), operand(), operand(), operand()).prop_map(|(dst, ty, condition, a, b)| {
            Op::Select {
                dst,
                ty,
                condition,
                a,
                b,
            }
        }),
        (id(), operand()).prop_map(|(dst, count)| Op::Alloca {
            dst,
            size: u64::MAX,
            count,
            align: 8
        }),
        (id(), kind(), operand()).prop_map(|(dst, ty, address)| Op::Load { dst, ty, address }),
        (kind(), operand(), operand()).prop_map(|(ty, value, address)| Op::Store {
            ty,
            value,
            address
        }),
        (
            id(),
            operand(),
            number(),
            vec((operand(), kind(), number()), 0..3)
        )
            .prop_map(|(dst, base, constant, terms)| Op::Offset {
                dst,
                base,
                constant,
                terms
            }),
        (operand(), operand(), operand()).prop_map(|(to, from, bytes)| Op::MemCopy {
            to,
            from,
            bytes
        }),
        (vec(id(), 0..2), callee.clone(), arguments()).prop_map(|(dst, callee, args)| Op::Call {
            results: vec![Type::Int(64); dst.len()],
            dst,
            callee,
            args
        }),
        (vec(id(), 0..2), callee, arguments()).prop_map(|(dst, callee, args)| Op::Call {
            results: Vec::new(),
            dst,
            callee,
            args
        }),
        id().prop_map(|kernel| Op::Launch { kernel }),
    ]
}

fn end() -> impl Strategy<Value = Terminator> {
    let advice = || {
        prop_oneof![
            Just(OnUnknown::Stop),
            id().prop_map(OnUnknown::Join),
            (id(), id()).prop_map(|(body, exit)| OnUnknown::LoopOnce { body, exit }),
        ]
    };
    prop_oneof![
        2 => vec(operand(), 0..2).prop_map(Terminator::Return),
        3 => id().prop_map(Terminator::Jump),
        4 => (operand(), id(), id(), advice()).prop_map(|(condition, then, otherwise, unknown)| {
            Terminator::Branch { condition, then, otherwise, unknown }
        }),
        1 => (operand(), vec((any::<u64>(), id()), 0..4), id(), advice()).prop_map(
            |(value, cases, default, unknown)| Terminator::Switch {
                ty: Type::Int(32), value, cases, default, unknown,
            }),
        1 => Just(Terminator::Unreachable),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let place = || (id(), 0..3u32).prop_map(|(file, line)| Place { file, line });
    let phi = (id(), kind(), vec((id(), operand()), 0..4)).prop_map(|(dst, ty, incoming)| Phi {
        dst,
        ty,
        incoming,
    });
    let instruction = (op(), place()).prop_map(|(op, place)| Instruction { op, place });
    (vec(phi, 0..3), vec(instruction, 0..6), end(), place()).prop_map(
        |(phis, ops, end, end_place)| Block {
            phis,
            ops,
            end,
            end_place,
        },
    )
}

fn program() -> impl Strategy<Value = SizeProgram> {
    let function = (vec((id(), kind()), 0..3), vec(block(), 0..7), id()).prop_map(
        |(params, blocks, registers)| Function {
            name: "f".to_owned(),
            params,
            results: vec![Type::Int(64)],
            registers,
            blocks,
            names: vec![(0, "n".to_owned())],
        },
    );
    let global = (
        any::<u64>(),
        vec(any::<u8>(), 0..40),
        vec((any::<u64>(), operand()), 0..3),
        any::<[bool; 2]>(),
    )
        .prop_map(|(size, bytes, addresses, [constant, external])| Global {
            name: "optarg".to_owned(),
            size,
            align: 8,
            bytes,
            addresses,
            constant,
            external,
            device_bytes: None,
        });
    let parts = (
        vec(function, 0..4),
        vec(global, 0..4),
        vec(id(), 0..2),
        proptest::option::of(id()),
    );
    parts.prop_map(|(functions, globals, constructors, main)| SizeProgram {
        files: vec!["a.cu".to_owned()],
        functions,
        globals,
        constructors,
        main,
        kernels: Vec::new(),
        captures: false,
        kernel_names: Vec::new(),
        opaque: vec!["stranger".to_owned()],
        catches: vec![Place::default()],
        loose_floats: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_programs_are_survived(program in program()) {
        survive(&program);
    }

    #[test]
    fn arbitrary_bytes_are_survived(bytes in vec(0..20u8, 0..400)) {
        if let Ok(program) = postcard::from_bytes::<SizeProgram>(&bytes) {
            survive(&program);
        }
    }

    #[test]
    fn real_programs_with_changed_bytes_are_survived(
        which in 0..6usize,
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = REAL[which].clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(program) = postcard::from_bytes::<SizeProgram>(&bytes) {
            survive(&program);
        }
    }
}

/// A value doubled often: a tree of it would have more leaves than can be counted.
#[test]
fn a_value_that_is_used_twice_at_each_step_ends() {
    let double = |at: u32| Instruction {
        op: Op::Binary {
            dst: at + 1,
            ty: Type::Int(64),
            op: BinaryOp::Mul,
            a: Operand::Reg(at),
            b: Operand::Reg(at),
            no_wrap: false,
        },
        place: Place::default(),
    };
    let mut ops: Vec<Instruction> = (2..42).map(double).collect();
    ops.push(Instruction {
        op: Op::Call {
            dst: Vec::new(),
            results: Vec::new(),
            callee: Callee::External("cudaMalloc".to_owned()),
            args: vec![
                (Operand::Undef, Type::Ptr),
                (Operand::Reg(42), Type::Int(64)),
            ],
        },
        place: Place::default(),
    });
    let main = Function {
        name: "main".to_owned(),
        params: vec![(0, Type::Int(32)), (1, Type::Ptr), (2, Type::Int(64))],
        results: Vec::new(),
        registers: 64,
        blocks: vec![Block {
            phis: Vec::new(),
            ops,
            end: Terminator::Return(Vec::new()),
            end_place: Place::default(),
        }],
        names: Vec::new(),
    };
    let program = SizeProgram {
        functions: vec![main],
        main: Some(0),
        ..SizeProgram::default()
    };
    let formulas = formula::formulas(&slice::slice(&program));
    assert_eq!(formulas.allocations.len(), 1);
    assert!(!formulas.unknowns.is_empty());
}
