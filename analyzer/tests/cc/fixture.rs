//! A folder with sources, a small library that looks like the CUDA runtime, and `migfit-cc` under any name.

use migfit_schema::build::{
    BuildNote, BuiltProgram, CLANG_VARIABLE, HOST_COMPILER_CLANG, HOST_COMPILER_VARIABLE,
    LOG_VARIABLE, LogLine, REAL_PATH_VARIABLE, VIRTUAL_VARIABLE,
};
use migfit_schema::container::{PROFILE_SECTION, SUMMARY, append, seal, sealed_entries};
use migfit_schema::profile::Summary;
use object::{Object as _, ObjectSection as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What programs are compiled with beside us, to compare.
pub const CLANG: &str = "clang-19";

/// A source that calls the CUDA runtime.
pub const CALLS_CUDA: &str = "extern \"C\" int cudaMalloc(void **, unsigned long);\n\
    int needle(int n) { void *p; return cudaMalloc(&p, n * 4ul); }\n";

/// A `main` for it.
pub const MAIN: &str =
    "int needle(int);\nint main(int argc, char **) { return needle(argc) - 7; }\n";

/// The folder and what is in it.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// With these sources.
    pub fn new(sources: &[(&str, &str)]) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in sources {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("shims")).unwrap();
        Fixture { folder }
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file's bytes.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// `migfit-cc` under nvcc, with these words.
    pub fn cc(&self, words: &str) -> Call<'_> {
        self.call(Path::new(env!("CARGO_BIN_EXE_migfit-cc")), words)
    }

    /// `migfit-cc` as the shim of a compiler.
    pub fn shim(&self, name: &str, words: &str) -> Call<'_> {
        let link = self.path("shims").join(name);
        if !link.is_symlink() {
            symlink(env!("CARGO_BIN_EXE_migfit-cc"), &link).unwrap();
        }
        self.call(&link, words)
    }

    /// Another program.
    pub fn tool(&self, name: &str, words: &str) -> Output {
        let mut command = Command::new(name);
        command
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// A library that has the runtime's soname and its one function, which returns 7.
    pub fn with_cuda_runtime(self) -> Fixture {
        std::fs::write(
            self.path("runtime.c"),
            "int cudaMalloc(void **p, unsigned long n) { return 7; }\n",
        )
        .unwrap();
        let made = self.tool(
            CLANG,
            "-w -shared -fPIC -Wl,-soname,libcudart.so.13 runtime.c -o libcudart.so",
        );
        assert!(made.status.success(), "{made:?}");
        symlink("libcudart.so", self.path("libcudart.so.13")).unwrap();
        self
    }

    fn call(&self, program: &Path, words: &str) -> Call<'_> {
        let canned = self.path("canned");
        std::fs::write(&canned, container()).unwrap();
        let mut command = Command::new(program);
        command
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .env_remove("MIGFIT")
            .env_remove(VIRTUAL_VARIABLE)
            .env("XDG_DATA_HOME", self.path("data"))
            .env(CLANG_VARIABLE, CLANG)
            .env(HOST_COMPILER_VARIABLE, HOST_COMPILER_CLANG)
            .env(REAL_PATH_VARIABLE, std::env::var_os("PATH").unwrap())
            .env(LOG_VARIABLE, self.path("build.log"))
            .env(
                "MIGFIT_ANALYZE",
                concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cc/analyze.sh"),
            )
            .env("STAND_IN_LOG", self.path("analyzer.log"))
            .env("STAND_IN", canned);
        Call {
            fixture: self,
            command,
        }
    }

    /// The lines that the stand-in for the analyzer wrote.
    pub fn analyzer_log(&self) -> String {
        std::fs::read_to_string(self.path("analyzer.log")).unwrap_or_default()
    }

    /// What the build's log says of linked programs.
    pub fn built(&self) -> Vec<BuiltProgram> {
        let programs = self.log().into_iter().filter_map(|line| match line {
            LogLine::Linked(program) => Some(program),
            LogLine::Note(_) => None,
        });
        programs.collect()
    }

    /// The notes in the build's log.
    pub fn notes(&self) -> Vec<BuildNote> {
        let notes = self.log().into_iter().filter_map(|line| match line {
            LogLine::Note(note) => Some(note),
            LogLine::Linked(_) => None,
        });
        notes.collect()
    }

    fn log(&self) -> Vec<LogLine> {
        let log = std::fs::read_to_string(self.path("build.log")).unwrap_or_default();
        log.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The summary that a program carries.
    pub fn summary(&self, program: &str) -> Summary {
        let section = section(&self.read(program), PROFILE_SECTION).expect("a job profile");
        let entries = sealed_entries(&section).unwrap();
        let (_, json) = entries.iter().find(|(mark, _)| *mark == SUMMARY).unwrap();
        serde_json::from_slice(json).unwrap()
    }
}

/// One call that is about to happen.
pub struct Call<'a> {
    fixture: &'a Fixture,
    command: Command,
}

impl Call<'_> {
    /// With a variable set.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it.
    pub fn output(mut self) -> Output {
        self.command.output().unwrap()
    }

    /// Runs it; it must succeed and say nothing.
    pub fn quiet(self) {
        let fixture = self.fixture;
        let output = self.output();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?} in {:?}",
            fixture.folder
        );
    }
}

/// A section's bytes in an ELF file.
pub fn section(file: &[u8], name: &str) -> Option<Vec<u8>> {
    let elf = object::File::parse(file).unwrap();
    let section = elf.section_by_name(name)?;
    Some(section.data().unwrap().to_vec())
}

/// What the program's dynamic section says it needs.
pub fn needed(fixture: &Fixture, program: &str) -> String {
    let output = fixture.tool("readelf", &format!("-d {program}"));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter(|line| line.contains("NEEDED"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Text that a process said on standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn container() -> Vec<u8> {
    let summary = Summary::blank("canned");
    let mut container = Vec::new();
    append(
        &mut container,
        SUMMARY,
        &serde_json::to_vec(&summary).unwrap(),
    );
    seal(&mut container);
    container
}
