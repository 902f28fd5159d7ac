//! The command `migfit-analyze` as migfit-cc calls it: exit codes, messages, and what it writes.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use migfit_schema::container;
use migfit_schema::profile::Summary;
use migfit_schema::program::SizeProgram;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/ir/{name}.ll"))
}

fn analyze(args: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_migfit-analyze"));
    command.args(args).output().unwrap()
}

/// Bitcode of a fixture, made by the command itself.
fn bitcode(name: &str, folder: &Path) -> PathBuf {
    let out = folder.join(format!("{name}.bc"));
    let done = analyze(&["strip".as_ref(), &fixture(name), &out]);
    assert!(done.status.success(), "{done:?}");
    out
}

fn refused(args: &[&Path]) -> String {
    let done = analyze(args);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn a_job_profile_holds_summary_and_size_program() {
    let folder = tempfile::tempdir().unwrap();
    let input = bitcode("grid_2d", folder.path());
    let out = folder.path().join("profile");
    let words = [
        "profile",
        "--name",
        "blur",
        "--without-ir",
        "old.o",
        "--out",
    ];
    let mut args: Vec<&Path> = words.iter().map(Path::new).collect();
    args.extend([out.as_path(), &input]);
    let done = analyze(&args);
    assert!(done.status.success(), "{done:?}");

    let section = std::fs::read(&out).unwrap();
    let entries = container::sealed_entries(&section).unwrap();
    let [(container::SUMMARY, summary), (container::PROGRAM, program)] = entries[..] else {
        panic!("entries: {entries:?}");
    };
    let summary: Summary = serde_json::from_slice(summary).unwrap();
    assert_eq!(summary.name, "blur");
    assert_eq!(summary.without_ir, ["old.o"]);
    assert_eq!(summary.kernels[0].symbol, "_Z4blurPfii");
    let program: SizeProgram = postcard::from_bytes(program).unwrap();
    assert!(program.main.is_some());
}

#[test]
fn modules_are_linked_before_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let caller = folder.path().join("caller.ll");
    std::fs::write(&caller, "declare i32 @twice(i32)\ndefine i32 @main(i32 %n) {\n  %r = call i32 @twice(i32 %n)\n  ret i32 %r\n}\n").unwrap();
    let callee = folder.path().join("callee.ll");
    std::fs::write(
        &callee,
        "define i32 @twice(i32 %n) {\n  %r = add i32 %n, %n\n  ret i32 %r\n}\n",
    )
    .unwrap();
    let done = analyze(&["dump".as_ref(), "--unsliced".as_ref(), &caller, &callee]);
    let listing = String::from_utf8(done.stdout).unwrap();
    assert!(listing.contains("r1 = add i32 r0, r0"), "{listing}");
}

#[test]
fn two_definitions_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = bitcode("switch", folder.path());
    let second = bitcode("invoke", folder.path());
    let message = refused(&["dump".as_ref(), &first, &second]);
    assert!(
        message.contains("invoke.bc") && message.contains("main"),
        "{message}"
    );
}

#[test]
fn broken_input_is_an_error_and_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(bitcode("grid_2d", folder.path())).unwrap();
    let half = whole.get(..whole.len() / 2).unwrap();
    let ill_formed = b"define i32 @f() {\n  ret i32 %never\n}\n";
    for (name, bytes) in [
        ("empty bitcode", &b"BC\xc0\xde"[..]),
        ("half", half),
        ("text", b"int main() {}"),
        ("ill formed", ill_formed),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let message = refused(&["dump".as_ref(), &path]);
        assert!(
            message.contains(name) && message.contains("Hint"),
            "{message}"
        );
    }
}

#[test]
fn missing_files_and_wrong_words_are_named() {
    let message = refused(&["dump".as_ref(), "no/such.bc".as_ref()]);
    assert!(message.contains("no/such.bc"), "{message}");
    let message = refused(&["dump".as_ref()]);
    assert!(message.contains("no bitcode"), "{message}");
    let message = refused(&["frobnicate".as_ref()]);
    assert!(
        message.contains("frobnicate") && message.contains("usage"),
        "{message}"
    );
    let message = refused(&["dump".as_ref(), "--fast".as_ref()]);
    assert!(message.contains("--fast"), "{message}");
}

/// The summary of a module, analysed with these further words.
fn summary(module: &Path, words: &[&str]) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("profile");
    let mut args: Vec<&Path> = ["profile", "--name", "x", "--out"]
        .iter()
        .map(Path::new)
        .collect();
    args.push(&out);
    args.extend(words.iter().map(Path::new));
    args.push(module);
    let done = analyze(&args);
    assert!(done.status.success(), "{done:?}");
    let section = std::fs::read(&out).unwrap();
    let entries = container::sealed_entries(&section).unwrap();
    serde_json::from_slice(entries[0].1).unwrap()
}

#[test]
fn variables_on_the_device_are_summed_up() {
    assert_eq!(summary(&fixture("managed"), &[]).device_variables, 4);
}

#[test]
fn functions_are_not_looked_into_unless_the_system_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("calls.ll");
    let text = "declare i32 @wait4(i32, ptr, i32, ptr)\ndeclare void @_Z5solvei(i32)\n\
        define i32 @main(i32 %n) {\n  %r = call i32 @wait4(i32 0, ptr null, i32 0, ptr null)\n  \
        call void @_Z5solvei(i32 %n)\n  ret i32 %r\n}\n";
    std::fs::write(&module, text).unwrap();
    let list = folder.path().join("list");
    std::fs::write(&list, "wait4\n").unwrap();
    let calls = |words: &[&str]| -> Vec<String> {
        let unknowns = summary(&module, words).unknowns;
        unknowns.into_iter().map(|one| one.what).collect()
    };
    // Without a list this host's own libraries are asked.
    assert_eq!(calls(&[]), ["call of solve"]);
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let nothing = ["--system-functions", empty.to_str().unwrap()];
    assert_eq!(calls(&nothing), ["call of wait4", "call of solve"]);
    let listed = ["--system-functions", list.to_str().unwrap()];
    assert_eq!(calls(&listed), ["call of solve"]);
    let missing = analyze(&[
        "profile".as_ref(),
        "--name".as_ref(),
        "x".as_ref(),
        "--out".as_ref(),
        folder.path().join("out").as_ref(),
        "--system-functions".as_ref(),
        "no/such".as_ref(),
        &module,
    ]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no/such"));
}
