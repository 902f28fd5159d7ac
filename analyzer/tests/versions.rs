//! IR of one program (fixtures/versions/table.c) as older versions of clang write it: text with typed pointers, bitcode
//! with the layouts of its time. All give the same answer; what is newer than our LLVM is refused with both versions.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::ir::load;
use migfit_analyzer::{pipeline, slice};
use migfit_schema::profile::{JobProfile, Summary};
use migfit_sizes::{CommandLine, DeviceProperties, Limits, Verdict, evaluate_traced};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/versions/{name}"))
}

/// Peak bytes and whether they are certain, for the argument "5".
fn peak(name: &str) -> (Option<u64>, bool) {
    let context = Context::create();
    let module = load::read(&context, &fixture(name)).unwrap();
    let whole = slice::advise(&pipeline::size_program(&context, &module).unwrap());
    let profile = JobProfile {
        checked: None,
        summary: Summary::blank(""),
        program: Some(slice::slice(&whole)),
    };
    let command = CommandLine {
        args: ["table", "5"].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: PathBuf::from("."),
    };
    let device = DeviceProperties {
        total_bytes: 40 << 30,
        ..DeviceProperties::default()
    };
    let (need, _) = evaluate_traced(&profile, &command, &device, &Limits::default());
    (
        need.peak.map(|bytes| bytes.0),
        need.verdict == Verdict::Exact,
    )
}

#[test]
fn older_bitcode_and_text_give_the_same_answer() {
    for name in [
        "clang-14-O0.ll",
        "clang-14-O2.ll",
        "clang-14-O0.bc",
        "clang-14-O2.bc",
        "clang-15-O0.bc",
        "clang-15-O2.bc",
        "clang-16-O0.bc",
        "clang-16-O2.bc",
    ] {
        assert_eq!(peak(name), (Some(32), true), "{name}");
    }
}

#[test]
fn newer_bitcode_is_refused_with_both_versions() {
    let context = Context::create();
    let error = load::read(&context, &fixture("clang-22.bc")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("LLVM22.1.8"), "{text}");
    assert!(text.contains("LLVM 19.1"), "{text}");
}
