//! The logging CUDA libraries (fixtures/logger), compiled once per test process.

use crate::{Sandbox, Stage, process, stage, toolkit};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The folder in which they lie: `libcudart.so.13`, the driver as `libcuda.so.1` (for the linker `libcuda.so`), and
/// `libclosed.so` with the names of closed libraries.
///
/// # Panics
/// When one cannot be compiled, or there is no toolkit.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<Sandbox> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Sandbox::new();
        let runtime = folder.path("libcudart.so.13");
        let parts = [
            "log.cpp",
            "cudart.cpp",
            "device_code.cpp",
            "memory.cpp",
            "graph.cpp",
        ];
        let flags = ["-Wl,-soname,libcudart.so.13", "-Wl,--default-symver"];
        compile(&runtime, &parts, &flags);
        let driver = folder.path("libcuda.so.1");
        let beside = runtime.to_string_lossy();
        let flags = ["-Wl,-soname,libcuda.so.1", beside.as_ref()];
        compile(&driver, &["driver.cpp"], &flags);
        std::os::unix::fs::symlink(&driver, folder.path("libcuda.so")).expect("it is new");
        let closed = folder.path("libclosed.so");
        compile(&closed, &["closed.cpp"], &["-Wl,-soname,libclosed.so"]);
        folder
    });
    folder.folder()
}

fn compile(to: &Path, parts: &[&str], flags: &[&str]) {
    let sources = stage::root().join("tests/fixtures/logger");
    let toolkit = toolkit::find(&Stage::ready().cuda()).expect("the toolkit was set up");
    let mut compiler = Command::new("g++");
    compiler
        .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-I"])
        .arg(toolkit.join("include"));
    compiler.args(parts.iter().map(|part| sources.join(part)));
    compiler.args(flags).arg("-ldl").arg("-o").arg(to);
    process::output(&mut compiler).expect_success();
}
