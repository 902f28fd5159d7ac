//! A link for the virtual GPU: the command's words with the shared CUDA runtime for the static one, which no virtual
//! GPU can serve.

use super::command_line::{CommandLine, Token};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The static CUDA runtime, in the ways that a link names it.
const STATIC_RUNTIME: [&str; 2] = ["cudart_static", ":libcudart_static.a"];

/// The command's words with the shared runtime for the static one; `None` where the command does not name it.
pub fn with_shared_runtime(line: &CommandLine) -> Option<Vec<OsString>> {
    let mut found = false;
    let mut words = Vec::new();
    for token in &line.tokens {
        if let Some(shared) = shared_instead(token) {
            found = true;
            words.extend(shared);
        } else {
            words.extend(token.words.iter().cloned());
        }
    }
    found.then_some(words)
}

/// Where the linker finds the shared runtime that the program's libraries were linked with: a program that only uses
/// such a library has no reason to say so. `path` is the value of PATH.
pub fn folders_for_libraries(path: &OsStr) -> impl Iterator<Item = OsString> + use<> {
    runtime_folders(path).map(|folder| {
        let mut word = OsString::from("-Wl,-rpath-link,");
        word.push(folder);
        word
    })
}

/// Where the CUDA toolkit of the nvcc in `path` has its libraries: `lib64` in NVIDIA's installers, `lib` in their
/// Python packages.
fn runtime_folders(path: &OsStr) -> impl Iterator<Item = PathBuf> + use<> {
    let nvcc = std::env::split_paths(path)
        .map(|folder| folder.join("nvcc"))
        .find_map(|nvcc| nvcc.canonicalize().ok());
    let toolkit = nvcc.and_then(|nvcc| Some(nvcc.parent()?.parent()?.to_owned()));
    let folders = toolkit.map(|toolkit| ["lib64", "lib"].map(|name| toolkit.join(name)));
    folders
        .into_iter()
        .flatten()
        .filter(|folder| folder.is_dir() && !folder.as_os_str().as_bytes().contains(&b','))
}

fn shared_instead(token: &Token) -> Option<Vec<OsString>> {
    let shared = OsString::from("-lcudart");
    if token
        .value("-l")
        .is_some_and(|name| STATIC_RUNTIME.iter().any(|runtime| name == *runtime))
    {
        return Some(vec![shared]);
    }
    let path = Path::new(token.words.first()?);
    let folder = path
        .parent()
        .filter(|_| path.file_name() == Some(OsStr::new("libcudart_static.a")))?;
    Some(vec!["-L".into(), folder.into(), shared])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn shared(command: &str) -> Option<String> {
        let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let words = with_shared_runtime(&CommandLine::parse(&words, Language::C))?;
        Some(words.join(" ".as_ref()).to_string_lossy().into_owned())
    }

    #[test]
    fn the_static_runtime_is_replaced_however_it_is_named() {
        assert_eq!(
            shared("a.o -Lx -lcudart_static -lrt -o p").unwrap(),
            "a.o -Lx -lcudart -lrt -o p"
        );
        assert_eq!(shared("a.o -l cudart_static").unwrap(), "a.o -lcudart");
        assert_eq!(
            shared("a.o /c/lib/libcudart_static.a").unwrap(),
            "a.o -L /c/lib -lcudart"
        );
        assert_eq!(shared("a.o -lcudart -o cudart_static"), None);
    }

    #[test]
    fn the_runtime_lies_in_the_toolkit_of_the_first_nvcc() {
        let folder = tempfile::tempdir().unwrap();
        let (toolkit, links) = (folder.path().join("cuda-13"), folder.path().join("links"));
        for made in ["bin", "lib64"] {
            std::fs::create_dir_all(toolkit.join(made)).unwrap();
        }
        std::fs::create_dir(&links).unwrap();
        std::fs::write(toolkit.join("bin/nvcc"), "").unwrap();
        std::os::unix::fs::symlink(toolkit.join("bin/nvcc"), links.join("nvcc")).unwrap();
        let path = std::env::join_paths([Path::new("/no/such"), &links]).unwrap();
        let folders: Vec<_> = runtime_folders(&path).collect();
        assert_eq!(folders, [toolkit.canonicalize().unwrap().join("lib64")]);
        assert_eq!(runtime_folders("/no/such".as_ref()).count(), 0);
    }
}
