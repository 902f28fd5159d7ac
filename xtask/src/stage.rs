//! Builds the workspace and lays it out under target/migfit as an installed migfit would be: programs in
//! `bin`, the runtime in `lib/migfit`, the virtual GPU's libraries under their real names in `lib/migfit/vgpu`.

use crate::error::{ChoreError, file};
use crate::{paths, process};
use std::path::Path;
use std::process::Command;

/// (what cargo builds, where it is laid).
const STAGED: &[(&str, &str)] = &[
    ("migfit", "bin/migfit"),
    ("migfit-cc", "bin/migfit-cc"),
    ("migfit-analyze", "bin/migfit-analyze"),
    ("libmigfit_runtime.so", "lib/migfit/libmigfit_runtime.so"),
    (
        "libmigfit_vgpu_nvml.so",
        "lib/migfit/vgpu/libnvidia-ml.so.1",
    ),
    ("libmigfit_vgpu_cuda.so", "lib/migfit/vgpu/libcuda.so.1"),
    (
        "libmigfit_vgpu_cudart.so",
        "lib/migfit/vgpu/libcudart.so.13",
    ),
    (
        "libmigfit_vgpu_cudart12.so",
        "lib/migfit/vgpu/libcudart.so.12",
    ),
];

/// Cargo packages that the staged files come from.
const PACKAGES: &[&str] = &[
    "migfit",
    "migfit-analyzer",
    "migfit-runtime",
    "migfit-vgpu-nvml",
    "migfit-vgpu-cuda",
    "migfit-vgpu-cudart",
    "migfit-vgpu-cudart12",
];

/// The package of the command `migfit` alone: it needs neither LLVM nor CUDA.
const LAUNCHER: &str = "migfit";

/// Builds and stages; a file that did not change is left alone.
pub fn run(quiet: bool) -> Result<(), ChoreError> {
    let mut cargo = build(PACKAGES);
    let hint = "the compiler's message is above; `cargo xtask setup` brings LLVM when that is what is missing";
    if quiet {
        process::quiet(&mut cargo, hint)?;
    } else {
        println!("==> building migfit (two or three minutes the first time, seconds after)");
        process::run(&mut cargo, hint)?;
    }
    lay_all(|_| true)
}

/// Builds and stages the command `migfit` alone, which any machine with Rust can.
pub fn launcher() -> Result<(), ChoreError> {
    println!("==> building the command migfit, without LLVM and CUDA (a minute the first time)");
    process::run(&mut build(&[LAUNCHER]), "the compiler's message is above")?;
    lay_all(|built| built == LAUNCHER)
}

fn build(packages: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("build").current_dir(paths::root());
    for package in packages {
        cargo.args(["--package", package]);
    }
    cargo
}

fn lay_all(wanted: impl Fn(&str) -> bool) -> Result<(), ChoreError> {
    let mut files = STAGED.iter().filter(|(built, _)| wanted(built));
    files.try_for_each(|(from, to)| lay(&paths::built().join(from), &paths::prefix().join(to)))
}

/// Copies beside the place and renames: a running program keeps the file that it has open.
fn lay(from: &Path, to: &Path) -> Result<(), ChoreError> {
    let contents = std::fs::read(from).map_err(file("read", from))?;
    if std::fs::read(to).is_ok_and(|staged| staged == contents) {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder).map_err(file("create", folder))?;
    let fresh = to.with_extension(format!("new-{}", std::process::id()));
    std::fs::copy(from, &fresh).map_err(file("write", &fresh))?;
    std::fs::rename(&fresh, to).map_err(file("write", to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staging_replaces_a_changed_file_and_keeps_an_equal_one() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("deep/b.so.1"));
        std::fs::write(&from, "one").unwrap();
        lay(&from, &to).unwrap();
        let first = std::fs::metadata(&to).unwrap().modified().unwrap();
        lay(&from, &to).unwrap();
        assert_eq!(std::fs::metadata(&to).unwrap().modified().unwrap(), first);
        std::fs::write(&from, "two").unwrap();
        lay(&from, &to).unwrap();
        assert_eq!(std::fs::read(&to).unwrap(), b"two");
    }
}
