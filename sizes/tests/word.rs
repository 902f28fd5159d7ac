//! What the user says of a program: taken where the evaluation does not know, told where it does.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_sizes::assumed::Given;
use migfit_sizes::{CommandLine, DeviceProperties, Limits, Need, Verdict, evaluate_given};

fn given(all: &[&str]) -> Vec<Given> {
    all.iter().map(|text| Given::parse(text).unwrap()).collect()
}

fn need(program: SizeProgram, all: &[&str]) -> Need {
    let given = given(all);
    migfit_sizes::assumed::check(&program, &given).unwrap();
    let profile = migfit_schema::profile::JobProfile {
        summary: migfit_schema::profile::Summary::blank("test"),
        program: Some(program),
        checked: None,
    };
    let command = CommandLine {
        args: vec!["./test".to_owned()],
        env: Vec::new(),
        cwd: "/".into(),
    };
    evaluate_given(
        &profile,
        &command,
        &DeviceProperties::default(),
        &Limits::default(),
        &given,
    )
}

/// `n = secret(); cudaMalloc(&p, n * 4)`, where nobody knows what secret gives; n has its name.
fn secret_size() -> SizeProgram {
    let call = |dst: &[Reg], results: &[Type], name: &str, args: Vec<(Operand, Type)>| Op::Call {
        dst: dst.to_vec(),
        results: results.to_vec(),
        callee: Callee::External(name.to_owned()),
        args,
    };
    let ops = vec![
        call(&[0], &[I32], "secret", Vec::new()),
        Op::Cast {
            dst: 1,
            kind: Cast::Sext,
            from: I32,
            to: I64,
            a: Operand::Reg(0),
        },
        Op::Binary {
            dst: 2,
            ty: I64,
            op: BinaryOp::Mul,
            a: Operand::Reg(1),
            b: int(4),
            no_wrap: false,
        },
        Op::Alloca {
            dst: 3,
            size: 8,
            count: int(1),
            align: 8,
        },
        call(
            &[4],
            &[I32],
            "cudaMalloc",
            vec![(Operand::Reg(3), Type::Ptr), (Operand::Reg(2), I64)],
        ),
    ];
    let line = |(line, op): (u32, Op)| Instruction {
        op,
        place: Place { file: 0, line },
    };
    SizeProgram {
        files: vec!["src/test.cu".to_owned()],
        functions: vec![Function {
            name: "main".to_owned(),
            params: Vec::new(),
            results: vec![I32],
            registers: 5,
            blocks: vec![Block {
                phis: Vec::new(),
                ops: (1..).zip(ops).map(line).collect(),
                end: Terminator::Return(vec![int(0)]),
                end_place: Place { file: 0, line: 9 },
            }],
            names: vec![(0, "n".to_owned())],
        }],
        main: Some(0),
        ..SizeProgram::default()
    }
}

#[test]
fn without_a_word_the_size_is_not_known() {
    let need = need(secret_size(), &[]);
    assert!(matches!(
        need.verdict,
        Verdict::LowerBound | Verdict::Unknown
    ));
}

#[test]
fn an_assumed_value_makes_the_size_and_is_told() {
    let need = need(secret_size(), &["n=1000"]);
    assert_eq!(need.peak.map(|bytes| bytes.0), Some(4000));
    let told = &need.assumptions[0].reason;
    assert!(
        told.starts_with("the user's word, --assume n=1000; without it: "),
        "{told}"
    );
}

#[test]
fn a_negative_value_is_as_c_has_it() {
    let need = need(secret_size(), &["n=-1"]);
    assert_eq!(need.peak.map(|bytes| bytes.0), Some(u64::MAX - 3));
}

#[test]
fn a_bound_makes_an_upper_bound() {
    let need = need(secret_size(), &["test.cu:5=64MiB"]);
    assert_eq!(need.verdict, Verdict::UpperBound);
    assert_eq!(need.peak.map(|bytes| bytes.0), Some(64 << 20));
    assert!(need.assumptions[0].what.contains("at most 67108864 bytes"));
}

#[test]
fn a_bound_over_a_variable_takes_what_it_holds() {
    let need = need(secret_size(), &["n=10", "src/test.cu:5=n * 64"]);
    // The value is known by word, so the size is: the bound is not needed, and said not to be.
    assert_eq!(need.peak.map(|bytes| bytes.0), Some(40));
    assert!(
        need.notes
            .iter()
            .any(|note| note.reason.contains("was not needed"))
    );
}

#[test]
fn a_word_about_what_is_known_changes_nothing() {
    let mut program = secret_size();
    program.functions[0].blocks[0].ops[0].op = Op::Copy {
        dst: 0,
        ty: I32,
        a: int(7),
    };
    let known = need(program.clone(), &[]);
    let told = need(program, &["n=1000", "test.cu:5=4 B"]);
    assert_eq!((told.peak, told.verdict), (known.peak, known.verdict));
    assert!(
        told.notes
            .iter()
            .any(|note| note.reason.contains("--assume n=1000 was not needed"))
    );
    assert!(
        told.notes
            .iter()
            .any(|note| note.reason.contains("the user's word is 4 at most"))
    );
}

#[test]
fn what_speaks_of_nothing_is_refused() {
    let refused =
        |text: &str| migfit_sizes::assumed::check(&secret_size(), &given(&[text])).unwrap_err();
    assert_eq!(refused("m=3").known, ["n"]);
    assert_eq!(refused("test.cu:4=1MiB").known, ["test.cu:5"]);
    assert!(refused("test.cu:5=true").known.is_empty());
    assert!(
        refused("other.cu:5=1MiB")
            .what
            .contains("no allocation call")
    );
}
