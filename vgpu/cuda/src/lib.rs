//! `libcuda.so.1` of the virtual GPU: the CUDA driver's C interface over `migfit-vgpu-device`. Kernels are checked
//! and counted, not run yet. Everything that is not done here says so: CUDA_ERROR_NOT_SUPPORTED, and its name in a log.

#[macro_use]
mod border;

mod contexts;
mod driver;
mod exports;
#[doc(hidden)]
pub mod fatbin;
mod handed_in;
mod handles;
mod host_memory;
mod images;
mod launching;
mod limits;
mod log;
mod names;
mod occupancy;
mod spans;
mod status;
mod streams;
mod variables;

#[cfg(test)]
mod tests;
