//! A program joined with its libraries, evaluated: whose definition holds, and that ids, places and kernels are right.

mod build;

use build::*;
use migfit_schema::profile::JobProfile;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{CommandLine, Limits, Need, Verdict, evaluate};

/// A part that exports what has these names.
fn part(build: Build, exports: &[&str]) -> Part {
    let program = build.program;
    let exported = |name: &String| exports.contains(&name.as_str());
    let functions = (0u32..).zip(&program.functions);
    let functions = functions.filter(|(_, one)| exported(&one.name));
    let globals = (0u32..).zip(&program.globals);
    let globals = globals.filter(|(_, one)| exported(&one.name) && !one.external);
    Part {
        functions: functions.map(|(id, _)| id).collect(),
        globals: globals.map(|(id, _)| id).collect(),
        program,
        device_variables: 0,
    }
}

fn need(parts: &[Part], words: &[&str]) -> Need {
    let profile = JobProfile {
        checked: None,
        summary: summary(),
        program: Some(join(parts)),
    };
    let command: CommandLine = command(words);
    evaluate(&profile, &command, &device(), &Limits::default())
}

/// A library with `take(bytes)`, which allocates `factor` times as much through a function of its own called `helper`.
fn library(file: &str, factor: i64) -> Build {
    let mut build = Build::new();
    build.program.files[0] = format!("src/{file}");
    let kernel = build.kernel(&format!("kernel{factor}"));
    let helper = build.function("helper", &[I64], |body, arguments| {
        let bytes = body.binary(BinaryOp::Mul, I64, arguments[0], int(factor));
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.function("take", &[I64], |body, arguments| {
        body.callee(Callee::Function(helper), &[(arguments[0], I64)]);
        body.launch(kernel, int((1 << 32) | 1), 32);
        body.ret(int(0));
    });
    build
}

/// A program that calls `take` with its first argument and has a `helper` of its own, which takes one byte.
fn program() -> Build {
    let mut build = Build::new();
    build.kernel("unused");
    let own = build.function("helper", &[I64], |body, _| {
        body.cuda_malloc(int(1));
        body.ret(int(0));
    });
    build.program.opaque = vec!["take".to_owned(), "other".to_owned()];
    build.main(|body, arguments| {
        let number = body.argument(arguments[1], 1);
        let bytes = body.sext(number);
        body.callee(Callee::Function(own), &[(bytes, I64)]);
        body.call("take", &[(bytes, I64)]);
        body.ret(int(0));
    });
    build
}

#[test]
fn arguments_flow_into_the_library_and_what_is_not_exported_is_kept_apart() {
    let parts = [
        part(program(), &["main"]),
        part(library("lib.cu", 3), &["take"]),
    ];
    let need = need(&parts, &["700"]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(2101))),
        "{:?}",
        need.unknowns
    );
    let sites: Vec<&str> = need
        .allocations
        .iter()
        .map(|one| one.site.file.as_str())
        .collect();
    assert_eq!(sites, ["src/test.cu", "src/lib.cu"]);
    assert_eq!(need.launches[0].kernel, "_Z7kernel3v");
    assert_eq!(join(&parts).opaque, ["other"]);
}

#[test]
fn of_two_definitions_the_first_file_s_holds_for_all() {
    let (first, second) = (
        part(library("a.cu", 3), &["take"]),
        part(library("b.cu", 5), &["take"]),
    );
    let main = || part(program(), &["main"]);
    assert_eq!(
        need(&[main(), first.clone(), second.clone()], &["10"]).peak,
        Some(Bytes(31))
    );
    assert_eq!(
        need(&[main(), second, first], &["10"]).peak,
        Some(Bytes(51))
    );
    // The program's own `helper` stands before the library's where both are exported.
    let parts = [
        part(program(), &["main", "helper"]),
        part(library("a.cu", 3), &["take", "helper"]),
    ];
    assert_eq!(need(&parts, &["10"]).peak, Some(Bytes(2)));
}

#[test]
fn a_function_that_no_library_has_stays_opaque() {
    let need = need(
        &[part(program(), &["main"]), part(library("a.cu", 3), &[])],
        &["10"],
    );
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(1)))
    );
    assert_eq!(need.unknowns[0].what, "call of take");
}

#[test]
fn variables_are_one_where_they_are_exported_and_constructors_of_libraries_come_first() {
    let mut main = Build::new();
    let shared = main.global("shared", 8, Vec::new(), false);
    main.program.globals[0].external = true;
    main.main(|body, _| {
        let bytes = body.load(I64, shared);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    let mut lower = Build::new();
    lower.global("own", 8, vec![9], false);
    let variable = lower.global("shared", 8, vec![64], false);
    let start = lower.function("start", &[], |body, _| {
        let old = body.load(I64, variable);
        let new = body.binary(BinaryOp::Add, I64, old, int(1000));
        body.store(I64, new, variable);
        body.ret(int(0));
    });
    lower.program.constructors.push(start);
    let need = need(&[part(main, &["main"]), part(lower, &["shared"])], &[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(1064)))
    );
}

#[test]
fn parts_that_name_what_they_do_not_have_are_taken() {
    let mut broken = part(library("a.cu", 3), &["take"]);
    broken.functions.push(99);
    broken.globals.push(7);
    broken.program.constructors.push(44);
    let need = need(&[part(program(), &["main"]), broken], &["10"]);
    assert_ne!(need.verdict, Verdict::Exact);
}
