//! clang's host IR of a generated program, and a program out of just that IR, linked with the logging library.

use migfit_tests::{Sandbox, process};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clang that makes IR: MIGFIT_CLANG, or version 19 by name.
fn clang(name: &str) -> Command {
    let given = std::env::var("MIGFIT_CLANG").ok();
    let mut command = Command::new(given.unwrap_or_else(|| name.to_owned()));
    process::clean(&mut command);
    command
}

/// Compiles a source to IR text.
pub fn ir(folder: &Sandbox, source: &str, form: &[&str]) -> PathBuf {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/random");
    folder.put("program.cu", source);
    // Any file will do as device code: it is there so that kernels are registered by name.
    folder.put("device", "none");
    let out = folder.path("program.ll");
    let mut command = clang("clang++-19");
    command
        .args([
            "-x",
            "cuda",
            "--cuda-host-only",
            "-nocudainc",
            "-nocudalib",
            "-w",
            "-fwrapv",
            "-std=c++17",
        ])
        .args([
            "-Xclang",
            "-target-sdk-version=12.4",
            "-Xclang",
            "-fcuda-include-gpubinary",
            "-Xclang",
        ])
        .arg(folder.path("device"))
        .args(form)
        .args(["-S", "-emit-llvm", "-I"])
        .arg(header)
        .arg(folder.path("program.cu"))
        .arg("-o")
        .arg(&out);
    process::output(&mut command).expect_success();
    out
}

/// Links a program out of IR; what clang says where it refuses (a mutation can make IR invalid).
pub fn program(folder: &Sandbox, ir: &Path) -> Result<PathBuf, String> {
    let out = folder.path("program");
    let mut command = clang("clang-19");
    command.args(["-w", "-O1", "-o"]).arg(&out).arg(ir);
    command
        .arg(migfit_tests::logger::folder().join("libcudart.so.13"))
        .args(["-lstdc++", "-lm"]);
    let outcome = process::output(&mut command);
    (outcome.code == 0).then_some(out).ok_or(outcome.stderr)
}
