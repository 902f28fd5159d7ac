//! The ways in which people build: one small program of three sources (tests/fixtures/projects/shapes), built in each,
//! foretold exactly and seen to use what was foretold.

use migfit_tests::{Gpu, JobFile, Migfit, Outcome, Project, Stage, process, run, toolkit};

/// Device bytes of the program for 1000 elements.
const BYTES: u64 = 8000;

/// A project that was built in one way, and what `migfit build` said.
struct Built {
    way: &'static str,
    project: Project,
    build: Outcome,
}

fn built(way: &'static str) -> Built {
    built_as(&["--virtual"], way)
}

fn built_as(flags: &[&str], way: &'static str) -> Built {
    let project = Project::fixture("shapes");
    let mut build = project.build_as(flags, &["make", &format!("WAY={way}"), way]);
    let build = process::output(&mut build).expect_success();
    Built {
        way,
        project,
        build,
    }
}

/// Builds in all these ways, foretells and runs; gives what was built for more questions.
fn all_hold<const N: usize>(ways: [&'static str; N]) -> Vec<Built> {
    hold(ways.into_iter().map(built).collect())
}

fn hold(all: Vec<Built>) -> Vec<Built> {
    let mut jobs = JobFile::new();
    for Built {
        way,
        project,
        build,
    } in &all
    {
        let program = project.program("program");
        let answer = Migfit::fit(&program).args("1000 3").json();
        assert_eq!(answer.peak(), BYTES, "{way}: {build}");
        assert_eq!(answer.need().verdict, "exact", "{way}: {build}");
        jobs = jobs.job(way, &program, "1000 3");
    }
    let report = Migfit::run_file(&jobs, &Gpu::a100()).report();
    for Built { way, .. } in &all {
        let job = run::job(&report, way);
        assert_eq!(job.exit_code, Some(0), "{way}");
        assert_eq!(job.observed_peak_bytes, Some(BYTES), "{way}");
        assert_eq!(job.predicted_bytes, Some(BYTES), "{way}");
    }
    all
}

fn said<'a>(all: &'a [Built], way: &str) -> &'a str {
    let of = all.iter().find(|built| built.way == way);
    &of.expect("it was built").build.stderr
}

/// `migfit build` with clang as nvcc's host compiler.
const WITH_CLANG: [&str; 3] = ["--host-compiler", "clang", "--virtual"];

#[test]
fn compilers_by_every_name_and_wrapper() {
    let all = all_hold(["plain", "ccbin", "bindir", "wrapper"]);
    for Built { way, build, .. } in &all {
        // One note: who compiled. nvcc itself has nothing to say, whatever it was told.
        assert_eq!(build.stderr.matches("note:").count(), 1, "{way}: {build}");
        assert!(
            build
                .stderr
                .contains("IR came from a pass of clang beside it"),
            "{build}"
        );
        assert!(!build.stderr.contains("warning"), "{way}: {build}");
    }
}

#[test]
fn clang_in_place_of_the_host_compiler_and_told() {
    let ways = ["plain", "ccbin", "bindir", "nvcc-lto", "save-temps"];
    let all = hold(
        ways.into_iter()
            .map(|way| built_as(&WITH_CLANG, way))
            .collect(),
    );
    assert!(
        !said(&all, "plain").contains("note:"),
        "{}",
        said(&all, "plain")
    );
    assert!(said(&all, "ccbin").contains("nvcc was told -ccbin g++;"));
    assert!(said(&all, "bindir").contains("nvcc was told -ccbin /usr/bin/gcc;"));
    let said = said(&all, "nvcc-lto");
    assert_eq!(
        said.matches("note: -flto was left out").count(),
        1,
        "{said}"
    );
}

#[test]
fn an_mpi_wrapper_in_the_path_calls_the_compiler_that_we_stand_for() {
    let project = Project::fixture("shapes");
    let path = toolkit::path_variable(Stage::ready());
    let mut build = project.build(&["make", "WAY=plain", "CXX=mpicxx", "plain"]);
    let folders = [project.folder().folder().to_owned()];
    let folders = folders.into_iter().chain(std::env::split_paths(&path));
    build.env(
        "PATH",
        std::env::join_paths(folders).expect("no ':' in a sandbox's name"),
    );
    let build = process::output(&mut build).expect_success();
    assert!(build.stdout.contains("mpicxx -O2"), "{build}");
    assert!(!build.stderr.contains("without migfit"), "{build}");
    let answer = Migfit::fit(&project.program("program"))
        .args("1000 3")
        .json();
    assert_eq!(
        (answer.peak(), answer.need().verdict.as_str()),
        (BYTES, "exact")
    );
}

#[test]
fn link_time_optimisation_and_temporary_files() {
    let all = all_hold(["lto", "save-temps", "keep"]);
    // The objects are the user's own: IR lies beside those that only a linker's plugin reads.
    assert!(
        !said(&all, "lto").contains("-flto"),
        "{}",
        said(&all, "lto")
    );
    let kept = |way: &str, name: &str| {
        let of = all.iter().find(|built| built.way == way);
        of.expect("it was built")
            .project
            .folder()
            .path(name)
            .is_file()
    };
    assert!(kept("save-temps", "take.s") && kept("save-temps", "take.ii"));
    assert!(kept("keep", "main.ptx") && kept("keep", "main.cudafe1.cpp"));
}

