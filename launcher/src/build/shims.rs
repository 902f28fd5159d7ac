//! A temporary folder of compiler names that are all `migfit-cc`, to stand first in PATH. `main` is often in a .c or
//! .cpp that nvcc never sees, and the final link is often g++'s.

use super::BuildError;
use super::search::in_path;
use migfit_schema::build::SHIMS;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The folder; removed when dropped.
pub(super) struct Shims {
    folder: tempfile::TempDir,
    host_compiler: PathBuf,
}

impl Shims {
    /// Makes the folder, with a link to `migfit_cc` under the name of each compiler that PATH has: a build that looks
    /// for one that is not installed must not find it.
    pub(super) fn make(migfit_cc: &Path, path: &OsStr) -> Result<Shims, BuildError> {
        let folder = tempfile::Builder::new()
            .prefix("migfit-build-")
            .tempdir()
            .map_err(BuildError::Shims)?;
        let installed = |name: &str| in_path(name.as_ref(), path).is_some();
        for name in SHIMS.into_iter().filter(|name| installed(name)) {
            symlink(migfit_cc, folder.path().join(name)).map_err(BuildError::Shims)?;
        }
        let host_compiler = if has_space(migfit_cc) {
            let link = folder.path().join("migfit-cc");
            symlink(migfit_cc, &link).map_err(BuildError::Shims)?;
            link
        } else {
            migfit_cc.to_owned()
        };
        if has_space(&host_compiler) {
            return Err(BuildError::Spaces(host_compiler));
        }
        Ok(Shims {
            folder,
            host_compiler,
        })
    }

    /// The folder that goes first in PATH.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `migfit-cc` under a path that nvcc's flags can hold: nvcc splits them at spaces and knows no quotes.
    pub(super) fn host_compiler(&self) -> &Path {
        &self.host_compiler
    }

    /// Where `migfit-cc` appends its lines.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.path().join("programs.log")
    }
}

fn has_space(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_compilers_lead_to_migfit_cc_and_the_folder_goes() {
        let installed = tempfile::tempdir().unwrap();
        for name in ["gcc", "g++"] {
            std::fs::write(installed.path().join(name), "").unwrap();
        }
        let migfit_cc = Path::new("/opt/migfit/bin/migfit-cc");
        let shims = Shims::make(migfit_cc, installed.path().as_os_str()).unwrap();
        let kept = shims.folder().to_owned();
        for name in ["gcc", "g++"] {
            assert_eq!(std::fs::read_link(kept.join(name)).unwrap(), migfit_cc);
        }
        assert!(!kept.join("mpicc").is_symlink());
        assert_eq!(shims.host_compiler(), migfit_cc);
        drop(shims);
        assert!(!kept.exists());
    }

    #[test]
    fn a_prefix_with_spaces_is_reached_through_the_folder() {
        let shims = Shims::make(Path::new("/opt/my tools/migfit-cc"), "".as_ref()).unwrap();
        assert_eq!(shims.host_compiler(), shims.folder().join("migfit-cc"));
    }
}
