//! What the run record says of programs that reach the driver in each way and end in each way.

use crate::stage::{Stage, text};
use migfit_schema::record::RunRecord;
use std::os::unix::process::ExitStatusExt;

const MIB: u64 = 1 << 20;
const WAYS: [u32; 4] = [1, 2, 3, 4];

/// What programs/work.c does, whatever its way and end.
fn expect_work(record: &RunRecord) {
    let first_peak = 3 * MIB + 1000 + 5120;
    assert_eq!(record.peak_bytes, first_peak, "{record:?}");
    assert_eq!(record.peak_rounded_bytes, 4 * MIB + 2 * MIB);
    assert_eq!((record.allocations, record.frees), (6, 3));
    assert_eq!(record.failures, 1, "a bad argument is no lack of memory");
    let failure = &record.first_failures[0];
    assert_eq!((failure.requested, failure.code), (1 << 40, 2));
    assert_eq!(failure.current, first_peak);
    assert_eq!((record.launches, record.refused_launches), (6, 1));
    assert!(!record.disturbed);
    let rows: Vec<_> = record
        .kernels
        .iter()
        .map(|row| {
            (
                row.kernel.as_str(),
                row.grid.x,
                row.grid.y,
                row.block.x,
                row.block.y,
                row.shared,
                row.count,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("_Z4workPf", 2, 3, 64, 1, 16, 3),
            ("_Z4workPf", 1, 3, 64, 1, 16, 1),
            ("_Z4workPf", 7, 1, 32, 2, 0, 1),
            ("_Z9by_driverv", 1, 3, 1, 1, 16, 1),
        ]
    );
    let largest = record.series.iter().map(|(_, bytes)| *bytes).max();
    assert_eq!(largest, Some(first_peak));
    assert_eq!(record.series.len(), 9);
    assert!(record.series.is_sorted_by_key(|(time, _)| *time));
}

#[test]
fn every_way_to_the_driver_is_seen_and_nothing_is_called_twice() {
    for way in WAYS {
        let stage = Stage::with_driver(&[]);
        let output = stage.command(stage.program("work", way)).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "way {way}: {output:?}");
        assert_eq!(text(&output), "driver saw 5\n", "way {way}");
        let record = stage.record();
        expect_work(&record);
        assert_eq!(record.current_bytes, 1000 + 5120 + 5000);
        assert!(record.ended);
        assert_eq!(record.launches_not_executed, 0);
    }
}

#[test]
fn nothing_is_lost_by_abort_sigkill_or_a_hard_exit() {
    let stage = Stage::with_driver(&[]);
    let program = stage.program("work", 4);
    for (end, signal) in [("abort", Some(6)), ("kill", Some(9)), ("_exit", None)] {
        let output = stage.command(&program).arg(end).output().unwrap();
        assert_eq!(output.status.signal(), signal, "{end}: {output:?}");
        let record = stage.record();
        expect_work(&record);
        assert!(!record.ended, "{end} is no clean end");
        std::fs::remove_dir_all(stage.records_folder()).unwrap();
        std::fs::create_dir(stage.records_folder()).unwrap();
    }
}

#[test]
fn a_forked_child_has_a_record_of_its_own_from_its_first_cuda_call() {
    for way in WAYS {
        let stage = Stage::with_driver(&[]);
        let program = stage.program("work", way);
        let output = stage.command(program).arg("fork").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut peaks: Vec<_> = stage
            .records()
            .iter()
            .map(|record| record.peak_bytes)
            .collect();
        peaks.sort_unstable();
        assert_eq!(
            peaks,
            [1000, 2000],
            "and none for the child without CUDA calls"
        );
        assert!(stage.records().iter().all(|record| record.ended));
    }
}

#[test]
fn memory_ends_with_its_context() {
    let stage = Stage::with_driver(&[]);
    let output = stage
        .command(stage.program("work", 1))
        .arg("reset")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let record = stage.record();
    assert_eq!((record.current_bytes, record.frees), (0, 3));
}

#[test]
fn physical_memory_lives_as_long_as_its_mapping_and_only_on_the_device() {
    let stage = Stage::with_driver(&[]);
    stage
        .command(stage.program("work", 2))
        .arg("virtual")
        .output()
        .unwrap();
    let record = stage.record();
    assert_eq!(record.peak_bytes, 2 * MIB + 100);
    assert_eq!(record.current_bytes, 100);
    assert_eq!((record.allocations, record.frees), (2, 1));
}

#[test]
fn a_virtual_driver_says_that_it_executes_nothing() {
    let stage = Stage::with_driver(&["-DVIRTUAL"]);
    stage.command(stage.program("work", 4)).output().unwrap();
    let record = stage.record();
    assert_eq!((record.launches, record.launches_not_executed), (6, 6));
}

#[test]
fn switched_off_or_without_a_folder_the_program_runs_as_ever_and_leaves_no_record() {
    for way in WAYS {
        let stage = Stage::with_driver(&[]);
        let program = stage.program("work", way);
        for name in ["MIGFIT", "MIGFIT_RECORD_DIR"] {
            let mut command = stage.command(&program);
            match name {
                "MIGFIT" => command.env(name, "off"),
                _ => command.env_remove(name),
            };
            let output = command.output().unwrap();
            assert_eq!(
                (output.status.code(), text(&output)),
                (Some(3), "driver saw 5\n".into())
            );
            assert!(stage.records().is_empty());
        }
    }
}

#[test]
fn finding_functions_is_no_cuda_call_yet() {
    let stage = Stage::with_driver(&[]);
    let output = stage
        .command(stage.program("work", 4))
        .arg("idle")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(stage.records().is_empty());
}

#[test]
fn a_record_that_cannot_be_kept_is_said_once_and_changes_nothing_else() {
    let stage = Stage::with_driver(&[]);
    let program = stage.program("work", 2);
    let mut command = stage.command(program);
    let output = command
        .env("MIGFIT_RECORD_DIR", "/no/such/folder")
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), text(&output)),
        (Some(3), "driver saw 5\n".into())
    );
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("/no/such/folder") && errors.contains("MIGFIT_RECORD_DIR"));
}

#[test]
fn threads_that_begin_together_share_one_record_and_no_count_is_lost() {
    let stage = Stage::with_driver(&[]);
    let output = stage.command(stage.program("threads", 4)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let record = stage.record();
    assert_eq!((record.allocations, record.frees), (16_000, 16_000));
    assert_eq!((record.current_bytes, record.failures), (0, 0));
    assert!((MIB..=8 * MIB).contains(&record.peak_bytes));
    assert_eq!(record.launches, 16_000);
    let counts: Vec<_> = record.kernels.iter().map(|row| row.count).collect();
    assert_eq!(counts, [3200; 5], "one row for each of the five grids");
}

#[test]
fn a_program_that_becomes_another_by_exec_leaves_both_records() {
    let stage = Stage::with_driver(&[]);
    let output = stage.command(stage.program("again", 2)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut lives: Vec<_> = stage
        .records()
        .iter()
        .map(|record| (record.peak_bytes, record.ended))
        .collect();
    lives.sort_unstable();
    assert_eq!(lives, [(1000, false), (2000, true)]);
}
