//! The bytes of a state file: a header and two slots of tables. All fields are plain numbers, so any bytes are
//! valid values; a slot is written whole before the header's generation makes it the current one.

use std::sync::atomic::AtomicU64;

/// First bytes of a state file.
pub const MAGIC: [u8; 8] = *b"MIGFITVG";
/// Version of the layout; raised at any change.
pub const VERSION: u64 = 1;
/// Rows for GPU instances.
pub const GPU_INSTANCES: usize = 16;
/// Rows for compute instances.
pub const COMPUTE_INSTANCES: usize = 64;
/// Rows for processes.
pub const PROCESSES: usize = 512;
/// Bytes for the model's name.
pub const NAME_BYTES: usize = 64;
/// In a process row: the whole GPU, no instance.
pub const NO_INSTANCE: u32 = u32::MAX;

/// The whole file.
#[repr(C)]
pub struct StateLayout {
    /// Never changes after the file was made, but for `generation`.
    pub header: Header,
    /// The current one is `generation % 2`.
    pub slots: [Tables; 2],
}

/// What a reader checks first.
#[repr(C)]
pub struct Header {
    /// `MAGIC`.
    pub magic: [u8; 8],
    /// `VERSION`.
    pub version: u64,
    /// Size of the whole file.
    pub size: u64,
    /// The model's name, padded with zeros.
    pub model: [u8; NAME_BYTES],
    /// The GPU's UUID, 16 bytes.
    pub uuid: [u8; 16],
    /// Number of changes so far; its parity names the current slot. Stored last.
    pub generation: AtomicU64,
}

/// Everything that changes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Tables {
    /// 1 while MIG mode is on.
    pub mig_mode: u64,
    /// GPU instances.
    pub gpu_instances: [GpuInstanceRow; GPU_INSTANCES],
    /// Compute instances.
    pub compute_instances: [ComputeInstanceRow; COMPUTE_INSTANCES],
    /// Processes that hold a context.
    pub processes: [ProcessRow; PROCESSES],
}

/// A GPU instance.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GpuInstanceRow {
    /// 1 when the row is taken.
    pub taken: u32,
    /// GI id.
    pub id: u32,
    /// Id of its MIG profile.
    pub profile: u32,
    /// First memory slice.
    pub start: u32,
}

/// A compute instance.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ComputeInstanceRow {
    /// 1 when the row is taken.
    pub taken: u32,
    /// GI id of its GPU instance.
    pub gpu_instance: u32,
    /// CI id within that GPU instance.
    pub id: u32,
    /// Id of its compute-instance profile.
    pub profile: u32,
    /// First SM slice within the GPU instance.
    pub start: u32,
    /// Keeps the row's size a multiple of 8.
    pub reserved: u32,
}

/// A process with a context on a slice.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProcessRow {
    /// 1 when the row is taken.
    pub taken: u32,
    /// Process id.
    pub pid: u32,
    /// When that process started, in clock ticks since boot: tells a reused pid.
    pub started: u64,
    /// GI id, or `NO_INSTANCE`.
    pub gpu_instance: u32,
    /// CI id, or `NO_INSTANCE`.
    pub compute_instance: u32,
    /// Bytes held, the context included.
    pub bytes: u64,
}

impl Tables {
    /// No instances, no processes.
    pub const EMPTY: Tables = Tables {
        mig_mode: 0,
        gpu_instances: [GpuInstanceRow {
            taken: 0,
            id: 0,
            profile: 0,
            start: 0,
        }; GPU_INSTANCES],
        compute_instances: [ComputeInstanceRow {
            taken: 0,
            gpu_instance: 0,
            id: 0,
            profile: 0,
            start: 0,
            reserved: 0,
        }; COMPUTE_INSTANCES],
        processes: [ProcessRow {
            taken: 0,
            pid: 0,
            started: 0,
            gpu_instance: 0,
            compute_instance: 0,
            bytes: 0,
        }; PROCESSES],
    };
}
