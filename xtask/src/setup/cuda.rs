//! The CUDA compiler: `CUDA_PATH` where set, else NVIDIA's Python wheels in a private folder of the target
//! folder, pinned by version and hash. The wheels lack the `libcudart.so` link that `-cudart shared` needs.

use super::python::{Environment, Form};
use crate::error::{ChoreError, file};
use crate::paths;
use std::path::{Path, PathBuf};

const REQUIREMENTS: &str = include_str!("../../cuda-requirements.txt");

/// Installs nvcc where it is missing, and links the toolkit as `target/migfit/toolkit`, where `migfit build` looks
/// when no nvcc is in PATH.
pub fn install_missing() -> Result<(), ChoreError> {
    match std::env::var_os("CUDA_PATH").map(PathBuf::from) {
        Some(toolkit) if !toolkit.join("bin/nvcc").exists() => {
            return Err(ChoreError::Toolkit { path: toolkit });
        }
        Some(toolkit) => println!(
            "==> nvcc: {} (from CUDA_PATH)",
            toolkit.join("bin/nvcc").display()
        ),
        None => install_wheels()?,
    }
    link_toolkit(&toolkit()?, &paths::prefix().join("toolkit"))
}

fn install_wheels() -> Result<(), ChoreError> {
    if environment().holds(REQUIREMENTS) {
        println!("==> nvcc: there");
        return Ok(());
    }
    println!(
        "==> nvcc: installing CUDA 13.5's compiler into the target folder (about 150 MB; under a minute)"
    );
    install()?;
    environment().note(REQUIREMENTS)
}

/// Makes or renews a link.
fn link_toolkit(toolkit: &Path, link: &Path) -> Result<(), ChoreError> {
    if std::fs::read_link(link).is_ok_and(|old| old == toolkit) {
        return Ok(());
    }
    if link.is_symlink() {
        std::fs::remove_file(link).map_err(file("remove", link))?;
    }
    std::fs::create_dir_all(paths::prefix()).map_err(file("create", paths::prefix()))?;
    std::os::unix::fs::symlink(toolkit, link).map_err(file("link", link))
}

/// Folder of the toolkit: has `bin/nvcc`, `lib`, `include`.
pub fn toolkit() -> Result<PathBuf, ChoreError> {
    if let Some(toolkit) = std::env::var_os("CUDA_PATH") {
        return Ok(PathBuf::from(toolkit));
    }
    let lib = environment().folder().join("lib");
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

fn environment() -> Environment {
    Environment::named("cuda")
}

fn install() -> Result<(), ChoreError> {
    let hint = "pip's message is above; a proxy or mirror is set with PIP_INDEX_URL, an installed toolkit with CUDA_PATH";
    environment().make()?;
    environment().install("cuda-requirements.txt", &Form::Wheels, hint)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_another_toolkit_is_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("toolkit");
        for toolkit in ["one", "one", "two"] {
            link_toolkit(Path::new(toolkit), &link).unwrap();
            assert_eq!(std::fs::read_link(&link).unwrap(), Path::new(toolkit));
        }
    }
}
