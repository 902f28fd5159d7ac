//! One virtual GPU as its users see it: each method is one transaction on the state file.

use super::error::StateError;
use super::file::StateFile;
use super::instances::{self, ComputeInstance, GpuInstance};
use super::layout::Tables;
use super::processes::{self, MemoryUse, ProcessUse};
use super::{identity, mig_mode};
use crate::model::{Model, Placement};
use migfit_schema::units::Bytes;
use std::path::Path;

/// A virtual GPU. Cheap to open; share one per process.
pub struct VirtualGpu {
    pub(super) model: Model,
    pub(super) uuid: uuid::Uuid,
    pub(super) file: StateFile,
}

/// What the tables hold at one moment; dead processes are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Whether MIG mode is on.
    pub mig_mode: bool,
    /// Whether it is on after the next reset.
    pub mig_pending: bool,
    /// GPU instances, by id.
    pub gpu_instances: Vec<GpuInstance>,
    /// Compute instances, by GI id and CI id.
    pub compute_instances: Vec<ComputeInstance>,
    /// Processes, by pid.
    pub processes: Vec<ProcessUse>,
}

impl VirtualGpu {
    /// Its figures.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Its UUID: `GPU-…`.
    #[must_use]
    pub fn uuid(&self) -> String {
        format!("GPU-{}", self.uuid)
    }

    /// The 16 bytes of its UUID.
    #[must_use]
    pub fn uuid_bytes(&self) -> [u8; 16] {
        *self.uuid.as_bytes()
    }

    /// Where its state is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The UUID that the MIG device of this GPU instance and compute instance has, whether or not it exists: `MIG-…`.
    #[must_use]
    pub fn mig_uuid(&self, gpu_instance: u32, compute_instance: u32) -> String {
        format!(
            "MIG-{}",
            identity::mig_device(self.uuid, gpu_instance, compute_instance)
        )
    }

    /// Everything at one moment.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn snapshot(&self) -> Result<Snapshot, StateError> {
        let mut tables = self.file.read(|tables| Box::new(*tables))?;
        if processes::reap(&mut tables) {
            // Once for all: where slices only come and go by hand, the dead would be looked for at every call.
            self.file.write(|tables| {
                processes::reap(tables);
                Ok(())
            })?;
        }
        Ok(Snapshot {
            mig_mode: tables.mig_mode == 1,
            mig_pending: tables.mig_pending == 1,
            gpu_instances: instances::gpu_instances(&tables, &self.model),
            compute_instances: instances::compute_instances(&tables, &self.model),
            processes: processes::list(&tables),
        })
    }

    /// Asks for MIG mode to be on or off. What is asked for stays pending when it fails: a reset makes it so.
    ///
    /// # Errors
    /// `MigOff` for a board without MIG, `InUse` while instances or processes exist, `ResetRequired` on boards that
    /// switch at a reset only.
    pub fn set_mig_mode(&self, on: bool) -> Result<(), StateError> {
        self.attempt(|tables| mig_mode::set(tables, &self.model, on))
    }

    /// Resets the GPU: all instances are gone, and MIG mode is as it was last asked for.
    ///
    /// # Errors
    /// `InUse` while processes are on it.
    pub fn reset(&self) -> Result<(), StateError> {
        self.file.write(mig_mode::reset)
    }

    /// Places on which a GPU instance of the MIG profile with this id could be created now, in the driver's order.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown MIG profile.
    pub fn free_placements(&self, profile: u32) -> Result<Vec<Placement>, StateError> {
        let profile = self.model.profile(profile).ok_or_else(|| {
            StateError::InvalidArgument(format!(
                "GPU model {} has no MIG profile {profile}",
                self.model.name
            ))
        })?;
        self.file
            .read(|tables| instances::free_placements(tables, &self.model, profile))
    }

    /// Creates a GPU instance of the MIG profile with this id, at the given place or where the driver would put it.
    ///
    /// # Errors
    /// `MigOff`, `InvalidArgument`, or `InsufficientResources` when the place (or every place) is occupied.
    pub fn create_gpu_instance(
        &self,
        profile: u32,
        place: Option<Placement>,
    ) -> Result<GpuInstance, StateError> {
        self.file
            .write(|tables| instances::create_gpu_instance(tables, &self.model, profile, place))
    }

    /// Destroys a GPU instance.
    ///
    /// # Errors
    /// `NotFound`, or `InUse` while it has compute instances or processes, and for a moment after.
    pub fn destroy_gpu_instance(&self, id: u32) -> Result<(), StateError> {
        self.attempt(|tables| instances::destroy_gpu_instance(tables, id))
    }

    /// Creates a compute instance of the profile with this id in a GPU instance.
    ///
    /// # Errors
    /// `NotFound`, `InvalidArgument`, or `InsufficientResources` when too few SM slices are free.
    pub fn create_compute_instance(
        &self,
        gpu_instance: u32,
        profile: u32,
        place: Option<Placement>,
    ) -> Result<ComputeInstance, StateError> {
        self.file.write(|tables| {
            instances::create_compute_instance(tables, &self.model, gpu_instance, profile, place)
        })
    }

    /// Destroys a compute instance.
    ///
    /// # Errors
    /// `NotFound`, or `InUse` while a process runs on it, and for a moment after.
    pub fn destroy_compute_instance(&self, gpu_instance: u32, id: u32) -> Result<(), StateError> {
        self.attempt(|tables| instances::destroy_compute_instance(tables, gpu_instance, id))
    }

    /// A change that leaves its trace when it fails too: failed attempts are counted.
    fn attempt(
        &self,
        change: impl FnOnce(&mut Tables) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        self.file.write(|tables| Ok(change(tables)))?
    }

    /// Memory of a GPU instance, or of the whole GPU.
    ///
    /// # Errors
    /// `NotFound` when there is no such GPU instance.
    pub fn memory(&self, gpu_instance: Option<u32>) -> Result<MemoryUse, StateError> {
        let state = self.snapshot()?;
        let total = match gpu_instance {
            None => self.model.memory,
            Some(id) => {
                let found = state
                    .gpu_instances
                    .iter()
                    .find(|instance| instance.id == id);
                let profile = found.and_then(|instance| self.model.profile(instance.profile));
                profile
                    .ok_or_else(|| StateError::NotFound(format!("GPU instance {id}")))?
                    .memory
            }
        };
        let held = state
            .processes
            .iter()
            .filter(|process| gpu_instance.is_none() || process.gpu_instance == gpu_instance);
        let used = held.fold(Bytes(0), |sum, process| sum.saturating_add(process.bytes));
        Ok(MemoryUse {
            total: total.to_bytes(),
            used,
        })
    }
}
