//! The programs of the corpus, built and kept under target/corpus by the content of their source: an object with host
//! IR for the analyzer, and a program by nvcc alone that runs under the logging library.

use crate::fixture::Fixture;
use migfit_tests::{Sandbox, Stage, process, source::tool, stage, toolkit};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// How IR is asked for: objects made in another way are made again.
const HOW: &str = include_str!("../../analyzer/src/cc/ir.rs");

fn kept(fixture: &Fixture, what: &str, more: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (&fixture.text, &fixture.flags, more).hash(&mut hasher);
    let folder = stage::target().join("corpus");
    std::fs::create_dir_all(&folder).expect("target can be written");
    folder.join(format!("{}-{:016x}.{what}", fixture.name, hasher.finish()))
}

/// Makes a file unless it is there: first under another name, so that half a file is never taken for a whole one.
fn made(path: &Path, make: impl FnOnce(&Path)) {
    if !path.is_file() {
        let name = path.file_name().expect("it has a name").to_string_lossy();
        let new = path.with_file_name(format!("new-{}-{name}", std::process::id()));
        make(&new);
        std::fs::rename(&new, path).expect("a file can be renamed");
    }
}

/// The object that `migfit build` makes.
pub fn object(fixture: &Fixture) -> PathBuf {
    let path = kept(fixture, "o", HOW);
    made(&path, |new| {
        let mut build = tool(Stage::ready().program("migfit"));
        build
            .args(["build", "--", "nvcc", "-w", "-c"])
            .args(&fixture.flags);
        build.arg(&fixture.path).arg("-o").arg(new);
        process::output(&mut build).expect_success();
    });
    path
}

/// The program that nvcc alone makes.
pub fn program(fixture: &Fixture) -> PathBuf {
    let path = kept(fixture, "program", "");
    made(&path, |new| {
        let mut nvcc = tool("nvcc".into());
        nvcc.args([
            "-w",
            "-cudart",
            "shared",
            "-gencode",
            "arch=compute_80,code=compute_80",
        ]);
        nvcc.args(&fixture.flags)
            .arg(&fixture.path)
            .arg("-o")
            .arg(new);
        process::output(&mut nvcc).expect_success();
    });
    path
}

/// The folder of the logging library, which stands in for the CUDA runtime.
pub fn logger() -> &'static Path {
    static FOLDER: OnceLock<Sandbox> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Sandbox::new();
        let sources = stage::root().join("tests/fixtures/logger");
        let include = toolkit::find(&Stage::ready().cuda())
            .expect("the toolkit was set up")
            .join("include");
        let mut compiler = Command::new("g++");
        compiler
            .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-I"])
            .arg(include);
        compiler.args(["-Wl,-soname,libcudart.so.13", "-Wl,--default-symver", "-o"]);
        compiler.arg(folder.path("libcudart.so.13"));
        compiler.args([sources.join("log.cpp"), sources.join("cudart.cpp")]);
        process::output(&mut compiler).expect_success();
        folder
    });
    folder.folder()
}
