//! A compiler's command line, read once: words in, tokens and the task out. Runs nothing and reads no file but
//! response files.

use super::language::Language;
use super::{options, response};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a word, or an option with its value, is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An input file.
    Input(Language),
    /// `-o FILE`.
    Output,
    /// `-c`.
    CompileOnly,
    /// `-x LANGUAGE`.
    Language,
    /// `-MD`, `-MF FILE` and others that write a dependency file.
    Dependency,
    /// `-I`, `-D` and others that only feed the preprocessor.
    Preprocessor,
    /// Everything else.
    Other,
}

/// A word, or an option with its value in the next word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is for.
    pub kind: Kind,
    /// The words as they were written.
    pub words: Vec<OsString>,
}

impl Token {
    /// The first word, where it is UTF-8: options are.
    pub fn option(&self) -> &str {
        self.words
            .first()
            .and_then(|word| word.to_str())
            .unwrap_or_default()
    }

    /// What follows `option`, joined to it or in the next word.
    pub fn value(&self, option: &str) -> Option<&OsStr> {
        let joined = self
            .words
            .first()?
            .as_bytes()
            .strip_prefix(option.as_bytes())?;
        match joined {
            [] => self.words.get(1).map(OsString::as_os_str),
            _ => Some(OsStr::from_bytes(joined)),
        }
    }
}

/// A source file and the object that comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The source as it was named.
    pub path: PathBuf,
    /// What the compiler takes it for.
    pub language: Language,
    /// Where the object goes.
    pub object: PathBuf,
}

/// What a command does, as far as we care.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing for us: preprocessing, questions, assembler, relocatable links, and whatever we do not know.
    Other,
    /// Sources to objects.
    Compile(Vec<Source>),
    /// A program or shared library, to this file.
    Link(PathBuf),
}

/// A compiler's command line.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// All tokens in order, response files expanded.
    pub tokens: Vec<Token>,
    cut_short: bool,
}

impl CommandLine {
    /// Reads the words that follow the compiler's name; `plain_c` is what this compiler makes of `.c`.
    pub fn parse(words: &[OsString], plain_c: Language) -> CommandLine {
        let mut tokens = Vec::new();
        let mut cut_short = false;
        let mut language = None;
        let mut words = response::expand(words).into_iter();
        while let Some(word) = words.next() {
            let mut token = Token {
                kind: kind(&word, language, plain_c),
                words: vec![word],
            };
            if options::takes_next(token.option()) {
                let next = words.next();
                cut_short |= next.is_none();
                token.words.extend(next);
            }
            if token.kind == Kind::Language {
                language = token.value("-x").and_then(Language::named);
            }
            tokens.push(token);
        }
        CommandLine { tokens, cut_short }
    }

    /// What the command does.
    pub fn task(&self) -> Task {
        let not_plain = |token: &Token| {
            options::is_not_plain(token.option()) || token.words.first().is_some_and(|w| w == "-")
        };
        if self.cut_short || self.tokens.iter().any(not_plain) {
            return Task::Other;
        }
        let compile_only = self
            .tokens
            .iter()
            .any(|token| token.kind == Kind::CompileOnly);
        let sources = self.sources();
        match (compile_only, sources.len()) {
            (true, 0) => Task::Other,
            (true, many) if many > 1 && self.output().is_some() => Task::Other,
            (true, _) if !sources.iter().any(|source| source.language.has_ir()) => Task::Other,
            (true, _) => Task::Compile(sources),
            (false, _) if self.links_something() => {
                Task::Link(self.output().unwrap_or("a.out".as_ref()).to_owned())
            }
            (false, _) => Task::Other,
        }
    }

    /// The value of the last `-o`.
    pub fn output(&self) -> Option<&Path> {
        let outputs = self
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Output);
        outputs
            .filter_map(|token| token.value("-o"))
            .next_back()
            .map(Path::new)
    }

    /// Every input that is compiled, with its object.
    pub fn sources(&self) -> Vec<Source> {
        let inputs = self.tokens.iter().filter_map(|token| match token.kind {
            Kind::Input(Language::Linked) => None,
            Kind::Input(language) => Some((Path::new(token.words.first()?), language)),
            _ => None,
        });
        inputs
            .map(|(path, language)| Source {
                path: path.to_owned(),
                language,
                object: self
                    .output()
                    .map_or_else(|| beside(path, "o"), Path::to_owned),
            })
            .collect()
    }

    /// Inputs that go to the linker as they are.
    pub fn linked_inputs(&self) -> impl Iterator<Item = &Path> {
        let linked = self
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Input(Language::Linked));
        linked
            .filter_map(|token| token.words.first())
            .map(Path::new)
    }

    /// Whether debug information was asked for; the last wish counts.
    pub fn wants_debug(&self) -> bool {
        let wishes = self
            .tokens
            .iter()
            .filter_map(|token| options::debug_wish(token.option()));
        wishes.fold(false, |_, wish| wish)
    }

    /// Whether any option is of this sort.
    pub fn has_option(&self, sort: impl Fn(&str) -> bool) -> bool {
        self.tokens.iter().any(|token| sort(token.option()))
    }

    fn links_something(&self) -> bool {
        let input = |token: &Token| {
            matches!(token.kind, Kind::Input(_)) || token.option().starts_with("-l")
        };
        self.tokens.iter().any(input)
    }
}

/// The file that a compiler writes in the current folder for a source: its stem with another end.
pub fn beside(source: &Path, end: &str) -> PathBuf {
    Path::new(source.file_name().unwrap_or_default()).with_extension(end)
}

fn kind(word: &OsStr, language: Option<Language>, plain_c: Language) -> Kind {
    if word == "-" || !word.as_bytes().starts_with(b"-") {
        return Kind::Input(
            language.unwrap_or_else(|| Language::of_file(Path::new(word), plain_c)),
        );
    }
    match word.to_str().unwrap_or_default() {
        "-c" => Kind::CompileOnly,
        option if option.starts_with("-o") => Kind::Output,
        option if option.starts_with("-x") => Kind::Language,
        option if option.starts_with("-M") => Kind::Dependency,
        option if options::feeds_preprocessor(option) => Kind::Preprocessor,
        _ => Kind::Other,
    }
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
