//! A virtual MIG GPU: what it is (`model`), who holds what of it (`state`, shared between processes by a mapped
//! file), and the memory of the calling process (`memory`). Knows no C interface: NVML and CUDA stand on top.
//!
//! # Environment
//!
//! | variable | meaning |
//! |---|---|
//! | `MIGFIT_VGPU` | GPU model; a state file that is not there is made for it. Several, with commas: several GPUs |
//! | `MIGFIT_VGPU_STATE` | the state file; default: one per model in a folder of the user's own. Further GPUs have theirs beside it: `FILE.1`, `FILE.2` |
//! | `MIGFIT_VGPU_NAME` | the board's name as the driver tells it; kept in the state file |
//! | `MIGFIT_VGPU_MIG` | MIG of a *new* state file: `on` (default), `off` (mode off at first), `none` (a board without MIG) |
//! | `MIGFIT_VGPU_HALVES` | of a *new* state file: `plain` (default), or `swapped` as on some boards, whose GI ids begin at the upper half |
//! | `MIGFIT_VGPU_DELAY` | attempts to destroy an instance that fail after a process on it has ended (default 1); kept in the state file |
//! | `MIGFIT_VGPU_MEMORY` | MiB of a *new* state file of a board without MIG (`MIGFIT_VGPU_MIG=none`), instead of its model's |
//! | `MIGFIT_VGPU_KERNELS` | what a launch does: `run` (default) the kernel, or only `count` |
//! | `MIGFIT_VGPU_WORKERS` | blocks of a kernel that run at a time, 1 to 256; default: one for each core |
//! | `MIGFIT_VGPU_FAULTS` | calls that fail, see [`faults`] |
//! | `MIGFIT_VGPU_LOG` | where calls that are not supported are named, see [`unsupported`] |
//!
//! A value that is none of these is an error of the start, told on stderr; none is passed over.
//!
//! # Delays
//!
//! A real driver needs a moment to clean up after a process: until then the compute instance, and after that the GPU
//! instance, answers "in use". Here the moment is counted, not timed, so that nothing depends on how busy the machine
//! is: after a process on it has ended, the first `MIGFIT_VGPU_DELAY` attempts to destroy the compute instance fail,
//! and as many to destroy its GPU instance. Instances that nobody ran on go at once.

pub mod charge;
pub mod context;
pub mod faults;
pub mod memory;
pub mod model;
pub mod settings;
pub mod state;
pub mod unsupported;
pub mod visible;

pub use charge::Charge;
pub use context::{Context, context_cost};
pub use faults::{Answer, Faults, Operation};
pub use model::{CiProfile, GiProfile, Model, Placement};
pub use settings::{MigSetting, Settings};
pub use state::{
    ComputeInstance, GpuInstance, MemoryUse, ProcessUse, Slice, Snapshot, StateError, VirtualGpu,
};
