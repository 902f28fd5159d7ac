//! Builds that keep the user's host compiler: objects are byte for byte what they would have been, and host code that
//! only that compiler takes carries IR all the same.

use migfit_schema::container::IR_SECTION;
use migfit_tests::source::tool;
use migfit_tests::{Gpu, Migfit, Outcome, Project, process};
use std::ops::Range;

/// Fields of an ELF file's header that a section more changes: where the table of sections lies, and how many.
const CHANGED: [Range<usize>; 2] = [0x28..0x30, 0x3c..0x3e];

/// Fails unless the object is `plain` with something behind it.
#[track_caller]
fn expect_the_same_in_front(plain: &[u8], ours: &[u8], what: &str) {
    assert!(ours.len() > plain.len(), "{what} carries nothing");
    let (mut front, mut plain) = (ours[..plain.len()].to_vec(), plain.to_vec());
    for field in CHANGED {
        front[field.clone()].fill(0);
        plain[field].fill(0);
    }
    let differs = front
        .iter()
        .zip(&plain)
        .position(|(one, other)| one != other);
    assert_eq!(differs, None, "{what} differs");
}

fn project() -> Project {
    let project = Project::fixture("own");
    assert!(project.folder().path("sums.cu").is_file());
    project
}

fn built(project: &Project, words: &[&str]) -> Outcome {
    process::output(&mut project.build_as(&[], words)).expect_success()
}

#[test]
fn objects_are_byte_for_byte_the_user_s_own() {
    let project = project();
    let object = |name: &str| std::fs::read(project.folder().path(name)).expect("it was made");
    for flags in [
        "-O2 -lineinfo",
        "-O0 -g",
        "-rdc=true -Xcompiler -fPIC,-fno-gnu-unique",
    ] {
        // With its temporary files kept nvcc gives them the same names each time.
        let compile = format!("nvcc -keep {flags} -c sums.cu -o sums.o");
        let words: Vec<&str> = compile.split(' ').collect();
        let plain = process::output(project_tool(&project, &words).env("X", "")).expect_success();
        let before = object("sums.o");
        let ours = built(&project, &words);
        expect_the_same_in_front(&before, &object("sums.o"), flags);
        assert_eq!(ours.stdout, plain.stdout, "{flags}");
    }
    for compile in [
        "g++ -O2 -fopenmp -c host.cpp",
        "gcc -O0 -g -c old.c",
        "g++ -O2 -flto -frandom-seed=7 -c host.cpp",
    ] {
        let words: Vec<&str> = compile.split(' ').collect();
        let name = if compile.contains("old.c") {
            "old.o"
        } else {
            "host.o"
        };
        process::output(&mut project_tool(&project, &words)).expect_success();
        let before = object(name);
        built(&project, &words);
        match compile.contains("-flto") {
            // What only a linker's plugin reads stays untouched.
            true => assert!(before == object(name), "{compile}"),
            false => expect_the_same_in_front(&before, &object(name), compile),
        }
    }
}

fn project_tool(project: &Project, words: &[&str]) -> std::process::Command {
    let mut command = tool(words[0].into());
    command
        .args(&words[1..])
        .current_dir(project.folder().folder());
    command
}

/// Builds `program` with these words, foretells it for one argument, and sees it use that much.
fn foretold(project: &Project, build: &[&str], verdict: &str, bytes: u64) {
    let build = project.built(build);
    assert!(!build.stderr.contains("not analysed"), "{build}");
    let program = project.program("program");
    let answer = Migfit::fit(&program).args("1000").json();
    let need = answer.need();
    assert_eq!(
        (answer.peak(), need.verdict.as_str()),
        (bytes, verdict),
        "{build}"
    );
    let ran = Migfit::run(&program, &Gpu::a100()).args("1000").done();
    let job = ran.job("program");
    assert_eq!(
        (job.exit_code, job.observed_peak_bytes),
        (Some(0), Some(bytes)),
        "{build}"
    );
}

