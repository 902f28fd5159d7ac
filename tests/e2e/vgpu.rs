//! The virtual GPU as a container and a killed process meet it: its memory is not in /dev/shm, and what a dead
//! process held comes back.

use migfit_tests::{
    Gpu, JobFile, Migfit, Program, Run, Sandbox, Source, not_tried, process, source,
};
use std::io::BufRead;
use std::process::{Command, Stdio};

#[test]
fn a_container_s_small_shared_memory_is_enough() {
    let mount = "mount -t tmpfs -o size=64m tmpfs /dev/shm";
    let mut try_out = Command::new("unshare");
    try_out.args(["-rm", "sh", "-c", mount]);
    if !try_out.output().is_ok_and(|output| output.status.success()) {
        return not_tried(
            "a /dev/shm of 64 MiB",
            "`unshare -rm` with a mount is not permitted here",
        );
    }
    let nw = Program::rodinia("nw").built_for_the_virtual_gpu();
    let (gpu, folder) = (Gpu::a100(), Sandbox::new());
    // 128 MiB of device memory that copies really touch.
    let jobs = JobFile::new()
        .job("nw", &nw, "4096 10")
        .copies(2)
        .write(folder.folder());
    let migfit = migfit_tests::Stage::ready().program("migfit");
    let line = format!(
        "{mount} && {} run --gpu {} --out {} -f {} >/dev/null && ls -A /dev/shm",
        migfit.display(),
        gpu.selector(),
        folder.text("out"),
        jobs.display()
    );
    let mut contained = source::tool("unshare".into());
    contained
        .args(["-rm", "sh", "-c", &line])
        .env("MIGFIT_VGPU_STATE", gpu.state());
    let outcome = process::output(&mut contained).expect_success();
    assert_eq!(outcome.stdout, "", "files in /dev/shm");
    let report = migfit_tests::run::report_at(&folder.path("out/report.json")).expect("a report");
    assert_eq!(report.batch.completed, 2);
    assert!(
        report
            .jobs
            .iter()
            .all(|job| job.observed_peak_bytes == Some(8 * 4097 * 4097))
    );
    gpu.expect_empty();
}

#[test]
fn a_killed_process_gives_its_memory_back() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let slice = gpu.cut("7g.40gb");
    let most = "36000";
    let holds = |how: &str| {
        let mut command = Command::new(program.path());
        process::clean(&mut command).args([most, how]);
        gpu.put(&mut command, &slice);
        command
    };
    let mut holder = holds("wait");
    holder.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().expect("it starts");
    let mut line = String::new();
    let stdout = holder.stdout.take().expect("piped");
    std::io::BufReader::new(stdout)
        .read_line(&mut line)
        .expect("it says something");
    assert_eq!(line, "holding\n");
    // While it lives nobody else gets that much.
    process::output(&mut holds("exit")).expect_code(2);
    process::signal(holder.id(), libc::SIGKILL);
    holder.wait().expect("it can be waited for");
    process::output(&mut holds("exit")).expect_success();
    assert_eq!(gpu.snapshot().processes, []);
}

#[test]
fn the_next_job_gets_the_whole_slice_of_a_killed_one() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let jobs =
        JobFile::new()
            .job("killed", &program, "36000 kill")
            .job("next", &program, "36000 exit");
    let ran = Migfit::run_file(&jobs, &gpu).policy("sequential").done();
    assert_eq!(
        (ran.job("killed").exit_code, ran.job("next").exit_code),
        (Some(137), Some(0))
    );
    gpu.expect_empty();
}

#[test]
fn instances_of_others_are_left_alone() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let _theirs = gpu.cut("3g.20gb");
    let before = gpu.snapshot();
    let ran = Migfit::run(&program, &gpu).args("64 exit").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    assert_eq!(gpu.snapshot(), before);
    // A job that needs the whole GPU has no place beside it.
    let ran = Run::of(&gpu).flags(&["sh", "-c", "exit 0"]).done();
    ran.outcome.expect_refusal(95, &["3g.20gb", "7g.40gb"]);
    assert_eq!(gpu.snapshot(), before);
}

#[test]
fn a_call_that_is_not_supported_is_named_in_the_log() {
    let text = "#include <cstdio>\nint main() {\n\
        void *p; size_t n; cudaMalloc(&p, 1);\n\
        cudaIpcMemHandle_t handle;\n\
        cudaError_t answer = cudaIpcGetMemHandle(&handle, p);\n\
        printf(\"%d\\n\", (int)answer); return 0; }\n";
    let program = Program::from_cuda(&text.replace(" size_t n;", "")).built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).done();
    // cudaErrorNotSupported
    assert_eq!(
        (ran.outcome.code, ran.outcome.stdout.as_str()),
        (0, "801\n"),
        "{}",
        ran.outcome
    );
    let log = format!("{}.log", gpu.state().display());
    let log = std::fs::read_to_string(&log).unwrap_or_else(|error| panic!("{log}: {error}"));
    assert!(log.contains("IpcGetMemHandle"), "{log}");
}
