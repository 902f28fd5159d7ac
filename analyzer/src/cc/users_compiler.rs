//! The host compiler that nvcc would have used: what its own command line says, which we find among our ancestors. Ours
//! goes behind it in NVCC_APPEND_FLAGS and wins; the user's is told, and stands in where clang cannot link.

use migfit_schema::build;
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
    if let Some(told) = std::env::var_os(build::CCBIN_VARIABLE) {
        return Some(told).filter(|told| !told.is_empty());
    }
    let variable = |name: &str| std::env::var_os(name).map(|text| split(&text));
    // As nvcc reads them: the last one counts.
    let prepended = variable("NVCC_PREPEND_FLAGS").and_then(|words| chosen(&words));
    let own = nvccs_own().and_then(|words| chosen(&words));
    own.or(prepended).or_else(|| std::env::var_os("NVCC_CCBIN"))
}

/// The nvcc that started us: the program, and the words of its own command line.
pub fn nvcc() -> Option<(PathBuf, Vec<OsString>)> {
    let (process, words) = nvccs_process()?;
    let (called, words) = words.split_first()?;
    let named = Path::new(called).components().count() > 1;
    let program = match named {
        true => PathBuf::from(called),
        false => std::fs::read_link(format!("/proc/{process}/exe")).ok()?,
    };
    Some((program, words.to_vec()))
}

/// The words that a variable of nvcc's own adds.
pub fn appended() -> Vec<OsString> {
    let text = std::env::var_os("NVCC_APPEND_FLAGS").unwrap_or_default();
    let words = split(&text).into_iter();
    words.filter(|word| !word.is_empty()).collect()
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
    nvccs_process().map(|(_, words)| words)
}

fn nvccs_process() -> Option<(u32, Vec<OsString>)> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..ANCESTORS {
        let found = command_line(process).unwrap_or_default();
        if found.first().is_some_and(|word| is_nvcc(word)) {
            return Some((process, found));
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

/// What nvcc links with where that compiler is named: the C++ driver beside a C driver (`gcc-12`, `g++-12`).
pub fn for_links(compiler: &Path) -> PathBuf {
    let name = compiler.file_name().unwrap_or_default().to_string_lossy();
    let drivers = [("gcc", "g++"), ("clang", "clang++")];
    let plain = drivers
        .into_iter()
        .find(|(c, cxx)| name.contains(c) && !name.contains(cxx));
    let beside = plain.map(|(c, cxx)| compiler.with_file_name(name.replacen(c, cxx, 1)));
    let beside = beside.filter(|path| path.is_file());
    beside.unwrap_or_else(|| compiler.to_owned())
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
    let words = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    let words = words.split(|byte| *byte == 0);
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
    fn links_are_the_cxx_driver_s() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["gcc-12", "g++-12", "gcc", "clang++"] {
            std::fs::write(at(name), "").unwrap();
        }
        assert_eq!(for_links(&at("gcc-12")), at("g++-12"));
        assert_eq!(for_links(&at("gcc")), at("gcc"));
        assert_eq!(for_links(&at("clang")), at("clang++"));
        assert_eq!(for_links(&at("clang++")), at("clang++"));
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
