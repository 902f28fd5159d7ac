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
fn a_path_that_is_no_regular_file_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path(), Path::new("/dev/null")] {
        let message = refusal(path);
        assert!(message.contains("it is no regular file"), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_folder_is_told_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/gpu.state");
    for model in [Some("a100-40gb"), None] {
        let error = VirtualGpu::open(&path, model).err().unwrap().to_string();
        assert!(error.contains("gpu.state"), "{error}");
        assert!(
            model.is_none() || error.contains("make the folder"),
            "{error}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_draft_of_an_earlier_process_is_left_alone() {
    let (folder, path) = file();
    fs::remove_file(&path).unwrap();
    let names = (0..90).map(|nth| format!("state.{}.{nth}.new", std::process::id()));
    let drafts: Vec<_> = names.map(|name| folder.path().join(name)).collect();
    for draft in &drafts {
        fs::write(draft, "not ours").unwrap();
    }
    VirtualGpu::open(&path, Some("a100-40gb")).unwrap();
    for draft in &drafts {
        assert_eq!(fs::read(draft).unwrap(), b"not ours");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 91);
}

#[test]
fn a_file_with_a_good_head_and_impossible_instances_is_refused_as_damaged() {
    let (_folder, path) = file();
    let (state, _) = StateFile::open(&path).unwrap();
    state
        .write(|tables| {
            tables.mig_mode = 1;
            tables.gpu_instances[0].taken = 1;
            tables.gpu_instances[0].profile = 77;
            Ok(())
        })
        .unwrap();
    let before = fs::read(&path).unwrap();
    let message = refusal(&path);
    assert!(
        message.contains("it is damaged: GPU instance 0"),
        "{message}"
    );
    assert!(
        message.contains("name another file in MIGFIT_VGPU_STATE"),
        "{message}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_head_with_an_unknown_model_is_refused() {
    let (_folder, path) = file();
    let mut bytes = fs::read(&path).unwrap();
    bytes[24..33].copy_from_slice(b"a999-40gb");
    fs::write(&path, &bytes).unwrap();
    let error = VirtualGpu::open(&path, None).err().unwrap().to_string();
    assert!(error.contains("it names no GPU model of ours"), "{error}");
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
