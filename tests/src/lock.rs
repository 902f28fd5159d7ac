//! One at a time across test binaries: a lock on a file of the target folder.

use std::fs::File;
use std::path::Path;

/// Does `work` while holding the lock on `file`; waits for others.
///
/// # Panics
/// When the file cannot be made or locked.
pub fn holding<T>(file: &Path, work: impl FnOnce() -> T) -> T {
    let folder = file.parent().expect("a lock file lies in a folder");
    std::fs::create_dir_all(folder).expect("the folder of a lock file can be made");
    let lock = File::create(file).expect("a lock file can be made");
    lock.lock().expect("a lock file can be locked");
    work()
}
