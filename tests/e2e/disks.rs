//! A disk that is full: jobs go on, and what could not be written is told. A small file system of the test's own.

use migfit_tests::{Gpu, JobFile, Migfit, Sandbox, not_tried, process};
use std::process::Command;

/// Runs a line of the shell in a folder with a file system of its own of 2 MiB, in a mount namespace of its own; none
/// where the system does not allow that.
fn on_a_small_disk(sandbox: &Sandbox, line: &str) -> Option<process::Outcome> {
    let mounted = format!("mount -t tmpfs -o size=2m none {}", sandbox.text("disk"));
    std::fs::create_dir_all(sandbox.path("disk")).expect("a folder can be made");
    let in_a_namespace = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", line]);
        process::output(&mut command)
    };
    if in_a_namespace(&mounted).code != 0 {
        not_tried("a full disk", "no file system may be mounted here");
        return None;
    }
    Some(in_a_namespace(&format!("{mounted} && {line}")))
}

/// `migfit run` with its results on the small disk.
fn run_line(gpu: &Gpu, sandbox: &Sandbox) -> String {
    format!(
        "MIGFIT_VGPU_STATE={} {} run --gpu {} --out {}/out",
        gpu.state().display(),
        migfit_tests::Stage::ready().program("migfit").display(),
        gpu.selector(),
        sandbox.text("disk"),
    )
}

#[test]
fn a_disk_that_fills_up_stops_no_job_and_is_told() {
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    let disk = sandbox.text("disk");
    // The first job takes all room; the second runs without, and makes room again.
    let fill = format!("cat /dev/zero > {disk}/filler 2> /dev/null; exit 0");
    let go_on = format!("rm {disk}/filler; touch {}", sandbox.text("went-on"));
    let jobs = JobFile::new()
        .shell("fills", &fill)
        .shell("goes-on", &go_on)
        .after(["fills"]);
    let file = jobs.write(sandbox.folder());
    let run = format!("{} -f {}", run_line(&gpu, &sandbox), file.display());
    let kept = sandbox.text("report.json");
    let line = format!("{run}; code=$?; cp {disk}/out/report.json {kept}; exit $code");
    let Some(outcome) = on_a_small_disk(&sandbox, &line) else {
        return;
    };
    let report = migfit_tests::run::report_at(&sandbox.path("report.json")).expect("written");
    let fills = migfit_tests::run::job(&report, "fills");
    assert_eq!(fills.exit_code, Some(0), "{outcome}");
    let note = report
        .notes
        .iter()
        .find(|note| note.starts_with("while jobs ran: "));
    let note = note.expect("it says what could not be written");
    assert!(note.contains("No space left on device"), "{note}");
    assert!(!note.contains("MIGFIT_VGPU_STATE"), "{note}");
    gpu.expect_empty();
}

#[test]
fn a_report_that_cannot_be_written_at_all_is_an_error_of_its_own() {
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    let disk = sandbox.text("disk");
    let ran = sandbox.text("ran");
    let fill = format!("touch {ran}; cat /dev/zero > {disk}/filler 2> /dev/null; exit 0");
    let file = JobFile::new().shell("fills", &fill).write(sandbox.folder());
    let line = format!("{} -f {}", run_line(&gpu, &sandbox), file.display());
    let Some(outcome) = on_a_small_disk(&sandbox, &line) else {
        return;
    };
    assert_eq!(outcome.code, 86, "{outcome}");
    assert!(sandbox.path("ran").exists());
    assert!(outcome.stdout.contains("1 job: 1 completed"), "{outcome}");
    for part in [
        "error: cannot write '",
        "No space left on device",
        "hint: ",
        "--out DIR",
    ] {
        assert!(outcome.stderr.contains(part), "no '{part}' in {outcome}");
    }
    gpu.expect_empty();
}

#[test]
fn a_full_disk_under_the_run_s_own_virtual_gpu_is_called_that() {
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    let disk = sandbox.text("disk");
    let migfit = run_line(&gpu, &sandbox);
    let own = migfit
        .split_once(' ')
        .expect("a variable, then the command")
        .1;
    let line = format!("mkdir {disk}/out; cat /dev/zero > {disk}/filler 2> /dev/null; {own} true");
    let Some(outcome) = on_a_small_disk(&sandbox, &line) else {
        return;
    };
    // The virtual GPU's library says it first.
    assert_eq!(outcome.code, 86, "{outcome}");
    let told =
        format!("error: cannot write '{disk}/out/virtual-gpu.state': No space left on device");
    for part in [told.as_str(), "hint: ", "--out DIR"] {
        assert!(outcome.stderr.contains(part), "no '{part}' in {outcome}");
    }
    assert!(!outcome.stderr.contains("MIGFIT_VGPU_STATE"), "{outcome}");
}

#[test]
fn folders_that_cannot_be_written_are_refused_before_anything_starts() {
    let (gpu, touched) = (Gpu::a100(), Sandbox::new());
    let jobs = JobFile::new().shell("t", &format!("touch {}", touched.text("it")));
    for folder in ["/proc/self/out", "/dev/null/out"] {
        let file = jobs.write(touched.folder());
        let words = ["run", "--gpu", "virtual:a100-40gb", "--out", folder, "-f"];
        let words: Vec<&str> = words
            .into_iter()
            .chain([file.to_str().expect("text")])
            .collect();
        let words: [&str; 7] = words.try_into().expect("seven");
        let outcome = Migfit::with(touched.folder(), words);
        outcome.expect_refusal(86, &["cannot write '/", "--out DIR"]);
    }
    assert!(!touched.path("it").exists());
    gpu.expect_empty();
}
