//! Builds the fake driver and the test programs with `cc` in a folder of their own, runs programs with the runtime
//! preloaded, and reads the run records they leave.

use migfit_schema::record::{RunRecord, read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub struct Stage {
    folder: TempDir,
}

impl Stage {
    /// An empty stage: no driver.
    pub fn bare() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("records")).unwrap();
        Stage { folder }
    }

    /// A stage with the fake driver; `options` go to its compiler.
    pub fn with_driver(options: &[&str]) -> Stage {
        let stage = Stage::bare();
        let stubs = stage.path("stubs.c");
        std::fs::write(
            &stubs,
            stubs_of(&std::fs::read_to_string(source("fake/forms.txt")).unwrap()),
        )
        .unwrap();
        let versions = stage.path("versions");
        std::fs::write(&versions, "FAKE_1 { global: *; };\n").unwrap();
        let driver = stage.path("libcuda.so.1");
        let mut cc = compiler();
        cc.args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"])
            .arg(&driver)
            // What a driver hands out are its own functions, whoever else exports their names.
            .arg("-Wl,-Bsymbolic-functions")
            .arg(format!("-Wl,--version-script={}", versions.display()));
        finish(
            cc.args(options)
                .arg(source("fake/driver.c"))
                .arg(stubs)
                .arg("-ldl"),
        );
        stage
    }

    /// Builds a program that finds the driver by way `way` (programs/ways.h).
    pub fn program(&self, name: &str, way: u32) -> PathBuf {
        let program = self.path(&format!("{name}-{way}"));
        let mut cc = compiler();
        cc.arg(format!("-DWAY={way}")).arg("-o").arg(&program);
        cc.arg(source(&format!("programs/{name}.c")));
        if way == 1 {
            cc.arg(self.path("libcuda.so.1"));
        }
        finish(cc.args(["-pthread", "-ldl"]));
        program
    }

    /// Builds a library that stands between as well.
    pub fn library(&self, name: &str) -> PathBuf {
        let library = self.path(&format!("lib{name}.so"));
        let mut cc = compiler();
        cc.args(["-shared", "-fPIC", "-o"]).arg(&library);
        finish(cc.arg(source(&format!("programs/{name}.c"))).arg("-ldl"));
        library
    }

    /// A command that runs with the runtime preloaded, finds the fake driver, and keeps records.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.plain(program);
        command.env("LD_PRELOAD", runtime());
        command
    }

    /// The same without the runtime.
    pub fn plain(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path())
            .env("LD_LIBRARY_PATH", self.folder.path())
            .env("MIGFIT_RECORD_DIR", self.records_folder())
            .env_remove("LD_PRELOAD")
            .env_remove("MIGFIT");
        command
    }

    pub fn records_folder(&self) -> PathBuf {
        self.path("records")
    }

    /// All records, by pid.
    pub fn records(&self) -> Vec<RunRecord> {
        let files = std::fs::read_dir(self.records_folder()).unwrap();
        let mut records: Vec<_> = files
            .map(|file| {
                let path = file.unwrap().path();
                let record = read(&std::fs::read(&path).unwrap()).unwrap();
                let stem = path.file_stem().unwrap().to_str().unwrap();
                let name = format!("{}-{}", record.pid, record.start_time);
                assert!(stem == name || stem == format!("{name}-2"), "{stem}");
                record
            })
            .collect();
        records.sort_by_key(|record| record.pid);
        records
    }

    /// The only record.
    pub fn record(&self) -> RunRecord {
        let mut records = self.records();
        assert_eq!(records.len(), 1, "{records:?}");
        records.remove(0)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The preloaded library that cargo has built beside this test.
pub fn runtime() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // Beside the test in `deps`: only `cargo build` copies it one folder up.
    let library = test.with_file_name("libmigfit_runtime.so");
    assert!(library.exists(), "{} is not built", library.display());
    library
}

/// A file of this crate's tests folder.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// Standard output as text, of a command that must run.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compiler() -> Command {
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-w"]);
    cc
}

fn finish(command: &mut Command) {
    let output = command
        .output()
        .expect("these tests need a C compiler named cc");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// C text: a weak stub for each form, and the table that the fake `cuGetProcAddress` reads.
fn stubs_of(forms: &str) -> String {
    let lines = || forms.lines().filter(|line| !line.starts_with('#'));
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut text = String::new();
    for name in lines().map(|line| words(line).remove(0)) {
        text += &format!("__attribute__((weak)) int {name}(void) {{ return 801; }}\n");
    }
    text += "const struct { const char *name, *base; int since, thread; void *function; } fake_forms[] = {\n";
    for row in lines().map(words) {
        let thread = i32::from(row[3] == "thread");
        text += &format!(
            "{{\"{0}\", \"{1}\", {2}, {thread}, {0}}},\n",
            row[0], row[1], row[2]
        );
    }
    text + "{0}};\n"
}
