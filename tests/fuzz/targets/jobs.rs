//! Bytes of standard input -> commands, one a line, or a job file -> jobs, or a complaint with its line and column.
//! `migfit` is a program, not a library, so its modules are part of this target by their paths.
#![no_main]
#![expect(dead_code, reason = "the target asks for less than the program")]

#[path = "../../../launcher/src/jobs/mod.rs"]
mod jobs;

#[path = "../../../launcher/src/cli"]
mod cli {
    pub mod nearest;
}

use jobs::source::of_standard_input;
use jobs::{Commands, JobFileError};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fuzz_target!(|bytes: &[u8]| {
    let read = match of_standard_input(bytes, Commands::Optional) {
        Ok(read) => read,
        Err(JobFileError::Wrong { line, column, .. }) => {
            assert!(line > 0 && column > 0);
            return;
        }
        Err(_) => return,
    };
    let names: HashSet<&str> = read.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names.len(), read.len(), "names are unique");
    for job in &read {
        assert!(!job.command.is_empty() || !job.times.is_empty());
        assert!(!job.name.contains('/') && !job.name.starts_with('.'));
        assert!(job.after.iter().all(|other| *other < read.len()));
    }
    assert!(read.is_empty() || read.iter().any(|job| job.after.is_empty()), "no circle");
});
