//! Who we stand for, and what `migfit build` told us: from our own name and the environment, read once.

use super::error::CcError;
use super::language::Language;
use super::{left_alone, users_compiler};
use migfit_schema::build;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Another analyzer than the one beside us; for tests.
const ANALYZER_VARIABLE: &str = "MIGFIT_ANALYZE";

/// Who we stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// nvcc's host compiler: clang, as a C++ driver.
    UnderNvcc,
    /// A compiler in PATH that makes the objects itself; IR comes from a pass beside it.
    Shim {
        /// Whether it takes `.c` for C++.
        cplusplus: bool,
    },
    /// An MPI wrapper: it calls a compiler, and there we are again.
    MpiShim,
}

impl Role {
    /// Our own file name.
    pub const FILE_NAME: &'static str = "migfit-cc";

    /// By the name under which we were started.
    pub fn of_name(name: &str) -> Role {
        match name {
            "mpicc" | "mpicxx" => Role::MpiShim,
            shim if build::SHIMS.contains(&shim) => Role::Shim {
                cplusplus: shim.ends_with("++"),
            },
            _ => Role::UnderNvcc,
        }
    }

    /// What this compiler makes of `.c`.
    pub fn default_language(self) -> Language {
        match self {
            Role::UnderNvcc | Role::Shim { cplusplus: true } => Language::Cxx,
            Role::Shim { cplusplus: false } | Role::MpiShim => Language::C,
        }
    }
}

/// All that does not come from the compiler's command line.
#[derive(Debug)]
pub struct Settings {
    /// Who we stand for.
    pub role: Role,
    /// The words after the compiler's name, as they came.
    pub words: Vec<OsString>,
    /// The compiler that makes the objects and links.
    pub compiler: PathBuf,
    /// Clang, which makes IR; absent where only a side pass would need it.
    pub clang: Option<PathBuf>,
    /// The host compiler that nvcc was told to use, where it was.
    pub named_to_nvcc: Option<OsString>,
    /// `migfit-analyze`.
    pub analyzer: PathBuf,
    /// PATH without our shims, for all that we start.
    pub real_path: OsString,
    /// Whether programs are for the virtual GPU.
    pub for_virtual_gpu: bool,
    /// Where each linked CUDA program is noted.
    pub log: Option<PathBuf>,
    /// Whether `MIGFIT=off`.
    pub off: bool,
    /// Whether clang is to stand in for the host compiler under nvcc; else the user's own compiles.
    pub wants_clang: bool,
    /// Why the whole nvcc command is the user's compiler's, where it is: then `compiler` is that one.
    pub left_alone: Option<String>,
    ourselves: PathBuf,
}

impl Settings {
    /// Reads our name and the environment.
    pub fn from_environment() -> Result<Settings, CcError> {
        let mut words = std::env::args_os();
        let called = words.next().unwrap_or_default();
        let name = Path::new(&called)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let role = Role::of_name(&name);
        let variable = std::env::var_os;
        let real_path = variable(build::REAL_PATH_VARIABLE)
            .or_else(|| variable("PATH"))
            .unwrap_or_default();
        let ourselves = std::env::current_exe()
            .and_then(|path| path.canonicalize())
            .unwrap_or_default();
        let search = Search {
            path: &real_path,
            ourselves: &ourselves,
        };
        let off = variable("MIGFIT").is_some_and(|value| value == "off");
        let named_to_nvcc = match role {
            Role::UnderNvcc => users_compiler::named(),
            Role::Shim { .. } | Role::MpiShim => None,
        };
        let clang = search.clang(variable(build::CLANG_VARIABLE).as_deref());
        let mode = variable(build::HOST_COMPILER_VARIABLE).unwrap_or_default();
        let wants_clang = mode == build::HOST_COMPILER_CLANG;
        let clang = match mode == build::HOST_COMPILER_ALONE {
            true => Err(CcError::NoClang(String::new())),
            false => clang,
        };
        // A shim may be called after the build: build systems keep compilers by their path.
        let off = off || (role != Role::UnderNvcc && variable(build::LOG_VARIABLE).is_none());
        let mut left_alone = None;
        let (compiler, clang) = match role {
            Role::UnderNvcc if off => (search.users(named_to_nvcc.as_deref())?, None),
            Role::UnderNvcc if !wants_clang => {
                (search.users(named_to_nvcc.as_deref())?, clang.ok())
            }
            Role::UnderNvcc => {
                let clang = clang?;
                let users = search.users(named_to_nvcc.as_deref()).ok();
                left_alone = users
                    .is_some()
                    .then(|| left_alone::reason(&users_compiler::nvccs_words(), &clang))
                    .flatten();
                let compiler = users.filter(|_| left_alone.is_some());
                (compiler.unwrap_or_else(|| clang.clone()), Some(clang))
            }
            Role::Shim { .. } | Role::MpiShim => {
                let own = search.program(name.as_ref().as_ref());
                let own = own.ok_or_else(|| CcError::NoCompiler(name.into_owned()))?;
                (own, clang.ok())
            }
        };
        Ok(Settings {
            role,
            words: words.collect(),
            named_to_nvcc,
            compiler,
            clang,
            analyzer: variable(ANALYZER_VARIABLE)
                .map_or_else(|| ourselves.with_file_name("migfit-analyze"), PathBuf::from),
            for_virtual_gpu: variable(build::VIRTUAL_VARIABLE).is_some_and(|value| value == "1"),
            log: variable(build::LOG_VARIABLE).map(PathBuf::from),
            off,
            wants_clang,
            left_alone,
            real_path,
            ourselves,
        })
    }
}

