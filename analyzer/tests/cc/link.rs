//! Final links: the program carries its job profile and no IR, whatever becomes of the analysis.

use crate::fixture::{CALLS_CUDA, Fixture, MAIN, needed, said, section};
use migfit_schema::container::{IR_SECTION, PROFILE_SECTION};

/// Objects `a.o` and `m.o` with IR, and a runtime to link with.
fn compiled() -> Fixture {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA), ("m.cpp", MAIN)]).with_cuda_runtime();
    fixture.cc("-c a.cpp -o a.o").quiet();
    fixture.cc("-c m.cpp -o m.o").quiet();
    fixture
}

/// Runs the program against the small runtime; it returns 0 when it got the runtime's 7.
fn runs(fixture: &Fixture, program: &str) {
    let folder = fixture.path(".");
    let output = fixture.tool(
        "env",
        &format!("LD_LIBRARY_PATH={} ./{program}", folder.display()),
    );
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_program_carries_its_job_profile_in_place_of_ir() {
    let fixture = compiled();
    fixture.cc("m.o a.o -L. -lcudart -o prog").quiet();
    assert_eq!(
        fixture.analyzer_log(),
        "profile prog\nmodule BC\nmodule BC\n"
    );
    assert_eq!(fixture.summary("prog").failure, None);
    assert_eq!(section(&fixture.read("prog"), IR_SECTION), None);
    runs(&fixture, "prog");
    let built = fixture.built();
    assert_eq!(built.len(), 1);
    assert!(built[0].path.ends_with("/prog"));
}

#[test]
fn every_linker_and_stripping_keep_a_program_that_runs() {
    let fixture = compiled();
    for options in [
        "-fuse-ld=bfd",
        "-fuse-ld=gold",
        "-Wl,--gc-sections",
        "-s",
        "-g -O2 -static-libstdc++",
    ] {
        fixture
            .cc(&format!("{options} m.o a.o -L. -lcudart -o prog"))
            .quiet();
        assert_eq!(fixture.summary("prog").failure, None, "{options}");
        runs(&fixture, "prog");
        assert!(fixture.tool("strip", "prog").status.success());
        assert_eq!(fixture.summary("prog").failure, None, "{options}, stripped");
        runs(&fixture, "prog");
    }
}

#[test]
fn only_archive_members_that_are_linked_count() {
    let fixture = compiled();
    std::fs::write(fixture.path("spare.cpp"), "int spare() { return 1; }\n").unwrap();
    fixture.cc("-c spare.cpp -o spare.o").quiet();
    assert!(
        fixture
            .tool("ar", "rcs libx.a a.o spare.o")
            .status
            .success()
    );
    fixture.cc("m.o -L. -lx -lcudart -o prog").quiet();
    assert_eq!(fixture.analyzer_log().matches("module BC").count(), 2);
}

#[test]
fn objects_without_ir_are_listed() {
    let fixture = compiled();
    assert!(fixture.tool("g++", "-c m.cpp -o m.o").status.success());
    std::fs::write(fixture.path("b.c"), "int b;\n").unwrap();
    assert!(fixture.tool("gcc", "-c b.c").status.success());
    assert!(fixture.tool("ar", "rcs libb.a b.o").status.success());
    fixture.cc("m.o a.o -L. -lb -lcudart -o prog").quiet();
    let listed = fixture.summary("prog").without_ir;
    assert_eq!(listed, ["m.o"]);
    assert!(fixture.tool("ar", "rcs libm2.a m.o b.o").status.success());
    fixture.cc("libm2.a a.o -L. -lb -lcudart -o prog").quiet();
    let listed = fixture.summary("prog").without_ir;
    assert_eq!(listed, ["libm2.a(m.o)"]);
    assert_eq!(fixture.built()[1].without_ir, listed);
}

#[test]
fn a_shim_compiles_and_links_in_one_command() {
    let fixture = compiled();
    fixture
        .shim("g++", "-O2 m.cpp a.o -L. -lcudart -o prog")
        .quiet();
    assert_eq!(
        fixture.analyzer_log(),
        "profile prog\nmodule BC\nmodule BC\n"
    );
    runs(&fixture, "prog");
}

#[test]
fn a_failed_analysis_is_one_warning_and_a_profile_that_says_why() {
    let fixture = compiled();
    for (stand_in, reason) in [
        ("refuse", "the analysis failed: a call of an unknown kind"),
        ("abort", "the analysis was ended by signal 6"),
        ("nothing", "the analysis wrote no job profile"),
    ] {
        let output = fixture
            .cc("m.o a.o -L. -lcudart -o prog")
            .with("STAND_IN", stand_in)
            .output();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(said(&output).lines().count(), 1, "{output:?}");
        let failure = fixture.summary("prog").failure.unwrap();
        assert!(failure.contains(reason), "{failure}");
        assert!(said(&output).contains(&failure));
        runs(&fixture, "prog");
    }
}

#[test]
fn a_program_without_any_ir_says_so() {
    let fixture = compiled();
    assert!(fixture.tool("g++", "-c m.cpp -o m.o").status.success());
    assert!(fixture.tool("g++", "-c a.cpp -o a.o").status.success());
    let output = fixture.cc("m.o a.o -L. -lcudart -o prog").output();
    assert!(
        said(&output).contains("no linked object carries host IR"),
        "{output:?}"
    );
    assert_eq!(fixture.summary("prog").without_ir, ["m.o", "a.o"]);
}

#[test]
fn a_program_that_has_nothing_to_do_with_cuda_is_left_alone() {
    let fixture = Fixture::new(&[("m.cpp", "int main() { return 0; }\n")]);
    fixture.cc("-c m.cpp -o m.o").quiet();
    fixture.cc("m.o -o prog").quiet();
    let program = fixture.read("prog");
    assert_eq!(section(&program, PROFILE_SECTION), None);
    assert_eq!(section(&program, IR_SECTION).unwrap_or_default(), b"");
    assert_eq!(fixture.analyzer_log(), "");
    assert!(fixture.built().is_empty());
    runs(&fixture, "prog");
}

#[test]
fn a_failed_link_is_the_linkers_own() {
    let fixture = compiled();
    let output = fixture.cc("m.o -o prog").output();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("needle") && !said(&output).contains("migfit"),
        "{output:?}"
    );
    assert_eq!(fixture.analyzer_log(), "");
}

