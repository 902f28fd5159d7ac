//! Jobs that fail, each in its own way, and what the shell is told.

use crate::fixture::{OWN_STATE, Place};
use std::os::unix::fs::PermissionsExt;

#[test]
fn one_job_s_failure_is_its_own() {
    let place = Place::new();
    place.put("not-a-program", "#!/no/such/interpreter\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("not-a-program"), executable).unwrap();
    let outcome = place.run(
        "[[jobs]]\nname = 'code'\ncommand = ['sh', '-c', 'exit 3']\n\
         [[jobs]]\nname = 'signal'\ncommand = ['sh', '-c', 'kill -9 $$']\n\
         [[jobs]]\nname = 'forbidden'\ncommand = ['./not-a-program']\n\
         [[jobs]]\nname = 'good'\ncommand = ['true']\n",
    );
    assert_eq!(outcome.code, 89, "{}", outcome.stderr);
    let batch = &place.report()["batch"];
    assert_eq!(
        (&batch["completed"], &batch["failed"]),
        (&1.into(), &3.into())
    );
    let told = |name: &str| {
        let job = place.job(name);
        let first = job["reason"]
            .as_str()
            .unwrap()
            .split("; ")
            .next()
            .unwrap()
            .to_owned();
        (
            job["exit_code"].as_i64(),
            job["attempts"].as_u64().unwrap(),
            first,
        )
    };
    assert_eq!(told("code"), (Some(3), 1, "exit code 3".to_owned()));
    assert_eq!(
        told("signal"),
        (Some(137), 1, "killed by SIGKILL".to_owned())
    );
    let (code, attempts, reason) = told("forbidden");
    assert_eq!((code, attempts), (None, 0));
    assert!(reason.contains("No such file"), "{reason}");
    assert_eq!(place.layout(OWN_STATE), Vec::<String>::new());
}

#[test]
fn a_single_program_has_the_terminal_and_its_own_exit_code() {
    let place = Place::new();
    let words = [
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
        "sh",
        "-c",
        "echo hello; exit 5",
    ];
    let outcome = place.migfit(&words);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (5, "hello\n"));
    assert!(
        outcome.stderr.contains("migfit: sh on 7g.40gb@0"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("report.json"), "{}", outcome.stderr);
    assert_eq!(place.job("sh")["exit_code"], 5);
    let killed = place.migfit(&[
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "-q",
        "sh",
        "-c",
        "kill -6 $$",
    ]);
    assert_eq!((killed.code, killed.stderr.as_str()), (134, ""));
}

#[test]
fn what_a_job_leaves_running_is_ended_with_it() {
    let place = Place::new();
    let outcome = place
        .run("[[jobs]]\nname = 'leaver'\ncommand = ['sh', '-c', 'sleep 600 & echo $! > left']\n");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let left = place.read("left");
    assert!(!alive(left.trim()), "process {left} still runs");
}

/// Whether a process runs; one that ended and was not waited for by its parent does not.
pub fn alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .trim()
        .chars()
        .next();
    state.is_some_and(|state| state != 'Z')
}
