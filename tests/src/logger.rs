//! The logging CUDA library (fixtures/logger), compiled once per test process.

use crate::{Sandbox, Stage, process, stage, toolkit};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The folder in which it lies as `libcudart.so.13`.
///
/// # Panics
/// When it cannot be compiled, or there is no toolkit.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<Sandbox> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Sandbox::new();
        let sources = stage::root().join("tests/fixtures/logger");
        let toolkit = toolkit::find(&Stage::ready().cuda()).expect("the toolkit was set up");
        let mut compiler = Command::new("g++");
        compiler
            .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-I"])
            .arg(toolkit.join("include"));
        compiler.args(["-Wl,-soname,libcudart.so.13", "-Wl,--default-symver", "-o"]);
        compiler.arg(folder.path("libcudart.so.13"));
        compiler.args([sources.join("log.cpp"), sources.join("cudart.cpp")]);
        process::output(&mut compiler).expect_success();
        folder
    });
    folder.folder()
}
