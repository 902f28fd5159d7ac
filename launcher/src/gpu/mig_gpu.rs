//! What the launcher wants of a GPU: observe, create, destroy. A planned slice and a live one are two types; only
//! `create` turns one into the other. A GPU that is not divided has one slice. Knows neither NVML nor jobs.

use crate::gpu::GpuError;
use migfit_mig::{Model, Placed};
use std::fmt;

/// Which GPU of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first in the driver's order that can be used.
    Auto,
    /// By its number in the driver's order.
    Index(u32),
    /// By its UUID.
    Uuid(String),
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Auto => f.write_str("auto"),
            Which::Index(index) => write!(f, "{index}"),
            Which::Uuid(uuid) => f.write_str(uuid),
        }
    }
}

/// What is told of a GPU in reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuFacts {
    /// The driver's name for the board.
    pub name: String,
    /// GPU UUID.
    pub uuid: String,
    /// Driver version.
    pub driver: String,
    /// Whether it is our virtual GPU, whichever way it was opened.
    pub is_virtual: bool,
    /// Whether it is not divided, so that it is one slice.
    pub is_undivided: bool,
    /// Whether the driver does not tell where the one slice lies that is used: its place in the model is made up.
    pub place_untold: bool,
}

/// A planned slice: a GPU instance with one compute instance of its full size, or all of an undivided GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigDeviceSpec(pub Placed);

/// A slice that exists: a MIG device that we made, or an undivided GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMigDevice {
    /// As it was planned, and read back.
    pub spec: MigDeviceSpec,
    /// Id of its GPU instance; 0 for an undivided GPU.
    pub gi: u32,
    /// Id of its compute instance; 0 for an undivided GPU.
    pub ci: u32,
    /// `MIG-...` or `GPU-...`, the value for CUDA_VISIBLE_DEVICES. A GPU instance made again may have the same.
    pub uuid: String,
    /// Counts what this process made: tells two apart that share ids and UUID.
    pub generation: u64,
}

/// A GPU instance as the driver lists it, whoever made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuInstance {
    /// Its id.
    pub gi: u32,
    /// What and where it is.
    pub placed: Placed,
}

/// A GPU that is one slice, or several that can be made.
pub trait MigGpu {
    /// What is told of it.
    fn facts(&self) -> &GpuFacts;

    /// Its model, with ids, sizes and placements as the driver tells them.
    fn model(&self) -> &Model;

    /// All GPU instances that exist, by id.
    ///
    /// # Errors
    /// When the driver refuses, or tells of one that the model does not know.
    fn observe(&self) -> Result<Vec<GpuInstance>, GpuError>;

    /// Makes a slice; all of it or nothing.
    ///
    /// # Errors
    /// When the driver refuses, or made something else; what was made by then is destroyed again.
    fn create(&mut self, spec: MigDeviceSpec) -> Result<LiveMigDevice, GpuError>;

    /// Destroys a slice that `create` made, and sees that it is gone.
    ///
    /// # Errors
    /// When it stays in use, or the driver refuses.
    fn destroy(&mut self, device: &LiveMigDevice) -> Result<(), GpuError>;
}