#[test]
fn flags_and_warnings_of_gcc_alone() {
    let project = project();
    let flags = "-Werror,-Wall,-Wno-class-memaccess,-fno-gnu-unique,-Wno-maybe-uninitialized,-fno-tree-vectorize";
    let words = [
        "nvcc",
        "-O2",
        "-Xcompiler",
        flags,
        "sums.cu",
        "-o",
        "program",
    ];
    foretold(&project, &words, "exact", 4000);
}

#[test]
fn vector_instructions_coverage_and_options_in_files() {
    let project = project();
    project
        .folder()
        .put("more.options", "-Xcompiler -mavx2,-mfma\n-DSCALE=2\n");
    let words = [
        "nvcc",
        "-O2",
        "-optf",
        "more.options",
        "lanes.cu",
        "-o",
        "program",
    ];
    foretold(&project, &words, "exact", 8000);
    let words = [
        "nvcc",
        "-Xcompiler",
        "-mavx2,--coverage",
        "lanes.cu",
        "-o",
        "program",
        "-lgcov",
    ];
    foretold(&project, &words, "exact", 4000);
}

#[test]
fn openmp_outside_of_what_allocates() {
    let project = project();
    let words = [
        "nvcc",
        "-Xcompiler",
        "-fopenmp",
        "threads.cu",
        "-o",
        "program",
    ];
    // That the host's own check of what the threads did passes is assumed.
    foretold(&project, &words, "assumed", 4000);
}

#[test]
fn what_a_parallel_region_allocates_is_never_exact() {
    let project = project();
    project.folder().put(
        "each.cu",
        "#include <cstdlib>\nint main(int, char **argv) {\n  int bytes = atoi(argv[1]);\n  #pragma omp parallel num_threads(4)\n  { void *p; cudaMalloc(&p, bytes); }\n  return 0;\n}\n",
    );
    let build = project.built(&["nvcc", "-Xcompiler", "-fopenmp", "each.cu", "-o", "program"]);
    let answer = Migfit::fit(&project.program("program")).args("1000").json();
    assert_ne!(answer.need().verdict, "exact", "{build}");
    let ran = Migfit::run(&project.program("program"), &Gpu::a100())
        .args("1000")
        .done();
    assert_eq!(ran.job("program").observed_peak_bytes, Some(4000));
}

#[test]
fn thrust_without_optimisation_and_with_debug_information() {
    let project = project();
    let words = ["nvcc", "-O0", "-g", "sorted.cu", "-o", "program"];
    let build = project.built(&words);
    assert!(!build.stderr.contains("not analysed"), "{build}");
    let answer = Migfit::fit(&project.program("program")).args("1000").json();
    // The vector at the least; what sorting takes besides is CUB's.
    assert!(answer.peak() >= 4000, "{build}");
}

#[test]
fn what_only_clang_refuses_keeps_its_object_and_the_reason_is_told() {
    let project = project();
    project.folder().put(
        "gcc_only.cu",
        "#ifdef __clang__\n#error not for clang\n#endif\nint main() { void *p; return cudaMalloc(&p, 4000); }\n",
    );
    let build = project.built(&["nvcc", "gcc_only.cu", "-o", "program"]);
    let part = "; not analysed: gcc_only.o (no IR: gcc_only.cu:2:2: error: not for clang)";
    assert!(build.stderr.contains(part), "{build}");
    let answer = Migfit::fit(&project.program("program")).args("").json();
    assert_eq!(answer.need().verdict, "unknown");
}

