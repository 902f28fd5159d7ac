//! Rows of the CUDA runtime and driver: a status comes back; what stands here says what is written to host memory.

use super::cuda_rows::RUNTIME;
use super::driver_rows::DRIVER;
use super::letters::{Effect, Returns, plain};

/// The effect of a function, when it is one of CUDA's.
pub fn effect(name: &str) -> Option<Effect> {
    match name {
        "__cudaPopCallConfiguration" => return Some(plain("w", Returns::Status)),
        // Not success where a launch or an allocation failed.
        "cudaGetLastError" | "cudaPeekAtLastError" => return Some(plain("-", Returns::Value)),
        "cudaGetErrorString" | "cudaGetErrorName" => return Some(plain("-", Returns::Hidden)),
        _ if moves_by_structure(name) => return None,
        _ => {}
    }
    let name = name
        .strip_suffix("_ptsz")
        .or_else(|| name.strip_suffix("_ptds"))
        .unwrap_or(name);
    let row = rows().find(|(_, names)| names.contains(&name));
    match row {
        Some((letters, _)) => Some(plain(letters, Returns::Status)),
        None if name.starts_with("__cuda") => Some(plain("-", Returns::Status)),
        // One that nobody listed may write through every pointer that it is given.
        None if is_cuda(name) => Some(plain("b", Returns::Status)),
        None => None,
    }
}

/// Copies whose ends hang from a structure: like a stranger, they may touch all that it leads to.
pub fn moves_by_structure(name: &str) -> bool {
    matches!(
        name,
        "cudaMemcpy3D"
            | "cudaMemcpy3DAsync"
            | "cudaMemcpy3DPeer"
            | "cuMemcpy2D_v2"
            | "cuMemcpy2DUnaligned_v2"
            | "cuMemcpy2DAsync_v2"
            | "cuMemcpy3D_v2"
            | "cuMemcpy3DAsync_v2"
    )
}

fn rows() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    RUNTIME.iter().chain(DRIVER)
}

/// Calls of the runtime (`cudaX`) and the driver (`cuX`).
fn is_cuda(name: &str) -> bool {
    let upper = |rest: &str| rest.starts_with(|first: char| first.is_ascii_uppercase());
    name.strip_prefix("cuda").is_some_and(upper) || name.strip_prefix("cu").is_some_and(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::effects::Use;

    #[test]
    fn no_function_stands_in_two_rows() {
        let mut names: Vec<&str> = rows().flat_map(|(_, names)| *names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_is_not_listed_writes_through_its_pointers() {
        let unlisted = effect("cudaSomethingNew").unwrap();
        assert_eq!(unlisted.of_argument(3), Use::Both);
        assert!(effect("cublasCreate_v2").is_none() && effect("cube").is_none());
        assert_eq!(
            effect("cudaMemcpyAsync_ptsz").unwrap().of_argument(0),
            Use::Writes
        );
        assert_eq!(effect("cudaFree").unwrap().of_argument(0), Use::Value);
    }
}
