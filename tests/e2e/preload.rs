//! The runtime preloaded into programs that have nothing to do with a GPU, on a machine without a driver: not a byte
//! of their output changes, and no run record appears.

use migfit_tests::{Sandbox, Stage, not_tried, process};
use std::process::Command;

/// Targets in an order of their own, so that `-j2` says the same each time.
const MAKEFILE: &str = "all: b\n\t@cat a b\na:\n\techo $@ > $@\nb: a\n\techo $@ > $@\n\tls -1 | wc -l\nbad:\n\tfalse\n";

/// Runs it plain and preloaded; both must say the same.
fn unchanged(program: &str, args: &[&str]) {
    let version = Command::new(program).arg("--version").output();
    if version.is_err() {
        return not_tried(&format!("preloading into {program}"), "it is not installed");
    }
    let folder = Sandbox::new();
    folder.put("Makefile", MAKEFILE);
    let run = |preloaded: bool| {
        let mut command = Command::new(program);
        process::clean(&mut command)
            .args(args)
            .current_dir(folder.folder());
        let records = folder.path("records");
        std::fs::create_dir_all(&records).expect("writable");
        command.env("MIGFIT_RECORD_DIR", &records);
        if preloaded {
            command.env("LD_PRELOAD", Stage::ready().runtime());
        }
        let outcome = process::output(&mut command);
        let left = std::fs::read_dir(&records).expect("readable").count();
        assert_eq!(left, 0, "a run record of {program}");
        for made in ["a", "b"] {
            // Each run begins with the same files.
            let _ = std::fs::remove_file(folder.path(made));
        }
        (outcome.code, outcome.stdout, outcome.stderr)
    };
    assert_eq!(run(false), run(true), "{program} {args:?}");
}

#[test]
fn bash() {
    unchanged(
        "bash",
        &[
            "-c",
            "for i in 1 2 3; do echo $((i * i)); done; ls /usr | sort; (exit 3) | cat; exec printf '%s\\n' end",
        ],
    );
    unchanged("bash", &["-c", "echo oops >&2; kill -9 $$"]);
    unchanged("bash", &["-c", "no-such-command"]);
}

#[test]
fn make() {
    unchanged("make", &["-j2", "--output-sync=target"]);
    unchanged("make", &["bad"]);
}

#[test]
fn python() {
    let threads = "import threading, subprocess, ctypes, sys\n\
        t = [threading.Thread(target=lambda: None) for _ in range(8)]\n\
        [x.start() for x in t]; [x.join() for x in t]\n\
        print(subprocess.run(['echo', 'child'], capture_output=True).stdout)\n\
        print(ctypes.CDLL(None).abs(-5), ctypes.CDLL('libm.so.6').abs(-6))\n\
        sys.exit(4)";
    unchanged("python3", &["-c", threads]);
    let driver = "import ctypes\n\
        try:\n ctypes.CDLL('libcuda.so.1'); print('a driver')\n\
        except OSError as error: print(error)";
    unchanged("python3", &["-c", driver]);
}
