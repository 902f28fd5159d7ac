//! A folder of compiler names that are all `migfit-cc`, to stand first in PATH, and a toolkit whose nvcc is. `main` is
//! often in a .c or .cpp that nvcc never sees, and the final link is often g++'s. The folder stays: build systems keep
//! compilers by their path, and outside of `migfit build` these are the compilers themselves.

use super::BuildError;
use super::search::in_path;
use super::toolkit;
use migfit_schema::build::SHIMS;
use migfit_schema::container::checksum;
use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The compiler driver of the CUDA toolkit.
const NVCC: &str = "nvcc";

/// What the compilers of a build are.
pub(super) struct Compilers<'a> {
    /// `migfit-cc`.
    pub(super) migfit_cc: &'a Path,
    /// PATH as the user has it.
    pub(super) path: &'a OsStr,
    /// What else makes objects differ: a cache of compiler results must not mix them.
    pub(super) manner: &'a str,
    /// Our folder among the user's data, where there is one.
    pub(super) data: Option<PathBuf>,
}

/// The compilers of one build.
#[derive(Debug)]
pub(super) struct Shims {
    folder: PathBuf,
    nvcc: Option<PathBuf>,
    session: tempfile::TempDir,
    host_compiler: PathBuf,
}

impl Shims {
    /// Makes what is missing, with a link to `migfit_cc` under the name of each compiler that PATH has: a build that
    /// looks for one that is not installed must not find it.
    pub(super) fn make(compilers: &Compilers<'_>) -> Result<Shims, BuildError> {
        let session = tempfile::Builder::new()
            .prefix("migfit-build-")
            .tempdir()
            .map_err(BuildError::Shims)?;
        let nvcc = in_path(NVCC.as_ref(), compilers.path);
        let lasting = compilers.data.as_ref().map(|data| {
            let name = name(compilers, nvcc.as_deref());
            data.join("compilers").join(name)
        });
        // Where the user's data cannot be written, they last as long as the build.
        let lay = |folder: &Path| lay(folder, compilers, nvcc.as_deref());
        let folder = match lasting.filter(|folder| lay(folder).is_ok()) {
            Some(folder) => folder,
            None => {
                let folder = session.path().join("compilers");
                lay(&folder).map_err(BuildError::Shims)?;
                folder
            }
        };
        let host_compiler = if has_space(compilers.migfit_cc) {
            let link = session.path().join("migfit-cc");
            symlink(compilers.migfit_cc, &link).map_err(BuildError::Shims)?;
            link
        } else {
            compilers.migfit_cc.to_owned()
        };
        if has_space(&host_compiler) {
            return Err(BuildError::Spaces(host_compiler));
        }
        Ok(Shims {
            folder,
            nvcc,
            session,
            host_compiler,
        })
    }

    /// The folder of compilers, which goes first in PATH.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// The toolkit whose nvcc is ours, and the real nvcc; `None` where PATH has none.
    pub(super) fn toolkit(&self) -> Option<(PathBuf, &Path)> {
        let nvcc = self.nvcc.as_deref()?;
        Some((self.folder.join("toolkit"), nvcc))
    }

    /// `migfit-cc` under a path that nvcc's flags can hold: nvcc splits them at spaces and knows no quotes.
    pub(super) fn host_compiler(&self) -> &Path {
        &self.host_compiler
    }

    /// Where `migfit-cc` appends its lines.
    pub(super) fn log(&self) -> PathBuf {
        self.session.path().join("programs.log")
    }

    /// A folder for temporary files of this build.
    pub(super) fn temporary(&self) -> &Path {
        self.session.path()
    }
}

fn installed(path: &OsStr) -> impl Iterator<Item = &'static str> {
    let installed = |name: &&str| in_path(name.as_ref(), path).is_some();
    SHIMS.into_iter().filter(installed)
}

/// One name for what would be laid out alike.
fn name(compilers: &Compilers<'_>, nvcc: Option<&Path>) -> String {
    let nvcc = nvcc.map(Path::as_os_str).unwrap_or_default();
    let mut text = Vec::new();
    for part in [
        compilers.migfit_cc.as_os_str(),
        nvcc,
        compilers.manner.as_ref(),
    ] {
        text.extend_from_slice(part.as_bytes());
        text.push(0);
    }
    let names: Vec<&str> = installed(compilers.path).collect();
    text.extend_from_slice(names.join(" ").as_bytes());
    format!("{:016x}", checksum(&text))
}

fn lay(folder: &Path, compilers: &Compilers<'_>, nvcc: Option<&Path>) -> Result<(), Error> {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin)?;
    for name in installed(compilers.path) {
        match symlink(compilers.migfit_cc, bin.join(name)) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    match nvcc {
        Some(nvcc) => toolkit::lay(&folder.join("toolkit"), nvcc, compilers.migfit_cc),
        None => Ok(()),
    }
}

fn has_space(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compilers<'a>(migfit_cc: &'a Path, path: &'a Path, data: Option<&Path>) -> Compilers<'a> {
        Compilers {
            migfit_cc,
            path: path.as_os_str(),
            manner: "user",
            data: data.map(Path::to_owned),
        }
    }

    fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn installed_compilers_lead_to_migfit_cc_and_stay_where_they_are() {
        let (path, data) = (
            folder_with(&["gcc", "g++", "nvcc", "migfit-cc"]),
            folder_with(&[]),
        );
        let migfit_cc = path.path().join("migfit-cc");
        let made = || Shims::make(&compilers(&migfit_cc, path.path(), Some(data.path()))).unwrap();
        let shims = made();
        let kept = shims.folder();
        for name in ["gcc", "g++"] {
            assert_eq!(std::fs::read_link(kept.join(name)).unwrap(), migfit_cc);
        }
        assert!(!kept.join("mpicc").is_symlink());
        assert_eq!(shims.host_compiler(), migfit_cc);
        let (toolkit, real) = shims.toolkit().unwrap();
        assert_eq!(real, path.path().join("nvcc"));
        assert!(toolkit.join("bin/nvcc").is_file());
        let session = shims.temporary().to_owned();
        drop(shims);
        assert!(kept.exists() && !session.exists());
        assert_eq!(made().folder(), kept);
    }

    #[test]
    fn without_a_folder_of_data_they_go_with_the_build() {
        let path = folder_with(&["gcc", "data", "migfit-cc"]);
        let (migfit_cc, file) = (path.path().join("migfit-cc"), path.path().join("data"));
        for data in [None, Some(file.as_path())] {
            let shims = Shims::make(&compilers(&migfit_cc, path.path(), data)).unwrap();
            let kept = shims.folder();
            assert!(kept.join("gcc").is_symlink() && shims.toolkit().is_none());
            drop(shims);
            assert!(!kept.exists());
        }
    }

    #[test]
    fn a_prefix_with_spaces_is_reached_through_the_folder() {
        let path = folder_with(&[]);
        let migfit_cc = Path::new("/opt/my tools/migfit-cc");
        let shims = Shims::make(&compilers(migfit_cc, path.path(), None)).unwrap();
        assert_eq!(shims.host_compiler(), shims.temporary().join("migfit-cc"));
    }
}
