//! A virtual MIG GPU: what it is (`model`), who holds what of it (`state`, shared between processes by a mapped
//! file), and the memory of the calling process (`memory`). Knows no C interface: NVML and CUDA stand on top.

pub mod context;
pub mod memory;
pub mod model;
pub mod state;
pub mod unsupported;
pub mod visible;

pub use context::{Context, context_cost};
pub use model::{CiProfile, GiProfile, Model, Placement};
pub use state::{
    ComputeInstance, GpuInstance, MemoryUse, ProcessUse, Slice, Snapshot, StateError, VirtualGpu,
};
