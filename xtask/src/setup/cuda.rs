//! The CUDA compiler: `CUDA_PATH` where set, else NVIDIA's Python wheels in a private folder of the target
//! folder, pinned by version and hash. The wheels lack the `libcudart.so` link that `-cudart shared` needs.

use crate::error::{ChoreError, file};
use crate::{paths, process};
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = include_str!("../../cuda-requirements.txt");

/// Installs nvcc where it is missing.
pub fn install_missing() -> Result<(), ChoreError> {
    if let Some(toolkit) = std::env::var_os("CUDA_PATH").map(PathBuf::from) {
        if !toolkit.join("bin/nvcc").exists() {
            return Err(ChoreError::Toolkit { path: toolkit });
        }
        println!(
            "==> nvcc: {} (from CUDA_PATH)",
            toolkit.join("bin/nvcc").display()
        );
        return Ok(());
    }
    let stamp = venv().join("installed-requirements.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == REQUIREMENTS) {
        println!("==> nvcc: there");
        return Ok(());
    }
    println!(
        "==> nvcc: installing CUDA 13.5's compiler into the target folder (about 150 MB; under a minute)"
    );
    install()?;
    std::fs::write(&stamp, REQUIREMENTS).map_err(file("write", &stamp))
}

/// Folder of the toolkit: has `bin/nvcc`, `lib`, `include`.
pub fn toolkit() -> Result<PathBuf, ChoreError> {
    if let Some(toolkit) = std::env::var_os("CUDA_PATH") {
        return Ok(PathBuf::from(toolkit));
    }
    let lib = venv().join("lib");
    let pythons = std::fs::read_dir(&lib).map_err(file("read", &lib))?;
    let mut candidates = pythons
        .flatten()
        .map(|entry| entry.path().join("site-packages/nvidia/cu13"));
    candidates
        .find(|folder| folder.join("bin/nvcc").exists())
        .ok_or_else(|| ChoreError::Unexpected {
            what: format!("no nvcc below {}", lib.display()),
            hint: "run `cargo xtask setup`".to_owned(),
        })
}

/// `PATH` with the toolkit's programs and the staged ones first.
pub fn path_variable() -> Result<std::ffi::OsString, ChoreError> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let first = [paths::prefix().join("bin"), toolkit()?.join("bin")];
    let all = first.into_iter().chain(std::env::split_paths(&old));
    std::env::join_paths(all).map_err(|error| ChoreError::Unexpected {
        what: format!("PATH cannot be extended: {error}"),
        hint: "move the repository to a folder without ':' in its name".to_owned(),
    })
}

fn venv() -> PathBuf {
    paths::prefix().join("cuda")
}

fn install() -> Result<(), ChoreError> {
    let hint = "pip's message is above; a proxy or mirror is set with PIP_INDEX_URL, an installed toolkit with CUDA_PATH";
    let venv = venv();
    std::fs::create_dir_all(paths::prefix()).map_err(file("create", paths::prefix()))?;
    process::quiet(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&venv),
        "install python3-venv",
    )?;
    let requirements = paths::root().join("xtask/cuda-requirements.txt");
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
    ]);
    process::quiet(
        pip.args(["--require-hashes", "-r"]).arg(&requirements),
        hint,
    )?;
    link_runtime(&toolkit()?.join("lib"))
}

/// Adds `libcudart.so`, the name that the linker looks for.
fn link_runtime(lib: &Path) -> Result<(), ChoreError> {
    let link = lib.join("libcudart.so");
    if link.exists() {
        return Ok(());
    }
    std::os::unix::fs::symlink("libcudart.so.13", &link).map_err(file("link", &link))
}
