//! The bytes of a state file: a header and two slots of tables. All fields are plain numbers, so any bytes are
//! valid values; a slot is written whole before the header's generation makes it the current one.

use std::sync::atomic::AtomicU64;

/// First bytes of a state file.
pub const MAGIC: [u8; 8] = *b"MIGFITVG";
/// Version of the layout; raised at any change.
pub const VERSION: u64 = 3;
/// Rows for GPU instances.
pub const GPU_INSTANCES: usize = 16;
/// Rows for compute instances.
pub const COMPUTE_INSTANCES: usize = 64;
/// Rows for processes.
pub const PROCESSES: usize = 512;
/// Bytes for the model's name.
pub const NAME_BYTES: usize = 64;
/// Bytes for the board's name, a NUL included: as many as NVML has for it.
pub const BOARD_BYTES: usize = 96;
/// Attempts that fail where nothing else is set: enough that a caller who does not try again is found out.
pub const DEFAULT_DELAY: u64 = 1;
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
    /// 1 where the board offers MIG.
    pub has_mig: u64,
    /// 1 while MIG mode is on.
    pub mig_mode: u64,
    /// What `mig_mode` becomes at the next reset.
    pub mig_pending: u64,
    /// 1 on a board whose halves are swapped: GI ids begin at the upper one.
    pub swapped: u64,
    /// How many attempts to destroy an instance fail after a process on it has ended.
    pub delay: u64,
    /// MiB of the whole board where they are not the model's; 0: they are.
    pub memory_mib: u64,
    /// The board's name, padded with zeros.
    pub board: [u8; BOARD_BYTES],
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
    /// Attempts to destroy it that still fail, since a process on it has ended.
    pub lingering: u32,
    /// Keeps the row's size a multiple of 8.
    pub reserved: u32,
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
    /// Attempts to destroy it that still fail, since a process on it has ended.
    pub lingering: u32,
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
        has_mig: 1,
        mig_mode: 0,
        mig_pending: 0,
        swapped: 0,
        delay: DEFAULT_DELAY,
        memory_mib: 0,
        board: [0; BOARD_BYTES],
        gpu_instances: [GpuInstanceRow {
            taken: 0,
            id: 0,
            profile: 0,
            start: 0,
            lingering: 0,
            reserved: 0,
        }; GPU_INSTANCES],
        compute_instances: [ComputeInstanceRow {
            taken: 0,
            gpu_instance: 0,
            id: 0,
            profile: 0,
            start: 0,
            lingering: 0,
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
