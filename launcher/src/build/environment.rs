//! The environment in which the user's build command runs. Pure: old values in, new values out.

use super::shims::Shims;
use migfit_schema::build::{CLANG_VARIABLE, LOG_VARIABLE, REAL_PATH_VARIABLE, VIRTUAL_VARIABLE};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// nvcc reads this by itself, after its command line, so that the last `-ccbin` is ours.
const NVCC_VARIABLE: &str = "NVCC_APPEND_FLAGS";

/// What the build command's environment had.
pub(super) struct Before {
    /// PATH.
    pub(super) path: OsString,
    /// The user's own NVCC_APPEND_FLAGS.
    pub(super) nvcc_flags: Option<OsString>,
}

/// Variables to set for the build command.
pub(super) fn variables(
    before: &Before,
    shims: &Shims,
    clang: &Path,
    for_virtual_gpu: bool,
) -> Vec<(&'static str, OsString)> {
    let mut set = vec![
        ("PATH", first_in_path(shims.folder(), &before.path)),
        (REAL_PATH_VARIABLE, before.path.clone()),
        (CLANG_VARIABLE, clang.into()),
        (LOG_VARIABLE, shims.log().into()),
        (
            NVCC_VARIABLE,
            nvcc_flags(
                before.nvcc_flags.as_deref(),
                shims.host_compiler(),
                for_virtual_gpu,
            ),
        ),
    ];
    if for_virtual_gpu {
        set.push((VIRTUAL_VARIABLE, "1".into()));
    }
    set
}

fn first_in_path(folder: &Path, path: &OsStr) -> OsString {
    let mut joined = folder.as_os_str().to_owned();
    if !path.is_empty() {
        joined.push(":");
        joined.push(path);
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

fn nvcc_flags(own: Option<&OsStr>, host_compiler: &Path, for_virtual_gpu: bool) -> OsString {
    let mut flags = OsString::new();
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        flags.push(own);
        flags.push(" ");
    }
    flags.push("-allow-unsupported-compiler -ccbin ");
    flags.push(host_compiler);
    if for_virtual_gpu {
        flags.push(" -cudart shared -gencode arch=compute_80,code=compute_80");
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(nvcc_flags: Option<&str>) -> Before {
        Before {
            path: "/usr/bin:/bin".into(),
            nvcc_flags: nvcc_flags.map(OsString::from),
        }
    }

    fn value(set: &[(&'static str, OsString)], name: &str) -> Option<String> {
        let found = set.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    }

    #[test]
    fn the_users_nvcc_flags_stay_in_front_of_ours() {
        let shims = Shims::make(Path::new("/opt/migfit-cc"), "".as_ref()).unwrap();
        let set = variables(
            &before(Some("-lineinfo")),
            &shims,
            Path::new("/usr/bin/clang-19"),
            false,
        );
        let flags = value(&set, NVCC_VARIABLE).unwrap();
        assert_eq!(
            flags,
            "-lineinfo -allow-unsupported-compiler -ccbin /opt/migfit-cc"
        );
        assert_eq!(value(&set, VIRTUAL_VARIABLE), None);
    }

    #[test]
    fn a_virtual_build_asks_for_the_shared_runtime_and_portable_code() {
        let shims = Shims::make(Path::new("/opt/migfit-cc"), "".as_ref()).unwrap();
        let set = variables(&before(None), &shims, Path::new("/usr/bin/clang-19"), true);
        let flags = value(&set, NVCC_VARIABLE).unwrap();
        assert!(
            flags.ends_with("-cudart shared -gencode arch=compute_80,code=compute_80"),
            "{flags}"
        );
        assert_eq!(value(&set, VIRTUAL_VARIABLE).as_deref(), Some("1"));
    }

    #[test]
    fn shims_come_first_and_the_real_path_is_kept() {
        let shims = Shims::make(Path::new("/opt/migfit-cc"), "".as_ref()).unwrap();
        let set = variables(&before(None), &shims, Path::new("clang"), false);
        let path = value(&set, "PATH").unwrap();
        assert_eq!(path, format!("{}:/usr/bin:/bin", shims.folder().display()));
        assert_eq!(
            value(&set, REAL_PATH_VARIABLE).as_deref(),
            Some("/usr/bin:/bin")
        );
    }

    #[test]
    fn a_folder_goes_behind_the_user_s_own() {
        let joined = |path: &str| last_in_path(path.as_ref(), Path::new("/t/bin"));
        assert_eq!(joined("/usr/bin"), "/usr/bin:/t/bin");
        assert_eq!(joined(""), "/t/bin");
    }
}
