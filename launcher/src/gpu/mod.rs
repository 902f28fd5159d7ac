//! The GPU: found, its slices, and the two changes that can be made. Only `nvml` knows NVML; the virtual GPU stands
//! behind the same interface.

pub mod mig_gpu;

pub mod error;

mod explain;

pub mod driver;

pub mod nvml;

pub mod capability;

pub mod holders;

mod patience;

mod live_model;

pub mod driver_gpu;

pub mod whole_gpu;

pub mod open;

mod lent;

pub mod virtual_gpu;

#[cfg(test)]
pub mod scripted;

pub use error::GpuError;
pub use lent::open_slice;
pub use mig_gpu::{GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu, Which};
pub use open::{Opened, Wish, open};
