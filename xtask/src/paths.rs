//! Where things lie in the repository and in the target folder.

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Where cargo leaves what it built.
pub fn built() -> PathBuf {
    target().join("debug")
}

/// The staged installation: `bin`, `lib/migfit`, `lib/migfit/vgpu`, `cuda`.
pub fn prefix() -> PathBuf {
    target().join("migfit")
}

/// A staged program.
pub fn program(name: &str) -> PathBuf {
    prefix().join("bin").join(name)
}
