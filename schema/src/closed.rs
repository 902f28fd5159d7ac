//! Closed libraries (cuBLAS, cuFFT ...) by the names of their functions: their code cannot be looked into, their own
//! device memory is told apart from a program's. Knows names only.

/// A library by the beginning of its functions' names, as people call it.
const LIBRARIES: [(&str, &str); 13] = [
    ("cublas", "cuBLAS"),
    ("cufft", "cuFFT"),
    ("cusparse", "cuSPARSE"),
    ("cusolver", "cuSOLVER"),
    ("curand", "cuRAND"),
    ("cudnn", "cuDNN"),
    ("cutensor", "cuTENSOR"),
    ("nccl", "NCCL"),
    ("nvjpeg", "nvJPEG"),
    ("npp", "NPP"),
    ("nvgraph", "nvGRAPH"),
    ("nvrtc", "NVRTC"),
    ("nvtx", "NVTX"),
];

/// The library that a function belongs to.
pub fn library(name: &str) -> Option<&'static str> {
    let of = |start: &str| {
        name.strip_prefix(start).is_some_and(|rest| {
            rest.starts_with(|next: char| next.is_ascii_uppercase() || next == 'i')
        })
    };
    let found = LIBRARIES.iter().find(|(start, _)| of(start));
    found.map(|(_, library)| *library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_by_name() {
        assert_eq!(library("cublasSgemm_v2"), Some("cuBLAS"));
        assert_eq!(library("cusolverDnDgetrf_bufferSize"), Some("cuSOLVER"));
        assert_eq!(library("nppiFilter_8u_C1R"), Some("NPP"));
        assert_eq!(library("cublas"), None);
        assert_eq!(library("ncclarity"), None);
    }
}
