//! Rows of closed libraries (cuBLAS, cuFFT ...) by the words in their functions' names: a status comes back; what is
//! not listed here may write through every pointer that it is given.

use super::letters::{Effect, Returns, plain};
use migfit_schema::closed::library;

/// The effect of a function, when it is a closed library's.
pub fn effect(name: &str) -> Option<Effect> {
    let library = library(name)?;
    let has = |word: &str| name.contains(word);
    // The name that it was given serves for the lowered one: as with a stranger, pointers go anywhere.
    if name == "nvrtcGetLoweredName" {
        return None;
    }
    if library == "NVRTC" {
        return Some(plain(compiler(name), Returns::Status));
    }
    let stays_on_device = (library == "cuBLAS" && computes(name)) || name.starts_with("cufftExec");
    let only_reads = name == "cublasSetVector" || name == "cublasSetMatrix" || has("SetStream");
    let letters = if library == "NVTX" || has("Destroy") {
        "-"
    } else if has("Create") || name.starts_with("cufftPlan") {
        "w-"
    } else if stays_on_device || only_reads {
        "-"
    } else {
        "b"
    };
    Some(plain(letters, Returns::Status))
}

/// NVRTC compiles for the device: names go in, sizes and code come out.
fn compiler(name: &str) -> &'static str {
    match name {
        "nvrtcAddNameExpression" | "nvrtcCompileProgram" => "-",
        "nvrtcCreateProgram" | "nvrtcDestroyProgram" => "w-",
        _ if name.starts_with("nvrtcGet") => "-w",
        _ => "b",
    }
}

/// Calls of cuBLAS whose results lie on the device.
fn computes(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "gemm", "gemv", "axpy", "scal", "copy", "swap", "ger", "trsm", "trsv", "syrk", "symm",
        "symv", "trmm", "geam",
    ];
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::effects::Use;

    #[test]
    fn a_handle_is_written_and_a_product_stays_on_the_device() {
        let of = |name: &str, index: usize| effect(name).unwrap().of_argument(index);
        assert_eq!(of("cublasCreate_v2", 0), Use::Writes);
        assert_eq!(of("cublasSgemm_v2", 6), Use::Value);
        assert_eq!(of("cublasDdot_v2", 6), Use::Both);
        assert_eq!(of("cusolverDnDgetrf_bufferSize", 5), Use::Both);
        assert_eq!(of("cublasGetMatrix", 5), Use::Both);
        assert_eq!(of("nvrtcAddNameExpression", 1), Use::Value);
        assert_eq!(of("nvrtcGetPTXSize", 1), Use::Writes);
        assert!(effect("cudaMalloc").is_none());
    }
}
