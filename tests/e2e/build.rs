//! `migfit build`: real nvcc, unchanged Makefiles; programs carry their job profile; errors are the compiler's own.

use migfit_schema::container::{self, CHECKED, IR_SECTION, PROGRAM, SUMMARY};
use migfit_schema::profile::{PROFILE_VERSION, Summary};
use migfit_tests::{Program, Sandbox, Source, process};

fn summary(program: &Program) -> Summary {
    let section = program
        .job_profile()
        .expect("the program carries a job profile");
    let entries = container::sealed_entries(&section).expect("the section is whole");
    let marks: Vec<_> = entries.iter().map(|(mark, _)| *mark).collect();
    // Some have a second size program, which keeps the checks of what calls return.
    let without_checked = marks.strip_suffix(&[CHECKED]).unwrap_or(&marks);
    assert_eq!(without_checked, [SUMMARY, PROGRAM]);
    serde_json::from_slice(entries[0].1).expect("the summary is JSON of the known form")
}

#[test]
fn the_programs_carry_their_job_profiles() {
    let expected = [
        ("hotspot", 1, 1),
        ("nw", 2, 2),
        ("lud", 1, 4),
        ("bfs", 7, 2),
        ("gaussian", 3, 2),
        ("pathfinder", 3, 1),
        ("nn", 2, 1),
        ("kmeans", 4, 2),
        ("srad", 6, 2),
        ("backprop", 4, 2),
        ("lavaMD", 4, 1),
        ("particlefilter", 5, 5),
    ];
    for (name, allocations, launches) in expected {
        let program = Program::rodinia(name).built_for_the_virtual_gpu();
        let summary = summary(&program);
        assert_eq!(summary.version, PROFILE_VERSION);
        assert_eq!(summary.name, name);
        assert_eq!(
            (summary.failure, summary.without_ir),
            (None, vec![]),
            "{name}"
        );
        let found = (summary.allocations.len(), summary.launches.len());
        assert_eq!(found, (allocations, launches), "sites of {name}");
        assert_eq!(program.section(IR_SECTION), None, "{name} still carries IR");
    }
}

#[test]
fn every_site_is_a_line_of_the_user_s_source() {
    let program = Program::rodinia("lud").built_for_the_virtual_gpu();
    let summary = summary(&program);
    let allocations = summary
        .allocations
        .iter()
        .map(|one| (&one.site, "cudaMalloc"));
    let launches = summary.launches.iter().map(|one| (&one.site, "<<<"));
    for (site, text) in allocations.chain(launches) {
        let file = program.folder().join("lud").join(&site.file);
        let source = std::fs::read_to_string(file).expect("the site's file is a source of lud");
        let line = source.lines().nth(site.line as usize - 1).unwrap_or("");
        assert!(line.contains(text), "{site} is no {text}: {line}");
    }
}

#[test]
fn the_same_source_gives_the_same_job_profile() {
    let twice = [(); 2].map(|()| {
        let source = Source::fixture("template_kernel");
        source.built_for_the_virtual_gpu().job_profile()
    });
    assert!(twice[0].is_some());
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn switched_off_nothing_of_ours_is_in_the_program() {
    let source = Source::fixture("managed");
    let build = source
        .build_with(&["build", "--"], &[("MIGFIT", "off")])
        .expect_success();
    assert_eq!((build.stdout.as_str(), build.stderr.as_str()), ("", ""));
    let off = source.program();
    assert_eq!((off.job_profile(), off.section(IR_SECTION)), (None, None));
    // Against a plain build, which names the same things: nothing else changed either.
    let plain = Source::fixture("managed");
    process::output(&mut plain.nvcc()).expect_success();
    assert_eq!(symbols(&off), symbols(&plain.program()));
}

fn symbols(program: &Program) -> Vec<String> {
    use object::{Object, ObjectSymbol};
    let bytes = std::fs::read(program.path()).expect("built");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let names = file.symbols().filter(|symbol| symbol.is_global());
    let mut names: Vec<String> = names
        .map(|symbol| symbol.name().unwrap_or("").to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_user_s_own_nvcc_flags_stay() {
    let source = Source::of(
        "int main() { void *p; return cudaMalloc(&p, BYTES) == cudaSuccess ? 0 : 2; }\n",
    );
    let build = ["build", "--virtual", "--"];
    source
        .build_with(&build, &[("NVCC_APPEND_FLAGS", "-DBYTES=12345")])
        .expect_success();
    let answer = migfit_tests::Migfit::fit(&source.program()).args("").json();
    assert_eq!(answer.peak(), 12345);
}

#[test]
fn a_source_that_does_not_compile_gets_the_compiler_s_own_error() {
    let text =
        "__global__ void k(int *p) { p[0] = 1 }\nint main() { k<<<1, 1>>>(nothing); return 0; }\n";
    let source = Source::of(text);
    let plain = process::output(&mut source.nvcc());
    let ours = source.build(&["build", "--virtual", "--"]);
    assert_ne!(plain.code, 0);
    assert!(plain.stderr.contains("program.cu(1): error"), "{plain}");
    assert_eq!(ours.code, plain.code, "{ours}");
    assert_eq!(ours.stderr, plain.stderr);
    assert_eq!(ours.stdout, plain.stdout);
}

#[test]
fn a_makefile_that_fails_keeps_its_exit_code() {
    let folder = Sandbox::new();
    folder.put("Makefile", "all:\n\t@echo building; exit 3\n");
    let mut make = migfit_tests::migfit::migfit();
    make.args(["build", "--virtual", "--", "make"])
        .current_dir(folder.folder());
    let ours = process::output(&mut make);
    assert_eq!(ours.code, 2, "{ours}");
    assert_eq!(ours.stdout, "building\n");
    assert!(!ours.stderr.contains("migfit"), "{ours}");
}

#[test]
fn a_link_that_fails_is_told_by_the_linker_alone() {
    let source = Source::of("int elsewhere();\nint main() { return elsewhere(); }\n");
    let plain = process::output(&mut source.nvcc());
    let ours = source.build(&["build", "--virtual", "--"]);
    assert_eq!(ours.code, plain.code, "{ours}");
    assert!(
        ours.stderr.contains("undefined reference to `elsewhere()'"),
        "{ours}"
    );
    assert!(!ours.stderr.contains("migfit"), "{ours}");
}

#[test]
fn the_program_does_what_the_user_wrote() {
    // Host code only: what clang makes of it must behave as what nvcc's own compiler makes of it.
    let text = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
struct Told { std::string name; ~Told() { printf("bye %s\n", name.c_str()); } };
static Told first{"static"};
int main(int argc, char **argv) {
    Told local{argv[0][0] ? "local" : "none"};
    try { if (argc > 1) throw std::runtime_error(argv[1]); } catch (const std::exception &e) { printf("caught %s\n", e.what()); }
    return argc + 40;
}
"#;
    let plain = Source::of(text).built_without_migfit();
    let ours = Source::of(text).built_for_the_virtual_gpu();
    let run = |program: &Program| {
        let mut command = std::process::Command::new(program.path());
        // Both have the shared runtime, which the virtual GPU brings.
        let libraries = migfit_tests::Stage::ready().virtual_gpu();
        process::clean(&mut command)
            .arg("x")
            .env("LD_LIBRARY_PATH", libraries);
        process::output(&mut command).expect_code(42)
    };
    let (plain, ours) = (run(&plain), run(&ours));
    assert_eq!((plain.stdout, plain.stderr), (ours.stdout, ours.stderr));
}
