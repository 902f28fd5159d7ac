//! Real programs on a GPU that is not divided, on a board that nobody knows, and on a slice that somebody keeps.

use migfit_tests::{Gpu, Holder, JobFile, Program, Run, Sandbox, Source, process};
use std::process::Command;

/// A program that takes memory and ends, or waits.
fn holds() -> Program {
    Source::fixture("holds").built_for_the_virtual_gpu()
}

/// Two jobs of this program that take this many MiB.
fn two(program: &Program, mib: u32) -> JobFile {
    let args = format!("{mib} exit");
    JobFile::new()
        .job("one", program, &args)
        .job("two", program, &args)
}

#[test]
fn an_undivided_gpu_runs_one_job_after_the_other_with_all_its_memory() {
    let program = holds();
    for name in ["", "NVIDIA Foreign 9000"] {
        let gpu = Gpu::a100();
        let run = Run::of(&gpu).env("MIGFIT_VGPU_MIG", "off");
        let run = if name.is_empty() {
            run
        } else {
            run.env("MIGFIT_VGPU_NAME", name)
        };
        // No slice of an A100 holds it: its largest has 40192 MiB.
        let ran = run.file(&two(&program, 40_200)).done();
        assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
        let report = ran.report();
        let note = "MIG is off: the GPU is one slice".to_owned();
        assert!(report.notes.contains(&note), "{:?}", report.notes);
        assert_eq!(report.batch.baseline.as_deref(), Some("unpartitioned"));
        for job in &report.jobs {
            assert_eq!(job.mig_profile.as_deref(), Some("whole-gpu"));
            assert_eq!(job.predicted_bytes, Some(40_200 << 20), "{}", job.reason);
            assert_eq!(job.observed_peak_bytes, job.predicted_bytes);
        }
        gpu.expect_empty();
        assert!(!gpu.snapshot().mig_mode, "the mode is left as it is");
    }
}

#[test]
fn what_an_undivided_gpu_does_not_hold_is_refused_before_it_starts() {
    let program = holds();
    let gpu = Gpu::a100();
    let ran = Run::of(&gpu)
        .env("MIGFIT_VGPU_MIG", "none")
        .file(&two(&program, 40_960))
        .done();
    assert_eq!(ran.outcome.code, 90, "{}", ran.outcome);
    let said = "the largest slice whole-gpu has 40960 MiB";
    assert!(ran.outcome.stderr.contains(said), "{}", ran.outcome);
}

#[test]
fn a_board_that_nobody_knows_is_divided_as_its_driver_tells() {
    let program = holds();
    let gpu = Gpu::a100();
    let ran = Run::of(&gpu)
        .env("MIGFIT_VGPU_NAME", "NVIDIA Foreign 9000")
        .env(
            "MIGFIT_VGPU_FAULTS",
            "nvmlDeviceGetGpuInstanceProfileInfoV=function-not-found",
        )
        .file(&two(&program, 6_000))
        .done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let report = ran.report();
    assert_eq!(report.gpu.name, "NVIDIA Foreign 9000");
    for job in &report.jobs {
        assert_eq!(job.mig_profile.as_deref(), Some("1g.10gb"));
        assert_eq!(job.observed_peak_bytes, job.predicted_bytes);
    }
    gpu.expect_empty();
}

#[test]
fn who_keeps_a_slice_is_named_and_the_slice_stays() {
    let (gpu, pipes) = (Gpu::a100(), Sandbox::new());
    let (uuid, go) = (pipes.pipe("uuid"), pipes.pipe("go"));
    // The job tells its slice and ends when somebody else's process holds memory there.
    let line = format!(
        "echo $CUDA_VISIBLE_DEVICES > {}; head -n 1 {} > {}",
        pipes.text("uuid"),
        pipes.text("go"),
        pipes.text("heard"),
    );
    let jobs = JobFile::new().shell("leaves", &line).with_memory("1 GiB");
    let going = Run::of(&gpu).file(&jobs).started();
    let mut reader = Command::new("timeout");
    let slice = process::output(reader.args(["60", "head", "-n", "1"]).arg(uuid)).expect_success();
    let program = holds();
    let holder = Holder::start(&program, &gpu, slice.stdout.trim(), 64);
    std::fs::write(go, "go\n").expect("the job reads");
    let ran = going.ended();
    let left = gpu.snapshot();
    assert_eq!((left.processes.len(), left.gpu_instances.len()), (1, 1));
    let (pid, gi) = (holder.pid(), left.gpu_instances[0].id);
    holder.end();

    assert_eq!(ran.outcome.code, 95, "{}", ran.outcome);
    assert_eq!(ran.job("leaves").exit_code, Some(0));
    let command = format!("{} 64 wait", program.path().display());
    let shown: String = command.chars().take(40).collect();
    for part in [
        format!(
            "GPU instance {gi} (1g.5gb@6) stays in use and could not be destroyed: pid {pid} ({shown}"
        ),
        "hint: when they have gone, destroy it by hand: nvidia-smi mig -i GPU-".to_owned(),
        format!("-dci -gi {gi}; nvidia-smi mig -i GPU-"),
    ] {
        assert!(
            ran.outcome.stderr.contains(&part),
            "no '{part}' in {}",
            ran.outcome
        );
    }
}
