//! As a shim in PATH: the object is the compiler's own, IR comes from a pass beside it.

use crate::fixture::{CALLS_CUDA, Fixture, said, section};
use migfit_schema::build::BuildNote;
use migfit_schema::container::{self, IR_SECTION};

#[test]
fn the_object_is_the_compilers_own_and_carries_ir() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture
        .shim("g++", "-O2 -fno-tree-vectorize -c a.cpp -o ours.o")
        .quiet();
    assert!(
        fixture
            .tool("g++", "-O2 -fno-tree-vectorize -c a.cpp -o theirs.o")
            .status
            .success()
    );
    let (ours, theirs) = (fixture.read("ours.o"), fixture.read("theirs.o"));
    for name in [".text", ".comment", ".eh_frame"] {
        assert_eq!(section(&ours, name), section(&theirs, name), "{name}");
    }
    assert!(section(&ours, IR_SECTION).is_some());
}

#[test]
fn old_c_that_clang_would_refuse_still_gives_ir() {
    let fixture = Fixture::new(&[("a.c", "main(argc) int argc; { return helper(argc); }\n")]);
    let output = fixture.shim("gcc", "-w -c a.c").output();
    assert!(output.status.success(), "{output:?}");
    assert!(section(&fixture.read("a.o"), IR_SECTION).is_some());
}

#[test]
fn what_only_the_compiler_understands_costs_the_ir_and_nothing_else() {
    let nested = "int f(int n) { int g(void) { return n; } return g(); }\n";
    let fixture = Fixture::new(&[("a.c", nested)]);
    fixture.shim("gcc", "-c a.c").quiet();
    let section = section(&fixture.read("a.o"), IR_SECTION).unwrap();
    assert_eq!(container::bitcode(&section), Ok(Vec::new()));
    let reason = container::no_bitcode(&section).unwrap();
    assert!(
        reason.starts_with("a.c:1:") && reason.contains("error"),
        "{reason}"
    );
}

#[test]
fn a_failed_compile_is_the_compilers_own() {
    let fixture = Fixture::new(&[("a.c", "int f(void) { return absent; }\n")]);
    let ours = fixture.shim("gcc", "-c a.c").output();
    let theirs = fixture.tool("gcc", "-c a.c");
    assert_eq!(ours.status.code(), theirs.status.code());
    assert_eq!(said(&ours), said(&theirs));
}

#[test]
fn off_means_off() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture
        .shim("g++", "-c a.cpp")
        .with("MIGFIT", "off")
        .quiet();
    assert_eq!(section(&fixture.read("a.o"), IR_SECTION), None);
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let fixture = Fixture::new(&[]);
    let output = fixture
        .shim("gcc", "-c a.c")
        .with("MIGFIT_REAL_PATH", "/nowhere")
        .output();
    assert_eq!(output.status.code(), Some(127));
    assert!(
        said(&output).contains("`gcc`") && said(&output).contains("hint:"),
        "{output:?}"
    );
}

#[test]
fn objects_of_link_time_optimisation_are_compiled_plainly_and_told() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture.shim("g++", "-O2 -flto=auto -c a.cpp").quiet();
    fixture.cc("-O2 -flto -c a.cpp -o b.o").quiet();
    for object in ["a.o", "b.o"] {
        assert!(section(&fixture.read(object), IR_SECTION).is_some());
        assert!(section(&fixture.read(object), ".text").is_some_and(|code| !code.is_empty()));
    }
    assert_eq!(
        fixture.notes(),
        [BuildNote::LtoLeftOut, BuildNote::LtoLeftOut]
    );
}

#[test]
fn temporary_files_that_were_asked_for_are_the_compilers() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    for (compile, end) in [("g++", "ii"), ("", "bc")] {
        match compile {
            "" => fixture.cc("-save-temps -c a.cpp").quiet(),
            name => fixture.shim(name, "-save-temps -c a.cpp").quiet(),
        }
        assert!(section(&fixture.read("a.o"), IR_SECTION).is_some());
        assert!(fixture.path("a.s").is_file() && fixture.path(&format!("a.{end}")).is_file());
    }
}
