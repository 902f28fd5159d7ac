//! Which libraries are the system's or CUDA's own: their functions have models, and nobody's job profile.

/// How names of the system's libraries and of CUDA's runtime and driver begin.
const LIBRARIES: [&str; 15] = [
    "libc.so",
    "libm.so",
    "libmvec.so",
    "libstdc++.so",
    "libgcc_s.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "ld-linux",
    "libgomp.so",
    "libomp.so",
    "libcudart.so",
    "libcuda.so",
    "libnvidia-ml.so",
    "libatomic.so",
];

/// Whether a library of this name is the system's or CUDA's runtime, driver or management library.
#[must_use]
pub fn is_system(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    LIBRARIES.iter().any(|start| file.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_system;

    #[test]
    fn the_system_s_are_told_from_others() {
        assert!(is_system("libc.so.6") && is_system("/opt/cuda/lib/libcudart.so.13"));
        assert!(!is_system("libcublas.so.13") && !is_system("libcompute.so"));
    }
}
