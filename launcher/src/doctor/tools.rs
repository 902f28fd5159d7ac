//! What `migfit build` needs of the machine: a clang whose bitcode migfit reads, and nvcc; with their versions.

use crate::build;
use crate::doctor::finding::{Finding, State};
use std::path::Path;
use std::process::Command;

/// Findings about compilers.
#[must_use]
pub fn tools() -> Vec<Finding> {
    vec![clang(), nvcc()]
}

fn clang() -> Finding {
    match build::clang_here() {
        Ok(path) => Finding::ok("build.clang", told("clang", &path, "version ")),
        Err(error) => Finding::new(
            "build.clang",
            State::NotHere,
            format!("migfit build does not work here: {error}"),
            error.hint(),
        ),
    }
}

fn nvcc() -> Finding {
    match build::nvcc_here() {
        Some(path) => Finding::ok("build.nvcc", told("nvcc", &path, "release ")),
        None => Finding::new(
            "build.nvcc",
            State::NotHere,
            "migfit build does not work here: no nvcc is in PATH",
            "export PATH=/usr/local/cuda/bin:$PATH, or install the CUDA toolkit; cargo xtask setup brings one",
        ),
    }
}

/// `clang 19.1.7 (/usr/bin/clang-19)`.
fn told(name: &str, path: &Path, mark: &str) -> String {
    let output = Command::new(path).arg("--version").output();
    let text = output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    let version = version(&text, mark).unwrap_or("of a version that it does not tell");
    format!("{name} {version} ({})", path.display())
}

/// The word behind a mark, without the comma that ends it.
fn version<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(mark)?;
    let word = rest.split_whitespace().next()?;
    Some(word.trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_compilers_print() {
        let nvcc = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.5, V13.5.1\n";
        assert_eq!(version(nvcc, "release "), Some("13.5"));
        let clang = "Debian clang version 19.1.7 (3~deb12u1)\nTarget";
        assert_eq!(version(clang, "version "), Some("19.1.7"));
        assert_eq!(version("", "version "), None);
    }
}
