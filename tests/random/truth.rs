//! What a program did under the logging library: peak bytes and launches by shape; none where it crashed or hung.

use migfit_tests::{Sandbox, process};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What one run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Largest sum of bytes alive.
    pub peak: u64,
    /// Kernel, grid, block and dynamic shared memory in one text -> how often.
    pub launches: BTreeMap<String, u64>,
}

/// Runs it with device memory whose content, and what kernels leave in it, is made from `contents`.
pub fn of(folder: &Sandbox, program: &Path, args: &[String], contents: u32) -> Option<Truth> {
    let log = folder.path("log");
    let _ = std::fs::remove_file(&log);
    // CPU seconds and address space, so that a mutated program that never ends or takes all memory is left out.
    let mut command = Command::new("sh");
    process::clean(&mut command)
        .args(["-c", "ulimit -t 5; ulimit -c 0; exec \"$0\" \"$@\""])
        .arg(program)
        .args(args)
        .env("CUDA_LOG", &log)
        .env("CUDA_LOG_CONTENTS", contents.to_string())
        .env("LD_LIBRARY_PATH", migfit_tests::logger::folder())
        .current_dir(folder.folder());
    let outcome = process::output(&mut command);
    let text = std::fs::read_to_string(log).ok()?;
    if outcome.code >= 128 {
        return None;
    }
    let mut truth = Truth {
        peak: 0,
        launches: BTreeMap::new(),
    };
    for line in text.lines() {
        if let Some(peak) = line.strip_prefix("peak ") {
            truth.peak = peak.parse().expect("a number");
        }
        if let Some((shape, count)) = line
            .strip_prefix("launch ")
            .and_then(|rest| rest.rsplit_once(' '))
        {
            truth
                .launches
                .insert(shape.to_owned(), count.parse().expect("a number"));
        }
    }
    Some(truth)
}
