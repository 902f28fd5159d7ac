//! What is asked of a driver about one GPU, and its answers in our own types. Behind it stand NVML and, in tests,
//! scripted answers. Knows no plan and no job, and does not try anything twice.

use crate::gpu::GpuError;
use migfit_mig::{Engines, Placement};
use migfit_schema::units::Bytes;

/// NVML's number to ask about a MIG profile with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileIndex(pub u32);

/// The number that NVML returns for a MIG profile and creates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileId(pub u32);

/// Whether a GPU is divided, and whether that is about to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigMode {
    /// This GPU has no MIG.
    Absent,
    /// It has, and it is off.
    Off,
    /// It is on.
    On,
    /// Off until the GPU is reset, then on.
    TurningOn,
    /// On until the GPU is reset, then off.
    TurningOff,
}

/// A board as the driver tells it. What a driver may refuse to tell is optional.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldBoard {
    /// The driver's name for it.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Memory of the whole board; under MIG a user without privilege is not told.
    pub memory: Option<ToldMemory>,
    /// CUDA cores of the whole board; not told while MIG mode is on.
    pub cores: Option<u32>,
    /// PCI device id.
    pub pci_device_id: Option<u32>,
}

/// Memory of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldMemory {
    /// All of it.
    pub total: Bytes,
    /// What neither the driver nor any process holds.
    pub free: Bytes,
}

/// A MIG profile as the driver tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldProfile {
    /// Number to ask with.
    pub index: ProfileIndex,
    /// Number to create with.
    pub id: ProfileId,
    /// Its name (`MIG 1g.5gb`); none from a driver without the versioned calls.
    pub name: Option<String>,
    /// SM slices.
    pub sm_slices: u32,
    /// SMs.
    pub sms: u32,
    /// How many can exist.
    pub count: u32,
    /// Memory in MiB (which NVML calls MB).
    pub memory_mib: u64,
    /// Copy engines and media engines.
    pub engines: Engines,
}

/// A GPU instance as the driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldInstance {
    /// Its id.
    pub gi: u32,
    /// Its MIG profile.
    pub profile: ProfileId,
    /// Where it lies.
    pub placement: Placement,
}

/// A MIG device that exists, whoever made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldSlice {
    /// `MIG-...`
    pub uuid: String,
    /// Id of its GPU instance.
    pub gi: u32,
    /// Id of its compute instance.
    pub ci: u32,
    /// The driver's name for it, which ends in that of its MIG profile; none where it tells none.
    pub name: Option<String>,
    /// SM slices of its GPU instance.
    pub sm_slices: u32,
    /// SMs.
    pub sms: u32,
    /// Memory in MiB (which NVML calls MB).
    pub memory_mib: u64,
    /// Where its GPU instance lies; the driver tells it to the privileged alone.
    pub placement: Option<Placement>,
}

/// A process that holds a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldProcess {
    /// Its process id.
    pub pid: u32,
    /// The GPU instance that it runs on; none where the GPU is not divided.
    pub gi: Option<u32>,
}

/// One GPU behind a driver. Each call is one question or one change, and fails where the driver refuses it.
pub trait Driver {
    /// GPU UUID.
    fn uuid(&self) -> &str;

    /// Minor number of its device node (`/dev/nvidia0`); none where the driver does not tell.
    fn minor(&self) -> Option<u32>;

    /// The driver's version.
    fn version(&self) -> Result<String, GpuError>;

    /// What never changes about the board, and its memory now.
    fn board(&self) -> Result<ToldBoard, GpuError>;

    /// Whether it is divided.
    fn mig_mode(&self) -> Result<MigMode, GpuError>;

    /// All MIG profiles that it offers.
    fn profiles(&self) -> Result<Vec<ToldProfile>, GpuError>;

    /// Legal placements of a MIG profile, occupied or not.
    fn placements(&self, profile: ProfileId) -> Result<Vec<Placement>, GpuError>;

    /// How many more of a MIG profile fit; like every change, for the privileged alone.
    fn remaining(&self, profile: ProfileId) -> Result<u32, GpuError>;

    /// GPU instances of a MIG profile of which at most `count` can exist.
    fn instances(&self, profile: ProfileId, count: u32) -> Result<Vec<ToldInstance>, GpuError>;

    /// Creates a GPU instance at a place.
    fn create_instance(
        &self,
        profile: ProfileId,
        place: Placement,
    ) -> Result<ToldInstance, GpuError>;

    /// Creates the compute instance that takes all `sm_slices` of a GPU instance; returns its id.
    fn create_full_compute(&self, gi: u32, sm_slices: u32) -> Result<u32, GpuError>;

    /// Destroys a compute instance.
    fn destroy_compute(&self, gi: u32, ci: u32) -> Result<(), GpuError>;

    /// Destroys a GPU instance, which must hold no compute instance.
    fn destroy_instance(&self, gi: u32) -> Result<(), GpuError>;

    /// UUID of the MIG device of this GPU instance and compute instance; none where there is none.
    fn mig_uuid(&self, gi: u32, ci: u32) -> Result<Option<String>, GpuError>;

    /// All its MIG devices.
    fn slices(&self) -> Result<Vec<ToldSlice>, GpuError>;

    /// Processes with a context on it, as far as this user may see them.
    fn processes(&self) -> Result<Vec<ToldProcess>, GpuError>;
}

/// The GPUs of a machine.
pub trait Machine {
    /// One of them.
    type Gpu: Driver + 'static;

    /// How many there are.
    fn count(&self) -> Result<u32, GpuError>;

    /// The one with this number in the driver's order.
    fn by_index(&self, index: u32) -> Result<Self::Gpu, GpuError>;

    /// The one with this UUID.
    fn by_uuid(&self, uuid: &str) -> Result<Self::Gpu, GpuError>;
}
