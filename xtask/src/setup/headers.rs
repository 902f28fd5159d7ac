//! CUDA 12 headers for clang, which reads none of CUDA 13: NVIDIA's wheels in a private folder, and a folder in which
//! they lie as in a toolkit. Only `cargo xtask test` needs them.

use super::python::{Environment, Form};
use crate::error::{ChoreError, file};
use crate::paths;
use std::path::{Path, PathBuf};

const REQUIREMENTS: &str = include_str!("../../headers-requirements.txt");

/// The packages that hold headers.
const PACKAGES: [&str; 3] = ["cuda_runtime", "cuda_nvcc", "cuda_cccl"];

/// A header of cuRAND's that clang's own header includes, for the sake of one macro; no package of that size for it.
const CURAND: &str = "curand_mtgp32_kernel.h";

/// Installs them where they are missing.
pub fn install_missing() -> Result<(), ChoreError> {
    let environment = Environment::named("headers");
    if environment.holds(REQUIREMENTS) {
        println!("==> CUDA 12 headers for clang: there");
        return Ok(());
    }
    println!("==> CUDA 12 headers for clang: installing into the target folder (25 MB)");
    let hint = "pip's message is above; a proxy or mirror is set with PIP_INDEX_URL";
    environment.make()?;
    environment.install("headers-requirements.txt", &Form::Wheels, hint)?;
    lay_out(
        &packages(&environment)?,
        &paths::prefix().join("clang-cuda"),
    )?;
    environment.note(REQUIREMENTS)
}

fn packages(environment: &Environment) -> Result<PathBuf, ChoreError> {
    let lib = environment.folder().join("lib");
    let pythons = std::fs::read_dir(&lib).map_err(file("read", &lib))?;
    let mut folders = pythons
        .flatten()
        .map(|entry| entry.path().join("site-packages/nvidia"));
    folders
        .find(|folder| folder.is_dir())
        .ok_or_else(|| ChoreError::Unexpected {
            what: format!("no packages below {}", lib.display()),
            hint: "remove that folder and run `cargo xtask test` again".to_owned(),
        })
}

/// Links what the packages hold into one `include`, beside the empty folders by which clang knows a toolkit.
fn lay_out(packages: &Path, toolkit: &Path) -> Result<(), ChoreError> {
    if toolkit.exists() {
        std::fs::remove_dir_all(toolkit).map_err(file("remove", toolkit))?;
    }
    let include = toolkit.join("include");
    for folder in [&include, &toolkit.join("bin"), &toolkit.join("lib64")] {
        std::fs::create_dir_all(folder).map_err(file("create", folder))?;
    }
    for package in PACKAGES {
        let folder = packages.join(package).join("include");
        let headers = std::fs::read_dir(&folder).map_err(file("read", &folder))?;
        for header in headers.flatten() {
            let link = include.join(header.file_name());
            if !link.exists() {
                std::os::unix::fs::symlink(header.path(), &link).map_err(file("link", &link))?;
            }
        }
    }
    let curand = include.join(CURAND);
    std::fs::write(&curand, "").map_err(file("write", &curand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_of_all_packages_lie_in_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        for (package, header) in PACKAGES
            .iter()
            .zip(["cuda.h", "fatbinary_section.h", "cub"])
        {
            let include = folder.path().join(package).join("include");
            std::fs::create_dir_all(&include).unwrap();
            std::fs::write(include.join(header), "").unwrap();
            std::fs::write(include.join("__init__.py"), "").unwrap();
        }
        let toolkit = folder.path().join("toolkit");
        for _ in 0..2 {
            lay_out(folder.path(), &toolkit).unwrap();
        }
        for header in ["cuda.h", "fatbinary_section.h", "cub", CURAND] {
            assert!(toolkit.join("include").join(header).exists(), "{header}");
        }
    }
}