#[test]
fn response_files_and_options_files() {
    all_hold(["response", "options-file", "one-command"]);
}

#[test]
fn archives_of_every_kind() {
    all_hold(["archive", "thin", "whole-archive", "nested"]);
}

#[test]
fn linkers_and_what_they_throw_away() {
    all_hold(["bfd", "gold", "gc", "stripped"]);
}

#[test]
fn relocatable_device_code_linked_by_nvcc_and_apart() {
    all_hold(["dc", "rdc", "dlink"]);
}

#[test]
fn a_compiler_by_its_full_path_is_not_seen_and_its_object_is_named() {
    let Built { project, build, .. } = built("full-path");
    assert!(
        build
            .stderr
            .contains("not analysed, compiled without migfit: take.o"),
        "{build}"
    );
    let program = project.program("program");
    let answer = Migfit::fit(&program).args("1000 3").json();
    // The one allocation is in that object.
    assert_eq!(answer.need().verdict, "unknown");
    assert!(
        answer
            .need()
            .unknowns
            .iter()
            .any(|one| one.what.contains("take"))
    );
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).args("1000 3").done();
    let job = ran.job("program");
    assert_eq!(
        (job.exit_code, job.observed_peak_bytes),
        (Some(0), Some(BYTES))
    );
    assert_eq!(job.mig_profile.as_deref(), Some("7g.40gb"));
}

#[test]
fn objects_of_an_unseen_compiler_s_lto_are_linked_by_the_user_s_own() {
    let project = Project::fixture("shapes");
    let lto = "CXXFLAGS=-O2 -flto -I$(CUDA)/include";
    let words = ["make", "WAY=full-path", lto, "full-path"];
    let build = process::output(&mut project.build_as(&WITH_CLANG, &words)).expect_success();
    assert!(
        build
            .stderr
            .contains("clang could not link; /usr/bin/g++ did"),
        "{build}"
    );
    assert!(
        build.stderr.contains("compiled without migfit: take.o"),
        "{build}"
    );
    let ran = Migfit::run(&project.program("program"), &Gpu::a100())
        .args("1000 3")
        .done();
    assert_eq!(ran.job("program").observed_peak_bytes, Some(BYTES));
}

/// A program of one source, built by nvcc with these words, which clang cannot stand in for; it works all the same.
fn left_to_the_user_s_compiler(source: &str, words: &[&str], flags: &str) {
    let project = Project::fixture("shapes");
    project.folder().put("one.cu", source);
    let built = |command: &[&str]| {
        let words = [command, words].concat();
        process::output(&mut project.build_as(&WITH_CLANG, &words)).expect_success()
    };
    // An object, and a program straight from the source: nvcc's own links are the user's too.
    built(&["nvcc", "-c", "one.cu", "-o", "one.o"]);
    let build = built(&["nvcc", "one.o", "-o", "program"]);
    for part in [
        &format!("nvcc commands with {flags} were left to your own host compiler"),
        "compiled without migfit: ",
        "one.o",
    ] {
        assert!(build.stderr.contains(part), "no '{part}' in {build}");
    }
    built(&["nvcc", "one.cu", "-o", "direct"]);
    for program in ["program", "direct"] {
        let gpu = Gpu::a100();
        let ran = Migfit::run(&project.program(program), &gpu).done();
        let job = ran.job(program);
        assert_eq!((job.exit_code, job.verdict.as_str()), (Some(0), "unknown"));
        assert_eq!(job.observed_peak_bytes, Some(BYTES), "{program}");
        gpu.expect_empty();
    }
}

#[test]
fn flags_that_only_gcc_knows_leave_the_command_to_it() {
    let source = "int main() { char *p = nullptr; if (cudaMalloc(&p, 8000)) return 1; return cudaFree(p); }\n";
    for flag in ["-fno-gnu-unique", "--coverage"] {
        left_to_the_user_s_compiler(source, &["-Xcompiler", flag], flag);
    }
}

#[test]
fn several_programs_in_one_tree() {
    let project = Project::fixture("shapes");
    let both = "make WAY=plain plain && mv program first && make WAY=archive archive";
    let build = project.built(&["sh", "-c", both]);
    // One was moved away before the build ended.
    assert!(build.stderr.contains("1 CUDA program\n"), "{build}");
    for name in ["first", "program"] {
        let answer = Migfit::fit(&project.program(name)).args("500 1").json();
        assert_eq!(answer.peak(), 4000, "{name}");
    }
}

#[test]
fn switched_off_inside_a_build_the_user_s_own_compilers_do_it_all() {
    let project = Project::fixture("shapes");
    let mut build = project.build(&["make", "WAY=ccbin", "ccbin"]);
    let off = process::output(build.env("MIGFIT", "off")).expect_success();
    assert!(!off.stderr.contains("migfit"), "{off}");
    assert_eq!(project.program("program").job_profile(), None);
    // By a variable of the Makefile's own, for nvcc alone.
    let project = Project::fixture("shapes");
    let build = project.built(&[
        "make",
        "WAY=plain",
        "NVCC=env MIGFIT=off nvcc",
        "CXX=env MIGFIT=off g++",
        "plain",
    ]);
    assert!(
        build.stderr.contains("no CUDA program was linked"),
        "{build}"
    );
    assert_eq!(project.program("program").job_profile(), None);
}
