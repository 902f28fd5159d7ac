//! The GPU under MIG: what is placed on it, and the two changes that can be made. Only `nvml` knows NVML; the
//! virtual GPU stands behind the same interface.

pub mod mig_gpu;

pub mod error;

pub mod nvml;

pub mod driver_gpu;

pub mod virtual_gpu;

pub use driver_gpu::DriverGpu;
pub use error::GpuError;
pub use mig_gpu::{GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu, Which};
