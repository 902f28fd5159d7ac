//! `libcuda.so.1` of the virtual GPU: the CUDA driver's C interface over `migfit-vgpu-device`. Kernels run
//! on the CPU. Everything that is not done here says so: CUDA_ERROR_NOT_SUPPORTED, and its name in a log.

#[macro_use]
mod border;

mod arguments;
mod arrays;
mod capture;
mod contexts;
mod copying;
mod driver;
mod execution;
mod exports;
#[doc(hidden)]
mod graphs;
mod handed_in;
mod handles;
mod hints;
mod host_calls;
mod host_memory;
mod images;
mod initial;
mod launching;
mod limits;
mod log;
mod mapping;
mod names;
mod observed;
mod occupancy;
mod pools;
mod spans;
mod status;
mod streams;
mod textures;
mod times;
mod uses;
mod variables;
mod virtual_memory;
mod work;

#[cfg(test)]
mod tests;
