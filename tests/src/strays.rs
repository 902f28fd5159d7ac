//! Processes that a run left behind, found by an environment variable that only this run's jobs have.

use std::path::Path;

/// Command lines of living processes whose environment mentions this folder.
#[must_use]
pub fn of(folder: &Path) -> Vec<String> {
    let needle = folder.display().to_string().into_bytes();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = std::process::id().to_string();
    processes
        .filter(|entry| entry.file_name() != mine.as_str())
        .map(|entry| entry.path())
        .filter(|process| mentions(&process.join("environ"), &needle))
        .map(|process| command_line(&process))
        .filter(|line| !line.is_empty())
        .collect()
}

/// A process that ended meanwhile, or is another user's, mentions nothing.
fn mentions(environment: &Path, needle: &[u8]) -> bool {
    let bytes = std::fs::read(environment).unwrap_or_default();
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn command_line(process: &Path) -> String {
    let bytes = std::fs::read(process.join("cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
