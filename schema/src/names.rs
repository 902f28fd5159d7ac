//! What names of CUDA's calls tell of them, for those who must agree on it.

/// Whether a call of this name (plain, or mangled as a typed overload) takes device memory.
#[must_use]
pub fn takes_device_memory(name: &str) -> bool {
    const WITHIN: [&str; 5] = [
        "cudaMalloc",
        "cuMemAlloc",
        "cuMemCreate",
        "cuArrayCreate",
        "cuArray3DCreate",
    ];
    const HOST: [&str; 2] = ["cudaMallocHost", "cuMemAllocHost"];
    WITHIN.iter().any(|part| name.contains(part)) && !HOST.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_memory_is_told_from_the_hosts() {
        for name in [
            "cudaMalloc",
            "_Z10cudaMallocIfE9cudaErrorPPT_m",
            "cudaMallocAsync_ptsz",
            "cuMemAlloc_v2",
        ] {
            assert!(takes_device_memory(name), "{name}");
        }
        for name in [
            "malloc",
            "cudaMallocHost",
            "cudaHostAlloc",
            "cudaFree",
            "cuMemAllocHost_v2",
        ] {
            assert!(!takes_device_memory(name), "{name}");
        }
    }
}
