//! The shared libraries of a program that was just linked: where they lie at the link, and the host code that those
//! built by `migfit build` carry for it. Reads files; changes none.

use super::command_line::CommandLine;
use super::elf;
use migfit_loader::{Dynamic, Needed, Places, needed, not_looked_into};
use migfit_schema::container::{PART, PROFILE_SECTION, SUMMARY, sealed_entries};
use migfit_schema::profile::{Library, PROFILE_VERSION, Summary};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Options of the linker whose value is a folder of libraries, as `-Wl,` and `-Xlinker` hand them on.
const FOLDER_OPTIONS: [&str; 4] = ["-rpath-link", "--rpath-link", "-rpath", "--rpath"];

/// The libraries of one link, in the order in which they are loaded.
pub struct Libraries {
    needed: Vec<Needed>,
    looked_into: Vec<Option<Code>>,
    /// Whether one of them holds device code or needs the CUDA runtime or driver.
    pub call_cuda: bool,
}

/// Host code that a library carries.
struct Code {
    identity: String,
    part: Vec<u8>,
}

impl Libraries {
    /// Those of the file `output`, which `line` linked.
    pub fn of(line: &CommandLine, output: &Path, file: &[u8]) -> Libraries {
        let dynamic = Dynamic::read(file).unwrap_or_default();
        let folder = std::env::current_dir().unwrap_or_default();
        let places = Places::new(&folder, std::env::var_os("LD_LIBRARY_PATH").as_deref());
        let linked = Linked::of(line);
        let needed = needed(output, &dynamic, &places, |name| linked.find(name));
        let files: Vec<Vec<u8>> = needed
            .iter()
            .map(|library| {
                library
                    .path
                    .as_ref()
                    .and_then(|path| std::fs::read(path).ok())
            })
            .map(Option::unwrap_or_default)
            .collect();
        Libraries {
            call_cuda: files.iter().any(|file| elf::calls_cuda(file)),
            looked_into: files.iter().map(|file| Code::of(file)).collect(),
            needed,
        }
    }

    /// Whether there are any.
    pub fn are_needed(&self) -> bool {
        !self.needed.is_empty()
    }

    /// For the job profile.
    pub fn listed(&self) -> Vec<Library> {
        let all = self.needed.iter().zip(&self.looked_into);
        all.map(|(library, code)| Library {
            name: library.name.clone(),
            identity: code.as_ref().map(|code| code.identity.clone()),
        })
        .collect()
    }

    /// The host code that they carry, as stored.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let carried = self.looked_into.iter().flatten();
        carried.map(|code| code.part.as_slice())
    }

    /// Names of those without, as far as the program or a library that has some needs them.
    pub fn without_ir(&self) -> Vec<String> {
        let has_code: Vec<bool> = self.looked_into.iter().map(Option::is_some).collect();
        let unseen = not_looked_into(&self.needed, &has_code);
        unseen
            .map(|library| Library::unseen(&library.name))
            .collect()
    }
}

impl Code {
    fn of(file: &[u8]) -> Option<Code> {
        let section = elf::section(file, PROFILE_SECTION).ok()??;
        let entries = sealed_entries(section).ok()?;
        let entry = |wanted| entries.iter().find(|(mark, _)| *mark == wanted);
        let summary: Summary = serde_json::from_slice(entry(SUMMARY)?.1).ok()?;
        let identity = summary
            .identity
            .filter(|_| summary.version == PROFILE_VERSION)?;
        let part = entry(PART)?.1.to_vec();
        Some(Code { identity, part })
    }
}

/// Where a link command itself says that libraries lie.
struct Linked {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Linked {
    fn of(line: &CommandLine) -> Linked {
        let mut folders = values(line, "-L");
        folders.extend(linker_folders(line));
        let named = values(line, "-l").into_iter().filter_map(|name| {
            let name = name.to_string_lossy().into_owned();
            let file = match name.strip_prefix(':') {
                Some(exact) => exact.to_owned(),
                None => format!("lib{name}.so"),
            };
            let mut candidates = folders.iter().map(|folder| folder.join(&file));
            candidates.find(|path| path.is_file())
        });
        let given = line.linked_inputs().filter(|path| is_shared(path));
        let files = given.map(Path::to_owned).chain(named).collect();
        Linked { files, folders }
    }

    /// The file that a name stands for in this link.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let is_it = |path: &&PathBuf| {
            path.file_name() == Some(OsStr::new(name)) || soname(path).as_deref() == Some(name)
        };
        let in_folder = |folder: &PathBuf| Some(folder.join(name)).filter(|path| path.is_file());
        let named = self.files.iter().find(is_it).cloned();
        named.or_else(|| self.folders.iter().find_map(in_folder))
    }
}

fn soname(path: &Path) -> Option<String> {
    Dynamic::read(&*std::fs::read(path).ok()?).ok()?.soname
}

/// `libx.so`, `libx.so.1.2`.
fn is_shared(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".so") || name.contains(".so.")
}

fn values(line: &CommandLine, option: &str) -> Vec<PathBuf> {
    let values = line.tokens.iter().filter_map(|token| token.value(option));
    values.map(PathBuf::from).collect()
}

/// Folders in words for the linker: `-Wl,-rpath,DIR`, `-Wl,-rpath=DIR`, `-Xlinker -rpath -Xlinker DIR`.
fn linker_folders(line: &CommandLine) -> Vec<PathBuf> {
    let words = line.tokens.iter().flat_map(|token| {
        let joined = token.words.first().map(|word| word.as_bytes());
        let joined = joined.and_then(|word| word.strip_prefix(b"-Wl,"));
        let alone = token.words.get(1).filter(|_| token.option() == "-Xlinker");
        let parts = joined
            .into_iter()
            .flat_map(|list| list.split(|byte| *byte == b','));
        parts.chain(alone.map(|word| word.as_bytes()))
    });
    let mut words = words.map(|word| String::from_utf8_lossy(word).into_owned());
    let mut folders = Vec::new();
    while let Some(word) = words.next() {
        let value = match word.split_once('=') {
            Some((option, value)) if FOLDER_OPTIONS.contains(&option) => Some(value.to_owned()),
            _ if FOLDER_OPTIONS.contains(&word.as_str()) => words.next(),
            _ => None,
        };
        let list = value.unwrap_or_default();
        let parts = list.split(':').filter(|part| !part.is_empty());
        folders.extend(parts.map(PathBuf::from));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use std::ffi::OsString;

    #[test]
    fn folders_of_the_linker_s_options_are_known_in_every_spelling() {
        let command = "a.o -Wl,-rpath,/a:/b -Wl,--rpath-link=/c -Xlinker -rpath -Xlinker /d -Wl,-z,now -Wl,-s";
        let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let line = CommandLine::parse(&words, Language::C);
        let expected = ["/a", "/b", "/c", "/d"].map(PathBuf::from);
        assert_eq!(linker_folders(&line), expected);
    }
}
