//! The virtual GPU behind NVML's C interface, as `libnvidia-ml.so.1`: calls in, answers and NVML's codes out.
//! The state and its rules are crate `migfit-vgpu-device`'s; here they only get NVML's names, structures and codes.

#[macro_use]
mod border;

mod code;

mod faults;

mod handle;

mod library;

mod exports;

mod stubs;

#[cfg(test)]
mod tests;
