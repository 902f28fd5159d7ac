//! The environment in which the user's build command runs. Pure: old values in, new values out.

use super::HostCompiler;
use super::shims::Shims;
use migfit_schema::build::{
    CLANG_VARIABLE, HOST_COMPILER_ALONE, HOST_COMPILER_CLANG, HOST_COMPILER_VARIABLE, LOG_VARIABLE,
    NVCC_FLAGS_VARIABLE, OURS_VARIABLE, REAL_PATH_VARIABLE, VIRTUAL_VARIABLE,
};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// nvcc reads this by itself, after its command line, so that the last `-ccbin` is ours. For an nvcc that is called by
/// its full path: the one in PATH is ours.
const NVCC_VARIABLE: &str = "NVCC_APPEND_FLAGS";
/// Variables from which builds take their CUDA toolkit.
pub(super) const TOOLKIT_VARIABLES: [&str; 5] = [
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDAToolkit_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
];

/// What the build command's environment had.
#[derive(Default)]
pub(super) struct Before {
    /// PATH.
    pub(super) path: OsString,
    /// The user's own NVCC_APPEND_FLAGS.
    pub(super) nvcc_flags: Option<OsString>,
    /// Those of `TOOLKIT_VARIABLES` that name the toolkit of the nvcc in PATH.
    pub(super) toolkits: Vec<&'static str>,
}

/// What `migfit build` was asked for, and with what.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    /// Who compiles.
    pub(super) host_compiler: HostCompiler,
    /// Gives IR; `None` where there is none.
    pub(super) clang: Option<&'a Path>,
    /// Whether programs are for the virtual GPU.
    pub(super) for_virtual_gpu: bool,
}

impl Manner<'_> {
    /// One text for each manner that gives other objects.
    pub(super) fn described(&self) -> String {
        let clang = self.clang.map(|clang| clang.display().to_string());
        let clang = clang.unwrap_or_default();
        format!("{:?} {clang} {}", self.host_compiler, self.for_virtual_gpu)
    }
}

/// Variables to set for the build command.
pub(super) fn variables(
    before: &Before,
    shims: &Shims,
    manner: Manner<'_>,
) -> Vec<(&'static str, OsString)> {
    let ours = nvcc_flags(shims.host_compiler(), manner);
    let mut flags = before.nvcc_flags.clone().unwrap_or_default();
    flags.push(&ours);
    let who = match (manner.host_compiler, manner.clang) {
        (_, None) => HOST_COMPILER_ALONE,
        (HostCompiler::Clang, _) => HOST_COMPILER_CLANG,
        (HostCompiler::User, _) => "user",
    };
    let mut set = vec![
        ("PATH", path(before, shims)),
        (REAL_PATH_VARIABLE, before.path.clone()),
        (HOST_COMPILER_VARIABLE, who.into()),
        (LOG_VARIABLE, shims.log().into()),
        (OURS_VARIABLE, shims.host_compiler().into()),
        (NVCC_VARIABLE, flags),
        (NVCC_FLAGS_VARIABLE, ours),
    ];
    set.extend(manner.clang.map(|clang| (CLANG_VARIABLE, clang.into())));
    if manner.for_virtual_gpu {
        set.push((VIRTUAL_VARIABLE, "1".into()));
    }
    if let Some((toolkit, _)) = shims.toolkit() {
        let named = before.toolkits.iter();
        set.extend(named.map(|name| (*name, toolkit.clone().into_os_string())));
    }
    set
}

/// Our compilers first; our nvcc just before the real one, so that other tools are found as before.
fn path(before: &Before, shims: &Shims) -> OsString {
    let mut folders = vec![shims.folder()];
    let toolkit = shims.toolkit();
    let real = toolkit.as_ref().and_then(|(_, nvcc)| nvcc.parent());
    let mut ours = toolkit.as_ref().map(|(folder, _)| folder.join("bin"));
    for folder in std::env::split_paths(&before.path) {
        if real == Some(folder.as_path()) {
            folders.extend(ours.take());
        }
        folders.push(folder);
    }
    folders.extend(ours);
    joined(&folders)
}

fn joined(folders: &[PathBuf]) -> OsString {
    let mut joined = OsString::new();
    for (place, folder) in folders.iter().enumerate() {
        if place > 0 {
            joined.push(":");
        }
        joined.push(folder);
    }
    joined
}

/// The folder behind all others of PATH.
pub(super) fn last_in_path(path: &OsStr, folder: &Path) -> OsString {
    let mut joined = path.to_owned();
    if !path.is_empty() {
        joined.push(":");
    }
    joined.push(folder);
    joined
}