#[test]
fn a_build_for_the_virtual_gpu_links_the_shared_runtime() {
    let fixture = compiled();
    fixture
        .cc("m.o a.o -L. -lcudart_static -o prog")
        .with("MIGFIT_VIRTUAL", "1")
        .quiet();
    assert!(needed(&fixture, "prog").contains("libcudart.so.13"));
    std::fs::write(fixture.path("words"), "m.o a.o -L. -lcudart_static").unwrap();
    fixture
        .cc("@words -o other")
        .with("MIGFIT_VIRTUAL", "1")
        .quiet();
    runs(&fixture, "other");
    let real = fixture.cc("m.o a.o -L. -lcudart_static -o third").output();
    assert!(
        said(&real).contains("cudart_static"),
        "without --virtual the static one is wanted: {real:?}"
    );
}

#[test]
fn the_command_itself_loads_no_llvm() {
    let fixture = Fixture::new(&[]);
    let libraries = needed(&fixture, env!("CARGO_BIN_EXE_migfit-cc"));
    assert!(libraries.contains("libc.so"), "{libraries}");
    assert!(!libraries.contains("LLVM"), "{libraries}");
}

#[test]
fn libraries_without_ir_and_the_systems_functions_are_told_apart() {
    let fixture = compiled();
    std::fs::write(fixture.path("own.cpp"), "int own() { return 1; }\n").unwrap();
    let made = fixture.tool("clang-19", "-shared -fPIC own.cpp -o libown.so");
    assert!(made.status.success(), "{made:?}");
    std::fs::write(
        fixture.path("m.cpp"),
        "#include <cstdlib>\nint own();\nint needle(int);\nint main(int argc, char **argv) \
         { return needle(argc) - 6 - own() + atoi(argv[0]); }\n",
    )
    .unwrap();
    fixture.cc("-c m.cpp -o m.o").quiet();
    fixture
        .cc("m.o a.o -L. -Wl,-rpath,. -lown -lcudart -o prog")
        .quiet();
    assert_eq!(
        fixture.summary("prog").without_ir,
        ["libown.so (shared library)"]
    );
    let system = std::fs::read_to_string(fixture.path("analyzer.log.system")).unwrap();
    assert!(
        system
            .split(' ')
            .any(|name| name == "atoi" || name == "strtol"),
        "{system}"
    );
    assert!(!system.contains("own"), "{system}");
    runs(&fixture, "prog");
}
