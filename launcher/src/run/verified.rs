//! What a program's own check said: the last `verify: ...` line of its standard output.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes at the end of the output in which the line is looked for.
const TAIL: u64 = 64 << 10;

/// True for `verify: ok`, false for `verify: FAILED ...`, nothing where neither stands there.
pub fn read(stdout: &Path) -> Option<bool> {
    let mut file = File::open(stdout).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    verdict(&String::from_utf8_lossy(&tail))
}

fn verdict(output: &str) -> Option<bool> {
    let said = output
        .lines()
        .rev()
        .find_map(|line| line.trim().strip_prefix("verify:"))?;
    match said.split_whitespace().next() {
        Some("ok") => Some(true),
        Some("FAILED") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_verdict_counts() {
        assert_eq!(verdict("time 3 s\nverify: ok\n"), Some(true));
        assert_eq!(
            verdict("verify: ok\nverify: FAILED (max error 3 at index 4)\nbye\n"),
            Some(false)
        );
        assert_eq!(verdict("verified: ok\n"), None);
        assert_eq!(verdict("verify: perhaps\n"), None);
        assert_eq!(verdict(""), None);
    }

    #[test]
    fn only_the_end_of_a_long_output_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "x".repeat(3 * TAIL as usize) + "\nverify: ok\n";
        std::fs::write(file.path(), text).unwrap();
        assert_eq!(read(file.path()), Some(true));
        assert_eq!(read(Path::new("/no/such/file")), None);
    }
}
