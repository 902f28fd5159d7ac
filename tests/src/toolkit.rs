//! The real nvcc: where it lies, and the PATH with it and the staged programs in front.

use crate::stage::Stage;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The toolkit's folder (`bin/nvcc`, `lib`, `include`): CUDA_PATH, or the private one of `cargo xtask setup`.
#[must_use]
pub fn find(private: &Path) -> Option<PathBuf> {
    let given = std::env::var_os("CUDA_PATH").map(PathBuf::from);
    let pythons = std::fs::read_dir(private.join("lib")).into_iter().flatten();
    let own = pythons
        .flatten()
        .map(|python| python.path().join("site-packages/nvidia/cu13"));
    given
        .into_iter()
        .chain(own)
        .find(|folder| folder.join("bin/nvcc").exists())
}

/// PATH with the staged programs and nvcc first.
///
/// # Panics
/// When there is no nvcc.
#[must_use]
pub fn path_variable(stage: &Stage) -> OsString {
    let toolkit = find(&stage.cuda()).expect("no nvcc: run `cargo xtask setup`, or set CUDA_PATH");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let first = [stage.program(""), toolkit.join("bin")];
    let all = first.into_iter().chain(std::env::split_paths(&old));
    std::env::join_paths(all).expect("no ':' in the names of these folders")
}
