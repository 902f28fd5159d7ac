//! `libcudart.so.13` of the virtual GPU, and with the feature `twelve` `libcudart.so.12`: a thin CUDA runtime. It reaches the driver as NVIDIA's does, through
//! `cuGetProcAddress` of a `libcuda.so.1` that it opens, so whoever hooks the driver sees its calls. It knows no GPU.

#[macro_use]
mod border;

mod bound;
mod channels;
mod code;
mod driver;
mod error;
mod exports;
#[cfg(feature = "twelve")]
mod older;
mod properties;
mod regions;
mod structures;
mod stubs;
mod textures;
