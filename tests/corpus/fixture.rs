//! One program of the corpus: its source, and what the first lines of the source say of its runs.
//!
//! `//! run: ARGS` a command line whose answer must be exact; `//! run (assumed): ARGS` one with another verdict;
//! `//! file NAME: TEXT` a file that it reads, with `\n` and `\xNN`; `//! flags: FLAGS` for nvcc; any other `//!` tells what the program is.

use std::path::{Path, PathBuf};

/// One program.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Name: the source without its ending.
    pub name: String,
    /// The source.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its runs.
    pub runs: Vec<Run>,
    /// Files that it reads: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Flags for nvcc.
    pub flags: Vec<String>,
}

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The words as one text, quoted as in a shell.
    pub args: String,
    /// The verdict that the answer must have.
    pub verdict: String,
}

impl Fixture {
    /// All programs of the corpus, in alphabetical order.
    pub fn all() -> Vec<Fixture> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
        let only = std::env::var("MIGFIT_CORPUS_ONLY").unwrap_or_default();
        let files = std::fs::read_dir(folder).expect("the corpus has a folder");
        let mut sources: Vec<PathBuf> = files
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "cu"))
            .collect();
        sources.sort();
        let fixtures = sources.iter().map(|path| Fixture::read(path));
        fixtures
            .filter(|fixture| fixture.name.contains(&only))
            .collect()
    }

    fn read(path: &Path) -> Fixture {
        let text = std::fs::read_to_string(path).expect("a fixture is text");
        let name = path
            .file_stem()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned();
        let mut fixture = Fixture {
            name,
            path: path.to_owned(),
            text,
            runs: Vec::new(),
            files: Vec::new(),
            flags: Vec::new(),
        };
        let text = fixture.text.clone();
        for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
            fixture.heed(line.trim());
        }
        assert!(
            !fixture.runs.is_empty(),
            "{}: no run is stated",
            fixture.name
        );
        fixture
    }

    fn heed(&mut self, line: &str) {
        let Some((key, value)) = line.split_once(':') else {
            return;
        };
        let value = value.trim();
        match key {
            "run" => self.add_run(value, "exact"),
            "flags" => self
                .flags
                .extend(value.split_whitespace().map(str::to_owned)),
            _ => {
                if let Some(name) = key.strip_prefix("file ") {
                    self.files.push((name.to_owned(), unescaped(value)));
                } else if let Some(verdict) = key.strip_prefix("run (") {
                    self.add_run(value, verdict.trim_end_matches(')'));
                }
            }
        }
    }

    fn add_run(&mut self, args: &str, verdict: &str) {
        self.runs.push(Run {
            args: args.to_owned(),
            verdict: verdict.to_owned(),
        });
    }

    /// Where its truth is kept.
    pub fn truth_path(&self) -> PathBuf {
        self.path.with_extension("truth")
    }
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        (rest, _) = match (first, tail) {
            (b'\\', [b'n', tail @ ..]) => (tail, bytes.push(b'\n')),
            (b'\\', [b't', tail @ ..]) => (tail, bytes.push(b'\t')),
            (b'\\', [b'x', high, low, tail @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("hexadecimal digits");
                let byte = u8::from_str_radix(digits, 16).expect("hexadecimal digits");
                (tail, bytes.push(byte))
            }
            _ => (tail, bytes.push(*first)),
        };
    }
    bytes
}
