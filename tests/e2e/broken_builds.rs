//! What can be wrong with a build's tools and files: the build goes on as it would have, and one line says what is
//! missing and what helps.

use migfit_schema::container::{BITCODE, IR_SECTION};
use migfit_tests::{Gpu, Migfit, Project, Sandbox, Stage, process};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// An installation of migfit without a CUDA toolkit beside it, in a PATH without nvcc.
fn without_nvcc(folder: &Sandbox, words: &[&str]) -> Command {
    let bin = folder.path("bin");
    std::fs::create_dir_all(&bin).expect("the sandbox can be written");
    for name in ["migfit", "migfit-cc", "migfit-analyze"] {
        let copied = std::fs::copy(Stage::ready().program(name), bin.join(name));
        copied.expect("programs can be copied");
    }
    let mut command = Command::new(bin.join("migfit"));
    process::clean(&mut command).env("PATH", "/usr/bin:/bin");
    command.args(["build", "--"]).args(words);
    command.current_dir(folder.folder());
    command
}

#[test]
fn no_nvcc() {
    let folder = Sandbox::new();
    folder.put("Makefile", "program: ; nvcc -o program program.cu\n");
    let make = process::output(&mut without_nvcc(&folder, &["make"])).expect_code(2);
    assert!(
        make.stderr
            .contains("migfit: no nvcc is in PATH\n  hint: export PATH="),
        "{make}"
    );
    let direct = process::output(&mut without_nvcc(&folder, &["nvcc", "-o", "p", "p.cu"]));
    direct.expect_refusal(
        81,
        &[
            "cannot find the build command `nvcc`",
            "/usr/local/cuda/bin",
        ],
    );
}

/// Flips some bytes of an object's bitcode, from this part of it on.
fn damage(object: &Path, eighths: usize) {
    let mut bytes = std::fs::read(object).expect("an object");
    let mark = bytes.windows(8).position(|window| window == BITCODE);
    let start = mark.expect("the object carries bitcode") + 16;
    let length = u64::from_le_bytes(bytes[start - 8..start].try_into().expect("eight bytes"));
    let length = usize::try_from(length).expect("it fits");
    let from = start + length * eighths / 8;
    for byte in &mut bytes[from..from + length / 16] {
        *byte ^= 0x5a;
    }
    std::fs::write(object, bytes).expect("the object can be written");
}

#[test]
fn corrupt_bitcode_costs_the_job_profile_and_nothing_else() {
    for eighths in [0, 2, 5] {
        let project = Project::fixture("shapes");
        project.built(&["make", "WAY=plain", "main.o", "step.o", "take.o"]);
        damage(&project.folder().path("take.o"), eighths);
        let build = project.built(&["make", "WAY=plain", "plain"]);
        let warning =
            "migfit: warning: program: its need is unknown: the host IR in take.o cannot be read: ";
        assert_eq!(build.stderr.matches(warning).count(), 1, "{build}");
        assert!(
            build.stderr.contains("(the need of 1 is unknown)"),
            "{build}"
        );
        let gpu = Gpu::a100();
        let ran = Migfit::run(&project.program("program"), &gpu)
            .args("1000 3")
            .done();
        let job = ran.job("program");
        assert_eq!(
            (job.exit_code, job.observed_peak_bytes),
            (Some(0), Some(8000))
        );
        assert_eq!(job.verdict, "unknown");
        gpu.expect_empty();
    }
}

#[test]
fn an_analyzer_that_is_ended_by_a_signal_is_a_warning_that_says_so() {
    let project = Project::fixture("shapes");
    let crashing = project
        .folder()
        .put_script("crash", "#!/bin/sh\nkill -SEGV $$\n");
    let mut build = project.build(&["make", "WAY=plain", "plain"]);
    let build = process::output(build.env("MIGFIT_ANALYZE", crashing)).expect_success();
    assert!(
        build.stderr.contains("the analysis was ended by signal 11"),
        "{build}"
    );
    let answer = Migfit::fit(&project.program("program"))
        .args("1000 3")
        .json();
    assert_eq!(answer.need().verdict, "unknown");
}

#[test]
fn a_full_or_missing_temporary_folder_harms_no_build() {
    let project = Project::fixture("shapes");
    let absent = project.folder().text("absent");
    let mut build = project.build(&["make", "WAY=plain", "plain"]);
    let refused = process::output(build.env("TMPDIR", absent));
    refused.expect_refusal(86, &["temporary folder", "TMPDIR"]);
    // Nothing was started: no object is there.
    assert!(!project.folder().path("main.o").exists());
}

#[test]
fn without_clang_the_build_goes_on_as_it_was_with_one_warning() {
    let project = Project::fixture("shapes");
    let words = ["make", "WAY=plain", "plain"];
    let mut build = project.build_as(&[], &words);
    let build = process::output(build.env("MIGFIT_CLANG", "/no/clang")).expect_success();
    let warning = "migfit: warning: no clang was found: looked for /no/clang (MIGFIT_CLANG)";
    assert_eq!(build.stderr.matches(warning).count(), 1, "{build}");
    assert_eq!(build.stderr.matches("migfit:").count(), 1, "{build}");
    let program = project.program("program");
    assert_eq!(
        (program.job_profile(), program.section(IR_SECTION)),
        (None, None)
    );
    // Where clang itself is to compile, it must be there.
    let mut clang = project.build_as(&["--host-compiler", "clang"], &words);
    process::output(clang.env("MIGFIT_CLANG", "/no/clang")).expect_refusal(88, &["/no/clang"]);
}

#[test]
fn compilers_that_are_not_installed_are_not_made_up() {
    let folder = Sandbox::new();
    let tools = folder.path("tools");
    std::fs::create_dir(&tools).expect("the sandbox can be written");
    for name in ["sh", "clang-19"] {
        symlink(Path::new("/usr/bin").join(name), tools.join(name)).expect("links can be made");
    }
    let probe = "command -v gcc mpicxx g++ cc; echo found: $?";
    let mut build = without_nvcc(&folder, &["sh", "-c", probe]);
    let build = process::output(build.env("PATH", &tools)).expect_success();
    assert_eq!(build.stdout, "found: 127\n", "{build}");
}