#[test]
fn every_manner_of_stripping_and_a_new_link() {
    let project = project();
    let peak = |args: &str| {
        Migfit::fit(&project.program("program"))
            .args(args)
            .json()
            .peak()
    };
    for strip in ["llvm-strip-19", "strip"] {
        project.built(&["nvcc", "-DSCALE=1", "sums.cu", "-o", "program"]);
        project.tool(strip, &["program"]);
        assert_eq!(peak("1000"), 4000, "{strip}");
        // Another program of that name, linked without us and stripped: it has no job profile, and gets no old one.
        project.tool(
            "nvcc",
            &["-DSCALE=3", "-cudart", "shared", "sums.cu", "-o", "program"],
        );
        project.tool(strip, &["program"]);
        let none = Migfit::fit(&project.program("program"))
            .args("1000")
            .outcome();
        none.expect_code(83);
        project.built(&["nvcc", "-DSCALE=3", "sums.cu", "-o", "program"]);
        project.tool(strip, &["program"]);
        assert_eq!(peak("1000"), 12000, "{strip}");
    }
}

#[test]
fn names_with_blanks_and_read_only_sources() {
    let project = project();
    let folder = project.folder().path("my sources");
    std::fs::create_dir(&folder).expect("the sandbox can be written");
    let source = folder.join("the sums.cu");
    std::fs::copy(project.folder().path("sums.cu"), &source).expect("sources can be copied");
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o555);
    std::fs::set_permissions(&folder, closed).expect("they are ours");
    let words = [
        "nvcc",
        "-I",
        "my sources",
        "my sources/the sums.cu",
        "-o",
        "program",
    ];
    foretold(&project, &words, "exact", 4000);
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&folder, open).expect("they are ours");
}

#[test]
fn many_compiles_at_once() {
    let project = project();
    project.folder().put(
        "Makefile",
        "ALL := $(foreach n,1 2 3 4 5 6,part$(n).o)\n\
         program: sums.o $(ALL)\n\tnvcc -o $@ $^\n\
         sums.o: sums.cu\n\tnvcc -c -o $@ $<\n\
         part%.o: part.cu\n\tnvcc -DPART=$* -c -o $@ $<\n",
    );
    let part = "#define JOIN2(a, b) a##b\n#define JOIN(a, b) JOIN2(a, b)\n\
        __global__ void JOIN(work, PART)(int *p) { *p = PART; }\n\
        void JOIN(part, PART)(int *p) { JOIN(work, PART)<<<1, 1>>>(p); }\n";
    project.folder().put("part.cu", part);
    foretold(&project, &["make", "-j6"], "exact", 4000);
    let program = project.program("program");
    assert_eq!(program.section(IR_SECTION), None);
}

#[test]
fn a_signal_leaves_nothing_behind() {
    use std::os::unix::process::CommandExt as _;
    let project = project();
    let (started, temporary) = (
        project.folder().pipe("started"),
        project.folder().path("tmp"),
    );
    std::fs::create_dir(&temporary).expect("the sandbox can be written");
    let clang = format!(
        "#!/bin/sh\ncase \"$*\" in --version) exec clang-19 --version;; *-emit-llvm*) echo here > '{}'; exec sleep 600;; esac\nexec clang-19 \"$@\"\n",
        started.display()
    );
    let clang = project.folder().put_script("slow-clang", &clang);
    let mut build = project.build_as(&[], &["nvcc", "-c", "sums.cu"]);
    build.env("MIGFIT_CLANG", clang).env("TMPDIR", &temporary);
    let child = process::start(build.process_group(0));
    // Blocks until the pass beside the compiler is at work.
    assert_eq!(std::fs::read_to_string(&started).expect("a pipe"), "here\n");
    let group = -libc::pid_t::try_from(child.id()).expect("a process id is small");
    // SAFETY: kill only takes numbers; the group is that of a child of ours that was not waited for yet.
    assert_eq!(unsafe { libc::kill(group, libc::SIGINT) }, 0);
    let ended = process::finish(child, &build);
    assert_ne!(ended.code, 0, "{ended}");
    let left = std::fs::read_dir(&temporary).expect("it is there");
    let names = left
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    // nvcc does not always remove its own.
    let left: Vec<_> = names.filter(|name| !name.starts_with("tmpxft_")).collect();
    assert!(left.is_empty(), "{left:?}");
}
