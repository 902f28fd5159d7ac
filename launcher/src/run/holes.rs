//! A file with long stretches of zeros -> the same file, read the same and as long, whose zeros take no room on disk.

use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::path::Path;

/// Smallest stretch that file systems give back.
const BLOCK: usize = 4096;

/// Gives back the blocks of a file that hold nothing but zeros; `bytes` is what the file holds, and nobody writes to
/// it any more. Where the file system cannot do it, the file stays as it is.
pub fn punch(path: &Path, bytes: &[u8]) {
    let Ok(file) = File::options().write(true).open(path) else {
        return;
    };
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    for (start, length) in zeros(bytes) {
        if fallocate(&file, flags, start, length).is_err() {
            return;
        }
    }
}

/// Starts and lengths of the longest stretches of whole blocks of zeros.
fn zeros(bytes: &[u8]) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (number, block) in bytes.chunks_exact(BLOCK).enumerate() {
        if block.iter().any(|byte| *byte != 0) {
            continue;
        }
        let start = (number * BLOCK) as u64;
        match found.last_mut() {
            Some((begin, length)) if *begin + *length == start => *length += BLOCK as u64,
            _ => found.push((start, BLOCK as u64)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn neighbours_are_one_stretch_and_parts_of_blocks_stay() {
        let mut bytes = vec![0; 5 * BLOCK + 7];
        bytes[0] = 1;
        bytes[3 * BLOCK + 9] = 1;
        let block = BLOCK as u64;
        assert_eq!(zeros(&bytes), [(block, 2 * block), (4 * block, block)]);
        assert_eq!(zeros(&[0; 100]), []);
    }

    #[test]
    fn a_file_keeps_its_bytes_and_its_length() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = vec![0; 1 << 20];
        bytes[..3].copy_from_slice(b"abc");
        std::fs::write(file.path(), &bytes).unwrap();
        file.as_file().sync_all().unwrap();
        let before = file.path().metadata().unwrap().blocks();
        punch(file.path(), &bytes);
        file.as_file().sync_all().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), bytes);
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if fallocate(file.as_file(), flags, 8192, 4096).is_err() {
            eprintln!("skipped: this file system has no holes");
            return;
        }
        let after = file.path().metadata().unwrap().blocks();
        assert!(after < before / 10, "{before} -> {after}");
    }
}
