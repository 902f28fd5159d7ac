//! The host compiler that nvcc would have used: what its own command line says, which we find among our ancestors. Ours
//! goes behind it in NVCC_APPEND_FLAGS and wins; the user's is told, and stands in where clang cannot link.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Spellings of nvcc's option.
const OPTIONS: [&str; 3] = ["-ccbin", "--compiler-bindir", "-compiler-bindir"];
/// nvcc starts its host compiler through a shell: that many ancestors are looked at.
const ANCESTORS: usize = 4;
/// What nvcc runs where nothing is said.
const DEFAULT: &str = "g++";

/// The compiler that was named to nvcc; `None` where none was.
pub fn named() -> Option<OsString> {
    let variable = |name: &str| std::env::var_os(name).map(|text| split(&text));
    // As nvcc reads them: the last one counts.
    let prepended = variable("NVCC_PREPEND_FLAGS").and_then(|words| chosen(&words));
    let own = nvccs_own().and_then(|words| chosen(&words));
    own.or(prepended).or_else(|| std::env::var_os("NVCC_CCBIN"))
}

/// All of nvcc's words, those of its variables included.
pub fn nvccs_words() -> Vec<OsString> {
    let variable = |name: &str| std::env::var_os(name).map(|text| split(&text));
    let parts = [
        variable("NVCC_PREPEND_FLAGS"),
        nvccs_own(),
        variable("NVCC_APPEND_FLAGS"),
    ];
    parts.into_iter().flatten().flatten().collect()
}

/// The words of the nvcc that started us.
fn nvccs_own() -> Option<Vec<OsString>> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..ANCESTORS {
        let found = command_line(process).unwrap_or_default();
        if found.first().is_some_and(|word| is_nvcc(word)) {
            return Some(found);
        }
        process = parent(process)?;
    }
    None
}

/// Its program: in a folder the usual one.
pub fn program(named: Option<&OsStr>, find: impl Fn(&OsStr) -> Option<PathBuf>) -> Option<PathBuf> {
    let name = named.unwrap_or(OsStr::new(DEFAULT));
    match Path::new(name).is_dir() {
        true => Some(Path::new(name).join(DEFAULT)).filter(|path| path.is_file()),
        false => find(name),
    }
}

fn chosen(words: &[OsString]) -> Option<OsString> {
    let mut found = None;
    for (index, word) in words.iter().enumerate() {
        let bytes = word.as_bytes();
        for option in OPTIONS {
            match bytes.strip_prefix(option.as_bytes()) {
                Some([]) => found = words.get(index + 1).cloned(),
                Some([b'=', value @ ..]) => found = Some(OsString::from_vec(value.to_vec())),
                _ => {}
            }
        }
    }
    found
}

fn split(text: &OsStr) -> Vec<OsString> {
    let words = text.as_bytes().split(|byte| byte.is_ascii_whitespace());
    words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect()
}

fn is_nvcc(word: &OsStr) -> bool {
    Path::new(word).file_name() == Some(OsStr::new("nvcc"))
}

fn command_line(process: u32) -> Option<Vec<OsString>> {
    let bytes = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let words = bytes.split(|byte| *byte == 0);
    Some(
        words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect(),
    )
}

/// The number behind the state letter, which stands behind the command's name in brackets.
fn parent(process: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_every_spelling_counts() {
        let of = |text: &str| chosen(&split(text.as_ref())).map(|name| name.into_string().unwrap());
        assert_eq!(of("nvcc -ccbin g++-11 a.cu").as_deref(), Some("g++-11"));
        assert_eq!(of("nvcc -ccbin=/opt/g++ a.cu").as_deref(), Some("/opt/g++"));
        assert_eq!(
            of("nvcc -ccbin a --compiler-bindir=b").as_deref(),
            Some("b")
        );
        assert_eq!(of("nvcc --compiler-bindir c a.cu").as_deref(), Some("c"));
        assert_eq!(of("nvcc -O2 a.cu -ccbin-x").as_deref(), None);
    }

    #[test]
    fn ancestors_are_found() {
        let own = std::process::id();
        assert_eq!(parent(own), Some(std::os::unix::process::parent_id()));
        assert!(!command_line(own).unwrap().is_empty());
    }

    #[test]
    fn a_folder_stands_for_the_usual_compiler_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let found = |named: Option<&OsStr>| program(named, |name| Some(PathBuf::from(name)));
        assert_eq!(found(Some(folder.path().as_os_str())), None);
        std::fs::write(folder.path().join("g++"), "").unwrap();
        assert_eq!(
            found(Some(folder.path().as_os_str())),
            Some(folder.path().join("g++"))
        );
        assert_eq!(found(None), Some("g++".into()));
    }
}
