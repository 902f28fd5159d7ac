//! The C++ library's headers in, IR of its inline members out (src/ir/library.cpp), for the analyzer to carry with it.

use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "src/ir/library.cpp";

/// Bodies as the front end writes them.
const OPTIONS: [&str; 9] = [
    "-x",
    "c++",
    "-std=c++17",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-strict-return",
    "-emit-llvm",
    "-c",
];

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed={SOURCE}");
    println!("cargo::rerun-if-env-changed=MIGFIT_CLANG");
    let clang = std::env::var_os("MIGFIT_CLANG").unwrap_or_else(|| "clang-19".into());
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let status = Command::new(&clang)
        .args(OPTIONS)
        .args(["-U__OPTIMIZE__", "-D__NO_INLINE__=1", SOURCE, "-o"])
        .arg(PathBuf::from(folder).join("library.bc"))
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", clang.display())),
        Err(error) => Err(format!(
            "{} cannot be started: {error}; `cargo xtask setup` brings it",
            clang.display()
        )),
    }
}
