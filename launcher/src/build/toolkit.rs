//! A CUDA toolkit whose nvcc is ours: everything in it is a link to the user's, so that what looks for headers and
//! libraries from nvcc's place finds them. Folders in, links and one script out.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io::Error;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use migfit_schema::build::NVCC_WORD;

/// The toolkit that an nvcc belongs to, where it is laid out as one.
pub(super) fn root(nvcc: &Path) -> Option<PathBuf> {
    let real = nvcc.canonicalize().ok()?;
    let bin = real.parent()?;
    bin.join("nvcc.profile").is_file().then_some(())?;
    Some(bin.parent()?.to_owned())
}

/// Lays the toolkit out in `folder`: links to all of the user's, and an `nvcc` that starts `migfit_cc`.
pub(super) fn lay(folder: &Path, nvcc: &Path, migfit_cc: &Path) -> Result<(), Error> {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin)?;
    if let Some(root) = root(nvcc) {
        link_all(&root, folder, "bin")?;
        link_all(&root.join("bin"), &bin, "nvcc")?;
    }
    let script = script(nvcc, migfit_cc)?;
    let path = bin.join("nvcc");
    // Its time and contents change only with what it starts: caches of compilers go by them.
    if std::fs::read(&path).is_ok_and(|there| there == script) {
        return Ok(());
    }
    let mut new = tempfile::Builder::new()
        .prefix(".nvcc-")
        .tempfile_in(&bin)?;
    std::io::Write::write_all(&mut new, &script)?;
    let executable = std::fs::Permissions::from_mode(0o755);
    new.as_file().set_permissions(executable)?;
    new.persist(&path)?;
    Ok(())
}

/// Links to everything in a folder but one name; what is there already stays.
fn link_all(from: &Path, to: &Path, but: &str) -> Result<(), Error> {
    for entry in std::fs::read_dir(from)?.flatten() {
        let link = to.join(entry.file_name());
        if entry.file_name() == but || link.is_symlink() {
            continue;
        }
        match symlink(entry.path(), link) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A script and no link: who follows links would find a compiler of another name.
fn script(nvcc: &Path, migfit_cc: &Path) -> Result<Vec<u8>, Error> {
    let [ours, real] = [migfit_cc, nvcc].map(|path| quoted(path.as_os_str()));
    let [ours_is, real_is] = [migfit_cc, nvcc].map(|path| path.metadata().map(|meta| state(&meta)));
    let mut text = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    let head = format!(
        "#!/bin/sh\n# nvcc under `migfit build`; else the real one as it is. migfit {version} {}, nvcc {}\nexec ",
        ours_is?, real_is?
    );
    text.extend_from_slice(head.as_bytes());
    for part in [
        ours.as_bytes(),
        b" ",
        NVCC_WORD.as_bytes(),
        b" ",
        real.as_bytes(),
    ] {
        text.extend_from_slice(part);
    }
    text.extend_from_slice(b" \"$@\"\n");
    Ok(text)
}

/// What tells one build of a program from another.
fn state(meta: &Metadata) -> String {
    format!("{}-{}.{}", meta.len(), meta.mtime(), meta.mtime_nsec())
}

/// In single quotes of the shell.
fn quoted(text: &OsStr) -> OsString {
    let mut quoted = vec![b'\''];
    for byte in text.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    OsStr::from_bytes(&quoted).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Case {
        _folder: tempfile::TempDir,
        nvcc: PathBuf,
        migfit_cc: PathBuf,
        ours: PathBuf,
    }

    fn case() -> Case {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for made in ["cuda 13/bin", "cuda 13/include", "cuda 13/lib64"] {
            std::fs::create_dir_all(at(made)).unwrap();
        }
        for file in [
            "cuda 13/bin/nvcc",
            "cuda 13/bin/nvcc.profile",
            "cuda 13/bin/ptxas",
            "cc",
        ] {
            std::fs::write(at(file), "").unwrap();
        }
        Case {
            nvcc: at("cuda 13/bin/nvcc"),
            migfit_cc: at("cc"),
            ours: at("ours"),
            _folder: folder,
        }
    }

    #[test]
    fn everything_of_the_toolkit_is_there_and_nvcc_is_ours() {
        let case = case();
        lay(&case.ours, &case.nvcc, &case.migfit_cc).unwrap();
        for name in ["include", "lib64", "bin/nvcc.profile", "bin/ptxas"] {
            assert!(
                case.ours.join(name).is_symlink() && case.ours.join(name).exists(),
                "{name}"
            );
        }
        let nvcc = case.ours.join("bin/nvcc");
        assert!(!nvcc.is_symlink());
        let text = std::fs::read_to_string(&nvcc).unwrap();
        assert!(text.contains("cuda 13/bin/nvcc' \"$@\"\n"), "{text}");
    }

    #[test]
    fn the_script_changes_with_what_it_starts_alone() {
        let case = case();
        let state = || {
            lay(&case.ours, &case.nvcc, &case.migfit_cc).unwrap();
            let path = case.ours.join("bin/nvcc");
            (path.metadata().unwrap().ino(), std::fs::read(path).unwrap())
        };
        let first = state();
        assert_eq!(first, state());
        std::fs::write(&case.migfit_cc, "another version").unwrap();
        assert_ne!(first.1, state().1);
    }

    #[test]
    fn quotes_in_names_are_kept() {
        assert_eq!(quoted("/a'b".as_ref()), "'/a'\\''b'");
    }

    #[test]
    fn an_nvcc_that_stands_alone_gets_no_toolkit() {
        let case = case();
        std::fs::remove_file(case.nvcc.with_file_name("nvcc.profile")).unwrap();
        lay(&case.ours, &case.nvcc, &case.migfit_cc).unwrap();
        assert!(case.ours.join("bin/nvcc").is_file());
        assert!(!case.ours.join("include").exists());
    }
}
