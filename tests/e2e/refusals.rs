//! Bad input: each item of the list has its exit code, its sentence and its hint, starts nothing and leaves the
//! layout as it was.

use migfit_tests::{Gpu, JobFile, Migfit, Program, Project, Run, Sandbox, Source};

/// A job file with this text, run on a GPU of its own, which must be left empty; what migfit said.
fn refused(text: &str, code: i32, parts: &[&str]) {
    let (gpu, folder) = (Gpu::a100(), Sandbox::new());
    let file = folder.put("jobs.toml", text).display().to_string();
    let ran = Run::of(&gpu).flags(&["-f", &file]).done();
    ran.outcome.expect_refusal(code, parts);
    gpu.expect_empty();
}

#[test]
fn no_such_program() {
    let (gpu, folder) = (Gpu::a100(), Sandbox::new());
    let nothing = ["fit", "./nothing"];
    Migfit::with(folder.folder(), nothing).expect_refusal(81, &["./nothing"]);
    let ran = Run::of(&gpu).flags(&["./nothing"]).done();
    ran.outcome.expect_refusal(81, &["./nothing"]);
    gpu.expect_empty();
}

#[test]
fn a_batch_with_a_job_that_has_no_program_is_refused_before_anything_starts() {
    let gpu = Gpu::a100();
    let sandbox = Sandbox::new();
    let trace = sandbox.path("trace");
    let jobs = JobFile::new().shell("before", &format!("touch {}", trace.display()));
    let absent = Program::in_sandbox(Sandbox::new().into(), "absent");
    let jobs = jobs.job("absent", &absent, "");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    ran.outcome
        .expect_refusal(81, &["job 'absent'", "nothing was started", "jobs.toml:"]);
    assert!(!trace.exists(), "the first job ran");
    gpu.expect_empty();
}

#[test]
fn no_such_job_file() {
    let gpu = Gpu::a100();
    let ran = Run::of(&gpu).flags(&["-f", "absent.toml"]).done();
    ran.outcome.expect_refusal(81, &["absent.toml"]);
}

#[test]
fn a_program_without_a_job_profile() {
    let program = Source::fixture("holds").built_without_migfit();
    let fit = Migfit::fit(&program).args("64 exit").outcome();
    fit.expect_refusal(83, &["carries no job profile", "migfit build"]);
    // It runs all the same: on the whole GPU, and the report says so.
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).args("64 exit").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("program");
    assert_eq!(
        (job.verdict.as_str(), job.predicted_bytes),
        ("unknown", None)
    );
    assert_eq!(
        (job.mig_profile.as_deref(), job.observed_peak_bytes),
        (Some("7g.40gb"), Some(64 << 20))
    );
    for part in ["whole GPU", "no job profile", "migfit build"] {
        assert!(job.reason.contains(part), "no '{part}' in: {}", job.reason);
    }
}

#[test]
fn a_broken_job_file_is_told_with_line_and_column() {
    refused(
        "[[jobs]]\nname = \"a\ncommand = \"true\"\n",
        91,
        &["jobs.toml:2:", "no valid TOML"],
    );
    refused(
        "[[jobs]]\ncommand = [\"true\"]\nmemroy = \"1 GiB\"\n",
        91,
        &["jobs.toml:3:1", "memroy", "did you mean 'memory'?"],
    );
    refused(
        "[[jobs]]\nname = \"a\"\n",
        91,
        &["jobs.toml:1:1", "command"],
    );
    refused(
        "[[jobs]]\ncommand = [\"true\"]\nmemory = \"6 GB or so\"\n",
        91,
        &["jobs.toml:3:10", "6 GB or so"],
    );
    refused(
        "[[jobs]]\ncommand = [\"true\"]\ncount = 0\n",
        91,
        &["jobs.toml:3:9", "count"],
    );
    refused("", 91, &["jobs.toml:1:1", "no jobs"]);
}

#[test]
fn an_unknown_gpu_model() {
    let folder = Sandbox::new();
    let run = ["run", "--gpu", "virtual:a100-40bg", "true"];
    Migfit::with(folder.folder(), run)
        .expect_refusal(85, &["a100-40bg", "did you mean 'a100-40gb'?"]);
    let layout = ["layout", "show", "--gpu", "a100-04gb"];
    Migfit::with(folder.folder(), layout)
        .expect_refusal(85, &["a100-04gb", "did you mean 'a100-40gb'?"]);
    let program = Program::rodinia("lud").built_for_the_virtual_gpu();
    let fit = Migfit::fit(&program)
        .on("h100-80gb-smx")
        .args("-s 64")
        .outcome();
    fit.expect_refusal(85, &["did you mean 'h100-80gb-sxm'?"]);
}

#[test]
fn an_unknown_policy() {
    let gpu = Gpu::a100();
    let ran = Run::of(&gpu).policy("fifi").flags(&["true"]).done();
    ran.outcome
        .expect_refusal(85, &["fifi", "did you mean 'fifo'?"]);
}

#[test]
fn a_job_larger_than_every_slice_stops_the_batch_before_it_starts() {
    let (gpu, traces) = (Gpu::a100(), Sandbox::new());
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let jobs = JobFile::new().shell("small", &format!("touch {}", traces.text("started")));
    let jobs = jobs.job("large", &program, "40960 exit");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    let numbers = ["large", "40.00 GiB", "41416 MiB", "7g.40gb", "40192 MiB"];
    ran.outcome.expect_refusal(90, &numbers);
    assert!(!traces.path("started").exists(), "a job was started");
    gpu.expect_empty();
}

#[test]
fn a_library_with_the_static_cuda_runtime_on_the_virtual_gpu() {
    let (gpu, project) = (Gpu::a100(), Project::fixture("library"));
    project.tool("make", &[]);
    let ran = Migfit::run(&project.program("program"), &gpu);
    let ran = ran.args("1000 3").done();
    gpu.expect_empty();
    ran.outcome
        .expect_refusal(98, &["libscale.so", "static CUDA runtime"]);
}

#[test]
fn a_static_cuda_runtime_on_the_virtual_gpu() {
    let (gpu, program) = (Gpu::a100(), Source::fixture("holds").built_for_a_real_gpu());
    let ran = Migfit::run(&program, &gpu).args("64 exit").done();
    gpu.expect_empty();
    // Refused by migfit itself, before anything starts.
    ran.outcome
        .expect_refusal(98, &["static CUDA runtime", "migfit build --virtual"]);
    // In a job file it is that job's failure alone, told with the same command.
    let jobs = JobFile::new()
        .job("stuck", &program, "64 exit")
        .shell("other", "exit 0");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let (stuck, other) = (ran.job("stuck"), ran.job("other"));
    assert_eq!((stuck.exit_code, other.exit_code), (None, Some(0)));
    for part in ["static CUDA runtime", "migfit build --virtual"] {
        assert!(
            stuck.reason.contains(part),
            "no '{part}' in: {}",
            stuck.reason
        );
    }
    gpu.expect_empty();
}

#[test]
fn a_folder_that_holds_other_things_is_left_alone() {
    let (gpu, folder) = (Gpu::a100(), Sandbox::new());
    folder.put("thesis.tex", "years of work");
    let out = folder.folder().display().to_string();
    let selector = gpu.selector();
    let words = ["run", "--gpu", &selector, "--out", &out, "true"];
    Migfit::with(folder.folder(), words).expect_refusal(86, &["not empty", "--out"]);
    let text = std::fs::read_to_string(folder.path("thesis.tex"));
    assert_eq!(text.ok().as_deref(), Some("years of work"));
}
