//! Standing between a program and its libraries: every form is found, other interposers keep working, and programs that
//! have nothing to do with CUDA do not notice.

use crate::stage::{Stage, runtime, source, text};
use std::process::Command;

#[test]
fn every_form_is_found_by_dlsym_dlvsym_and_both_forms_of_cu_get_proc_address() {
    let stage = Stage::with_driver(&[]);
    let program = stage.program("lookups", 0);
    let output = stage
        .command(program)
        .arg(source("fake/forms.txt"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn switched_off_no_form_is_ours() {
    let stage = Stage::with_driver(&[]);
    let program = stage.program("lookups", 0);
    let mut command = stage.command(program);
    let output = command
        .env("MIGFIT", "off")
        .arg(source("fake/forms.txt"))
        .output()
        .unwrap();
    let lines = text(&output);
    let in_driver = lines
        .lines()
        .filter(|line| line.contains("libcuda.so.1"))
        .count();
    assert_eq!(in_driver, lines.lines().count(), "{lines}");
    assert_eq!(in_driver % 4, 0);
    assert!(in_driver > 100);
}

#[test]
fn another_preloaded_library_that_goes_on_by_rtld_next_keeps_working_before_and_after_ours() {
    for way in [1, 2, 4] {
        let stage = Stage::with_driver(&[]);
        let program = stage.program("work", way);
        let other = stage.library("other");
        for order in [[runtime(), other.clone()], [other.clone(), runtime()]] {
            let preload = std::env::join_paths(&order).unwrap();
            let output = stage
                .command(&program)
                .env("LD_PRELOAD", preload)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(3), "way {way}: {output:?}");
            // By linked name it sees all five, the driver's own call of its export included. Whoever looks names up
            // passes it by, but for that call: with us as without us.
            let without_us = stage
                .plain(&program)
                .env("LD_PRELOAD", &other)
                .output()
                .unwrap();
            assert_eq!(text(&output), text(&without_us), "way {way}");
            let lines = text(&output);
            let sees = if way == 1 { 5 } else { 1 };
            assert!(
                lines.contains(&format!("other saw {sees}\n")),
                "way {way}: {lines}"
            );
            assert!(lines.contains("driver saw 5\n"), "way {way}: {lines}");
        }
        assert!(
            stage
                .records()
                .iter()
                .all(|record| record.peak_bytes == (3 << 20) + 6120)
        );
        assert_eq!(stage.records().len(), 2);
    }
}

/// Runs a command with and without the runtime; nothing may differ, and no record may be left.
fn expect_no_difference(stage: &Stage, program: &str, arguments: &[&str]) {
    let run = |mut command: Command| command.args(arguments).output().unwrap();
    let plain = run(stage.plain(program));
    for (name, value) in [("MIGFIT", "on"), ("MIGFIT", "off"), ("LD_BIND_NOW", "1")] {
        let mut command = stage.command(program);
        command.env(name, value);
        assert_eq!(
            run(command),
            plain,
            "{program} {arguments:?} with {name}={value}"
        );
    }
    assert!(stage.records().is_empty(), "{program}");
}

#[test]
fn programs_without_cuda_do_not_notice_on_a_machine_without_a_driver() {
    let stage = Stage::bare();
    std::fs::write(
        stage.records_folder().with_file_name("Makefile"),
        "all:\n\t@echo made; echo warned >&2; ls /proc/self/fd | wc -l\nbad:\n\t@exit 7\n",
    )
    .unwrap();
    expect_no_difference(
        &stage,
        "bash",
        &[
            "-c",
            "echo out; echo err >&2; (exit 5); echo $?; ls /proc/self/fd",
        ],
    );
    expect_no_difference(&stage, "bash", &["-c", "kill -9 $$"]);
    expect_no_difference(&stage, "bash", &["-c", "exec sh -c 'exit 9'"]);
    expect_no_difference(&stage, "make", &["all"]);
    expect_no_difference(&stage, "make", &["bad"]);
    if Command::new("python3").arg("--version").output().is_ok() {
        let script = "import ctypes, subprocess, threading, sys, ssl, json\n\
            print(subprocess.run(['sh', '-c', 'echo child']).returncode)\n\
            try: ctypes.CDLL('libcuda.so.1')\n\
            except OSError as error: print(error)\n\
            try: ctypes.CDLL(None).cuInit\n\
            except AttributeError: print('no cuInit')\n\
            print(ctypes.CDLL(None).getpid() > 0)\n\
            sys.exit(4)";
        expect_no_difference(&stage, "python3", &["-c", script]);
    } else {
        println!("python3 is not on PATH: not tried");
    }
}

#[test]
fn a_program_that_looks_for_a_driver_finds_none_where_none_is() {
    let stage = Stage::bare();
    let program = stage.program("probe", 0);
    expect_no_difference(&stage, program.to_str().unwrap(), &[]);
}

#[test]
fn the_library_needs_no_libcuda_and_exports_only_what_it_stands_in_for() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(runtime())
        .output()
        .unwrap();
    let forms = std::fs::read_to_string(source("fake/forms.txt")).unwrap();
    let mut expected: Vec<&str> = forms
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .chain(["dlsym", "dlvsym"])
        .collect();
    let symbols = text(&output);
    let mut exported: Vec<&str> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    expected.sort_unstable();
    exported.sort_unstable();
    assert_eq!(exported, expected);
    let needed = Command::new("readelf")
        .arg("-d")
        .arg(runtime())
        .output()
        .unwrap();
    let needed: Vec<_> = text(&needed)
        .lines()
        .filter(|line| line.contains("NEEDED"))
        .map(str::to_owned)
        .collect();
    assert!(
        !needed.is_empty() && needed.iter().all(|line| !line.contains("cuda")),
        "{needed:?}"
    );
}