impl Settings {
    /// Whether clang compiles in the place of nvcc's host compiler.
    pub fn clang_stands_in(&self) -> bool {
        let under_nvcc = self.role == Role::UnderNvcc && !self.off;
        under_nvcc && self.wants_clang && self.left_alone.is_none()
    }

    /// The host compiler that nvcc would have used.
    pub fn users_compiler(&self) -> Option<PathBuf> {
        let search = Search {
            path: &self.real_path,
            ourselves: &self.ourselves,
        };
        search.users(self.named_to_nvcc.as_deref()).ok()
    }
}

/// Looks programs up in PATH; never finds ourselves, under whatever name.
struct Search<'a> {
    path: &'a OsStr,
    ourselves: &'a Path,
}

impl Search<'_> {
    fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let usable = |path: &PathBuf| {
            path.is_file() && path.canonicalize().is_ok_and(|real| real != self.ourselves)
        };
        if Path::new(name).components().count() > 1 {
            return Some(PathBuf::from(name)).filter(usable);
        }
        std::env::split_paths(self.path)
            .map(|folder| folder.join(name))
            .find(usable)
    }

    /// The host compiler that nvcc would have used, with the name that it was given.
    fn users(&self, named: Option<&OsStr>) -> Result<PathBuf, CcError> {
        let found = users_compiler::program(named, |name| self.program(name));
        let shown = || named.unwrap_or(OsStr::new("g++")).to_string_lossy();
        found.ok_or_else(|| CcError::NoCompiler(shown().into_owned()))
    }

    fn clang(&self, wish: Option<&OsStr>) -> Result<PathBuf, CcError> {
        if let Some(wish) = wish.filter(|wish| !wish.is_empty()) {
            let missing = || {
                CcError::NoClang(format!(
                    "{} ({})",
                    wish.to_string_lossy(),
                    build::CLANG_VARIABLE
                ))
            };
            return self.program(wish).ok_or_else(missing);
        }
        let numbered = (build::OLDEST_CLANG..=build::NEWEST_CLANG).rev();
        let mut names = numbered
            .map(|version| format!("clang-{version}"))
            .chain(["clang".to_owned()]);
        names
            .find_map(|name| self.program(name.as_ref()))
            .ok_or_else(|| {
                let (newest, oldest) = (build::NEWEST_CLANG, build::OLDEST_CLANG);
                CcError::NoClang(format!(
                    "clang-{newest} down to clang-{oldest}, and clang, in PATH"
                ))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_give_roles() {
        assert_eq!(Role::of_name("migfit-cc"), Role::UnderNvcc);
        assert_eq!(Role::of_name("gcc"), Role::Shim { cplusplus: false });
        assert_eq!(Role::of_name("clang++"), Role::Shim { cplusplus: true });
        assert_eq!(Role::of_name("mpicxx"), Role::MpiShim);
    }

    #[test]
    fn a_shim_never_finds_itself() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, shims, real) = (
            folder.path().join("migfit-cc"),
            folder.path().join("s"),
            folder.path().join("r"),
        );
        std::fs::write(&ours, "").unwrap();
        for place in [&shims, &real] {
            std::fs::create_dir(place).unwrap();
        }
        symlink(&ours, shims.join("gcc")).unwrap();
        std::fs::write(real.join("gcc"), "").unwrap();
        let path = std::env::join_paths([&shims, &real]).unwrap();
        let ourselves = ours.canonicalize().unwrap();
        let search = Search {
            path: &path,
            ourselves: &ourselves,
        };
        assert_eq!(search.program("gcc".as_ref()), Some(real.join("gcc")));
        assert_eq!(search.program("cc".as_ref()), None);
    }

    #[test]
    fn the_wished_clang_must_be_there() {
        let search = Search {
            path: "/usr/bin".as_ref(),
            ourselves: Path::new("/x"),
        };
        let error = search.clang(Some("/no/such/clang".as_ref())).unwrap_err();
        assert!(error.to_string().contains("/no/such/clang (MIGFIT_CLANG)"));
    }
}
