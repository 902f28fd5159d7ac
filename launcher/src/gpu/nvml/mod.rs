//! The only folder that knows NVML, and the only unsafe one of the GPU: one safe method per driver function that we
//! call, with our own types and errors. Knows no plan and no job.

pub mod code;
pub mod device;
pub mod functions;
pub mod instances;
pub mod library;
pub mod processes;
pub mod profiles;
pub mod slices;

pub use device::NvmlDevice;
pub use library::Library;