fn nvcc_flags(host_compiler: &Path, manner: Manner<'_>) -> OsString {
    let mut flags = OsString::new();
    if manner.host_compiler == HostCompiler::Clang {
        flags.push(" -allow-unsupported-compiler");
    }
    if manner.clang.is_some() {
        flags.push(" -ccbin ");
        flags.push(host_compiler);
    }
    if manner.for_virtual_gpu {
        flags.push(" -cudart shared -gencode arch=compute_80,code=compute_80");
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::super::shims::Compilers;
    use super::*;

    fn before(nvcc_flags: Option<&str>) -> Before {
        Before {
            path: "/usr/bin:/bin".into(),
            nvcc_flags: nvcc_flags.map(OsString::from),
            toolkits: vec!["CUDA_HOME"],
        }
    }

    fn shims(path: &str) -> Shims {
        let compilers = Compilers {
            migfit_cc: Path::new("/opt/migfit-cc"),
            path: path.as_ref(),
            manner: "",
            data: None,
        };
        Shims::make(&compilers).unwrap()
    }

    fn manner(host_compiler: HostCompiler, for_virtual_gpu: bool) -> Manner<'static> {
        Manner {
            host_compiler,
            clang: Some(Path::new("/usr/bin/clang-19")),
            for_virtual_gpu,
        }
    }

    fn value(set: &[(&'static str, OsString)], name: &str) -> Option<String> {
        let found = set.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    }

    #[test]
    fn the_users_nvcc_flags_stay_in_front_of_ours() {
        let flags = |who| {
            let set = variables(&before(Some("-lineinfo")), &shims(""), manner(who, false));
            assert_eq!(value(&set, VIRTUAL_VARIABLE), None);
            value(&set, NVCC_VARIABLE).unwrap()
        };
        assert_eq!(
            flags(HostCompiler::Clang),
            "-lineinfo -allow-unsupported-compiler -ccbin /opt/migfit-cc"
        );
        assert_eq!(flags(HostCompiler::User), "-lineinfo -ccbin /opt/migfit-cc");
    }

    #[test]
    fn a_virtual_build_asks_for_the_shared_runtime_and_portable_code() {
        let set = variables(&before(None), &shims(""), manner(HostCompiler::Clang, true));
        let flags = value(&set, NVCC_VARIABLE).unwrap();
        assert!(
            flags.ends_with("-cudart shared -gencode arch=compute_80,code=compute_80"),
            "{flags}"
        );
        assert_eq!(value(&set, NVCC_FLAGS_VARIABLE), Some(flags));
        assert_eq!(value(&set, VIRTUAL_VARIABLE).as_deref(), Some("1"));
    }

    #[test]
    fn without_clang_nothing_stands_in_for_the_host_compiler() {
        let alone = Manner {
            clang: None,
            ..manner(HostCompiler::User, false)
        };
        let set = variables(&before(None), &shims(""), alone);
        assert_eq!(value(&set, NVCC_VARIABLE).as_deref(), Some(""));
        assert_eq!(
            value(&set, HOST_COMPILER_VARIABLE).as_deref(),
            Some("alone")
        );
    }

    #[test]
    fn shims_come_first_and_the_real_path_is_kept() {
        let shims = shims("");
        let set = variables(&before(None), &shims, manner(HostCompiler::User, false));
        let path = value(&set, "PATH").unwrap();
        assert_eq!(path, format!("{}:/usr/bin:/bin", shims.folder().display()));
        assert_eq!(
            value(&set, REAL_PATH_VARIABLE).as_deref(),
            Some("/usr/bin:/bin")
        );
        assert_eq!(value(&set, "CUDA_HOME"), None);
    }

    #[test]
    fn our_nvcc_stands_before_the_real_one_and_toolkits_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["nvcc", "migfit-cc"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let migfit_cc = folder.path().join("migfit-cc");
        let shims = Shims::make(&Compilers {
            migfit_cc: &migfit_cc,
            path: folder.path().as_os_str(),
            manner: "",
            data: None,
        });
        let shims = shims.unwrap();
        let before = Before {
            path: format!("/usr/bin:{}:/bin", folder.path().display()).into(),
            ..before(None)
        };
        let set = variables(&before, &shims, manner(HostCompiler::User, false));
        let (toolkit, _) = shims.toolkit().unwrap();
        let expected = format!(
            "{}:/usr/bin:{}/bin:{}:/bin",
            shims.folder().display(),
            toolkit.display(),
            folder.path().display()
        );
        assert_eq!(value(&set, "PATH").unwrap(), expected);
        assert_eq!(
            value(&set, "CUDA_HOME").unwrap(),
            toolkit.display().to_string()
        );
    }

    #[test]
    fn a_folder_goes_behind_the_user_s_own() {
        let joined = |path: &str| last_in_path(path.as_ref(), Path::new("/t/bin"));
        assert_eq!(joined("/usr/bin"), "/usr/bin:/t/bin");
        assert_eq!(joined(""), "/t/bin");
    }
}
