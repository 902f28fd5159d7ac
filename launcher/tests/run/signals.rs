//! A run that is stopped: jobs end, slices go, the report says so.

use crate::ends::alive;
use crate::fixture::outcome;
use crate::fixture::{OWN_STATE, Place};
use rustix::process::{Pid, Signal, kill_process};
use std::io::Read;
use std::process::{Child, Command, Stdio};

#[test]
fn a_signal_stops_the_jobs_and_takes_the_slices_away() {
    for (name, signal) in [
        ("INT", Signal::INT),
        ("TERM", Signal::TERM),
        ("QUIT", Signal::QUIT),
    ] {
        stopped_by(name, signal);
    }
}

/// Sends a signal without the program `kill`, which a bare system lacks.
fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn stopped_by(name: &str, signal: Signal) {
    let place = Place::new();
    let fifo = Command::new("mkfifo").arg(place.path("started")).status();
    assert!(fifo.unwrap().success());
    place.put(
        "jobs.toml",
        "[[jobs]]\nname = 'long'\ncommand = ['sh', '-c', 'sleep 600 & echo $! > started; wait']\n\
         [[jobs]]\nname = 'next'\ncommand = ['true']\n",
    );
    let words = [
        "run",
        "-f",
        "jobs.toml",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
    ];
    let mut command = place.command(&words);
    let migfit = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Blocks until the job writes.
    let sleeper = place.read("started");
    send(&migfit, signal);
    let output = migfit.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(97), "{stderr}");
    let reason = |job: &str| place.job(job)["reason"].as_str().unwrap().to_owned();
    assert!(
        reason("long").starts_with(&format!("stopped: migfit got SIG{name}")),
        "{}",
        reason("long")
    );
    assert_eq!(
        reason("next").split(';').next().unwrap(),
        format!("not started: migfit got SIG{name}")
    );
    assert!(!alive(sleeper.trim()), "process {sleeper} still runs");
    assert_eq!(place.layout(OWN_STATE), Vec::<String>::new());
}

#[test]
fn a_single_program_is_stopped_with_all_that_it_started() {
    let place = Place::new();
    let fifo = Command::new("mkfifo").arg(place.path("started")).status();
    assert!(fifo.unwrap().success());
    let script = "sleep 600 & echo $! > started; wait";
    let words = [
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
        "sh",
        "-c",
        script,
    ];
    let mut migfit = place.command(&words).stderr(Stdio::null()).spawn().unwrap();
    let sleeper = place.read("started");
    send(&migfit, Signal::TERM);
    assert_eq!(migfit.wait().unwrap().code(), Some(97));
    assert!(!alive(sleeper.trim()), "process {sleeper} still runs");
    assert_eq!(place.layout(OWN_STATE), Vec::<String>::new());
}

#[test]
fn a_killed_migfit_takes_its_jobs_with_it() {
    let place = Place::new();
    for name in ["started", "held"] {
        let fifo = Command::new("mkfifo").arg(place.path(name)).status();
        assert!(fifo.unwrap().success());
    }
    let script = "echo x > started; exec sleep 600 > held";
    place.put(
        "jobs.toml",
        &format!("[[jobs]]\nname = 'long'\ncommand = ['sh', '-c', '{script}']\n"),
    );
    let words = ["run", "-f", "jobs.toml", "--gpu", "virtual:a100-40gb"];
    let mut command = place.command(&words);
    let state = place.path("shared.state");
    command.env("MIGFIT_VGPU_STATE", &state);
    let mut migfit = command.stderr(Stdio::null()).spawn().unwrap();
    place.read("started");
    let mut held = std::fs::File::open(place.path("held")).unwrap();
    send(&migfit, Signal::KILL);
    migfit.wait().unwrap();
    // Ends when the job does, which alone could write there.
    assert_eq!(held.read_to_end(&mut Vec::new()).unwrap(), 0);
    assert_eq!(place.layout("shared.state"), ["7g.40gb@0"]);
    let mut again = place.command(&["run", "--gpu", "virtual:a100-40gb", "true"]);
    let refused = outcome(again.env("MIGFIT_VGPU_STATE", &state));
    assert_eq!(refused.code, 95, "{}", refused.stderr);
    for part in [
        "others made 7g.40gb@0",
        "an earlier migfit was killed",
        "remove ",
    ] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
}
