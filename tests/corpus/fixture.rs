//! One program of the corpus: its sources, and what the first lines of the main source say of it and of its runs
//! (`header.rs`). A program is one file NAME.cu, or a folder NAME: NAME.cu, NAME.c or NAME.cpp is its main source; other
//! sources are compiled apart and linked; whatever is no source lies in the folder of each run.

use crate::header;
use std::path::{Path, PathBuf};

/// Endings of what is compiled.
const SOURCES: [&str; 4] = ["cu", "c", "cpp", "cc"];

/// Endings of what sources include.
const HEADERS: [&str; 5] = ["h", "hpp", "cuh", "inl", "def"];

/// One program.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// Name: the main source without its ending.
    pub name: String,
    /// What is compiled, the main source first.
    pub sources: Vec<PathBuf>,
    /// Sources in a folder `outside`: the program is linked with them, the analyzer does not see them.
    pub outside: Vec<PathBuf>,
    /// Every source and header, with its text: what objects are made of.
    pub texts: Vec<(PathBuf, String)>,
    /// Where its truth is kept.
    pub truth: PathBuf,
    /// Its runs.
    pub runs: Vec<Run>,
    /// What all runs find.
    pub setting: Setting,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// Names of the forms that are left out.
    pub left_out: Vec<String>,
    /// Names of the forms in which an answer may have assumptions that the usual one does not need.
    pub assumed_in: Vec<String>,
    /// Names of the forms in which an answer may be an honest one that says less.
    pub knows_less_in: Vec<String>,
    /// Names of the forms in which an answer may be exact where the usual one is not.
    pub exact_in: Vec<String>,
    /// Words for the linker, behind the objects.
    pub libs: Vec<String>,
}

/// One command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The words as one text, quoted as in a shell.
    pub args: String,
    /// The verdict that the answer must have.
    pub verdict: String,
    /// What this run alone finds, beside what all find.
    pub setting: Setting,
}

/// What a run finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Files: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Commands for a shell that make files in the folder of the run.
    pub makes: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<(String, String)>,
    /// Standard input: the program reads it, the analyzer is not told.
    pub stdin: Option<Vec<u8>>,
    /// The GPU model; the analyzer's own choice where none is named.
    pub device: Option<String>,
}

impl Setting {
    /// This and `more`, which comes first where both say something.
    pub fn with(&self, more: &Setting) -> Setting {
        let mut all = self.clone();
        all.files.extend(more.files.iter().cloned());
        all.makes.extend(more.makes.iter().cloned());
        all.variables.extend(more.variables.iter().cloned());
        all.stdin = more.stdin.clone().or(all.stdin);
        all.device = more.device.clone().or(all.device);
        all
    }
}

impl Fixture {
    /// All programs of the corpus, in alphabetical order.
    pub fn all() -> Vec<Fixture> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
        let only = std::env::var("MIGFIT_CORPUS_ONLY").unwrap_or_default();
        let mut fixtures: Vec<Fixture> = entries(&folder)
            .iter()
            .filter(|path| path.is_dir() || has_ending(path, &SOURCES))
            .filter(|path| stem(path).contains(&only))
            .map(|path| Fixture::read(path))
            .collect();
        fixtures.sort_by(|a, b| a.name.cmp(&b.name));
        fixtures
    }

    fn read(path: &Path) -> Fixture {
        let mut fixture = Fixture {
            name: stem(path),
            truth: path.with_extension("truth"),
            ..Fixture::default()
        };
        match path.is_dir() {
            true => fixture.take_folder(path, path),
            false => fixture.take(path),
        }
        let main = |source: &PathBuf| stem(source) != fixture.name;
        fixture.sources.sort_by_key(main);
        let first = fixture.sources.first().cloned();
        let text = fixture
            .texts
            .iter()
            .find(|(path, _)| Some(path) == first.as_ref());
        let text = text.map(|(_, text)| text.clone()).unwrap_or_default();
        header::read(&mut fixture, &text);
        assert!(
            !fixture.runs.is_empty(),
            "{}: no run is stated",
            fixture.name
        );
        fixture
    }

    /// A folder of the program: `top` is the whole.
    fn take_folder(&mut self, folder: &Path, top: &Path) {
        for path in entries(folder) {
            if path.is_dir() {
                self.take_folder(&path, top);
            } else if has_ending(&path, &SOURCES) || has_ending(&path, &HEADERS) {
                self.take(&path);
            } else {
                let name = path.strip_prefix(top).expect("it lies in the folder");
                let bytes = std::fs::read(&path).expect("the corpus can be read");
                self.setting
                    .files
                    .push((name.to_string_lossy().into_owned(), bytes));
            }
        }
    }

    fn take(&mut self, path: &Path) {
        let text = std::fs::read_to_string(path).expect("a source is text");
        self.texts.push((path.to_owned(), text));
        if has_ending(path, &SOURCES) {
            let folder = path.parent().and_then(Path::file_name);
            let list = match folder.is_some_and(|folder| folder == "outside") {
                true => &mut self.outside,
                false => &mut self.sources,
            };
            list.push(path.to_owned());
        }
    }
}

/// What lies in a folder, in alphabetical order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).expect("the corpus can be read");
    let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension()
        .is_some_and(|end| endings.iter().any(|one| end == *one))
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().expect("files have names");
    stem.to_string_lossy().into_owned()
}
