//! The state file: foreign files are refused, and no writer's death leaves half a change.

use super::error::StateError;
use super::file::StateFile;
use super::gpu::VirtualGpu;
use super::identity;
use super::layout::{StateLayout, Tables};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let uuid = identity::gpu("a100-40gb", &path);
    StateFile::create(&path, "a100-40gb", uuid, &Tables::EMPTY).unwrap();
    (folder, path)
}

fn refusal(path: &Path) -> String {
    match VirtualGpu::open(path, Some("a100-40gb")) {
        Err(error @ StateError::Foreign { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was accepted"),
    }
}

#[test]
fn a_foreign_old_or_short_file_is_refused_and_left_alone() {
    let (_folder, path) = file();
    let good = fs::read(&path).unwrap();
    let mut old = good.clone();
    old[8] = 99;
    let mut foreign = good.clone();
    foreign[..8].copy_from_slice(b"SQLite f");
    for (bytes, reason) in [
        (old, "it has version 99"),
        (foreign, "another kind of file"),
        (good[..good.len() - 1].to_vec(), "bytes instead of"),
        (Vec::new(), "it has only 0 bytes"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let message = refusal(&path);
        assert!(message.contains(reason), "{message}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn another_models_state_is_refused_by_name() {
    let (_folder, path) = file();
    let error = VirtualGpu::open(&path, Some("a30-24gb"))
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("a100-40gb") && error.contains("a30-24gb"),
        "{error}"
    );
    assert_eq!(
        VirtualGpu::open(&path, None).unwrap().model().name,
        "a100-40gb"
    );
}

#[test]
fn making_a_file_leaves_no_draft_and_does_not_replace_one() {
    let (folder, path) = file();
    let before = fs::read(&path).unwrap();
    let changed = Tables {
        mig_mode: 1,
        ..Tables::EMPTY
    };
    StateFile::create(&path, "a30-24gb", uuid::Uuid::nil(), &changed).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(before.len(), size_of::<StateLayout>());
}

#[test]
fn a_failed_change_changes_nothing() {
    let (_folder, path) = file();
    let (file, _) = StateFile::open(&path).unwrap();
    let failed: Result<(), _> = file.write(|tables| {
        tables.mig_mode = 5;
        Err(StateError::MigOff)
    });
    assert!(failed.is_err());
    assert_eq!(file.read(|tables| tables.mig_mode).unwrap(), 0);
    file.write(|tables| {
        tables.mig_mode = 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(file.read(|tables| tables.mig_mode).unwrap(), 1);
}

#[test]
fn a_writer_killed_in_the_middle_leaves_the_state_as_it_was_and_no_lock() {
    let (_folder, path) = file();
    let (file, _) = StateFile::open(&path).unwrap();
    // SAFETY: the child only changes the mapped file and kills itself.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _: Result<(), _> = file.write(|tables| {
            tables.mig_mode = 9;
            tables.processes[0].taken = 1;
            // SAFETY: ends this very process.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            Ok(())
        });
        // SAFETY: never reached but by a failure, which the parent sees.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: waits for our own child.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL);
    let after = file
        .read(|tables| (tables.mig_mode, tables.processes[0].taken))
        .unwrap();
    assert_eq!(after, (0, 0));
    file.write(|tables| {
        tables.mig_mode = 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(file.read(|tables| tables.mig_mode).unwrap(), 1);
}

#[test]
fn writers_of_several_processes_lose_no_change() {
    const EACH: u64 = 200;
    let (_folder, path) = file();
    let count = |file: &StateFile| {
        for _ in 0..EACH {
            file.write(|tables| {
                tables.mig_mode += 1;
                Ok(())
            })
            .unwrap();
        }
    };
    let (file, _) = StateFile::open(&path).unwrap();
    let children: Vec<_> = (0..3)
        .map(|_| {
            // SAFETY: the child only changes the mapped file and exits.
            let child = unsafe { libc::fork() };
            if child == 0 {
                count(&file);
                // SAFETY: ends the child without running the test harness's own end.
                unsafe { libc::_exit(0) };
            }
            child
        })
        .collect();
    count(&file);
    for child in children {
        // SAFETY: waits for our own child.
        let ended = unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
        assert_eq!(ended, child);
    }
    assert_eq!(file.read(|tables| tables.mig_mode).unwrap(), 4 * EACH);
}
