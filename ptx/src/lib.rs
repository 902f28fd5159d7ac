//! Device code as programs carry it -> PTX text with its outline, and what machine code says of its kernels.
//! Pure: bytes in, facts out; knows neither CUDA's interfaces nor devices, and never panics on what it is given.

pub mod container;
pub mod cubin;
mod declared;
pub mod flow;
pub mod images;
pub mod link;
pub mod outline;
pub mod pressure;
pub mod source;
pub mod text;
mod words;
