//! Finds the clang that compiles nvcc's host code: MIGFIT_CLANG, else the newest in PATH whose bitcode our LLVM reads.

use super::BuildError;
use super::search::in_path;
use migfit_schema::build::{CLANG_VARIABLE, NEWEST_CLANG, OLDEST_CLANG};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clang to use, from the value of MIGFIT_CLANG and of PATH; its version is checked.
pub(super) fn find(wish: Option<&OsStr>, path: &OsStr) -> Result<PathBuf, BuildError> {
    choose(wish, path, version)
}

fn choose(
    wish: Option<&OsStr>,
    path: &OsStr,
    version: impl Fn(&Path) -> Option<u32>,
) -> Result<PathBuf, BuildError> {
    let names: Vec<OsString> = match wish.filter(|wish| !wish.is_empty()) {
        Some(wish) => vec![wish.to_owned()],
        None => usual_names().map(OsString::from).collect(),
    };
    let Some(found) = names.iter().find_map(|name| in_path(name, path)) else {
        return Err(BuildError::NoClang(described(wish, &names)));
    };
    let version = version(&found).ok_or_else(|| BuildError::NotClang(found.clone()))?;
    if version > NEWEST_CLANG {
        return Err(BuildError::ClangTooNew {
            path: found,
            version,
            newest: NEWEST_CLANG,
        });
    }
    Ok(found)
}

fn usual_names() -> impl Iterator<Item = String> {
    let numbered = (OLDEST_CLANG..=NEWEST_CLANG).rev();
    numbered
        .map(|version| format!("clang-{version}"))
        .chain(["clang".to_owned()])
}

fn described(wish: Option<&OsStr>, names: &[OsString]) -> String {
    match (wish, names) {
        (Some(wish), _) if !wish.is_empty() => {
            format!("{} ({CLANG_VARIABLE})", wish.to_string_lossy())
        }
        _ => format!("clang-{NEWEST_CLANG} down to clang-{OLDEST_CLANG}, and clang, in PATH"),
    }
}

fn version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// The major version in what `clang --version` prints.
fn parse_version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("clang version ")?;
    rest.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files of these names.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn versions_are_read_from_what_vendors_print() {
        assert_eq!(
            parse_version("Debian clang version 19.1.7 (3)\nTarget"),
            Some(19)
        );
        assert_eq!(parse_version("Apple clang version 15.0.0"), Some(15));
        assert_eq!(parse_version("g++ (Debian 12.2.0) 12.2.0"), None);
    }

    #[test]
    fn the_newest_numbered_clang_wins_over_a_plain_one() {
        let folder = folder(&["clang", "clang-16", "clang-18"]);
        let found = choose(None, folder.path().as_os_str(), |_| Some(18)).unwrap();
        assert_eq!(found, folder.path().join("clang-18"));
    }

    #[test]
    fn a_missing_clang_is_named_with_where_the_name_came_from() {
        let empty = folder(&[]);
        let usual = choose(None, empty.path().as_os_str(), |_| None).unwrap_err();
        assert!(usual.to_string().contains("clang-19"), "{usual}");
        let wish = Some("clang-99".as_ref());
        let named = choose(wish, empty.path().as_os_str(), |_| None).unwrap_err();
        assert!(
            named.to_string().contains("clang-99 (MIGFIT_CLANG)"),
            "{named}"
        );
    }

    #[test]
    fn a_clang_that_is_too_new_or_something_else_is_refused() {
        let folder = folder(&["clang"]);
        let path = folder.path().as_os_str();
        let too_new = choose(None, path, |_| Some(21));
        assert!(matches!(
            too_new,
            Err(BuildError::ClangTooNew { version: 21, .. })
        ));
        let other = find(Some("/bin/true".as_ref()), path);
        assert!(matches!(other, Err(BuildError::NotClang(_))));
    }
}
