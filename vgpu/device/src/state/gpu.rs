//! One virtual GPU as its users see it: each method is one transaction on the state file.

use super::damage;
use super::error::StateError;
use super::file::StateFile;
use super::instances::{self, ComputeInstance, GpuInstance};
use super::layout::Tables;
use super::processes::{self, MemoryUse, ProcessUse};
use super::{identity, places};
use crate::model::{Model, Placement};
use migfit_schema::units::Bytes;
use std::path::{Path, PathBuf};

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
    /// GPU instances, by id.
    pub gpu_instances: Vec<GpuInstance>,
    /// Compute instances, by GI id and CI id.
    pub compute_instances: Vec<ComputeInstance>,
    /// Processes, by pid.
    pub processes: Vec<ProcessUse>,
}

impl VirtualGpu {
    /// Opens the GPU that `MIGFIT_VGPU` and `MIGFIT_VGPU_STATE` name.
    ///
    /// # Errors
    /// When neither names one, or the state file is not usable.
    pub fn from_env() -> Result<VirtualGpu, StateError> {
        let path = places::named_by_environment()?;
        VirtualGpu::open(&path, places::variable("MIGFIT_VGPU").as_deref())
    }

    /// The state file that the environment names, whether or not it is there.
    ///
    /// # Errors
    /// `NotConfigured` when neither variable is set, or the default folder is not this user's.
    pub fn path_from_env() -> Result<PathBuf, StateError> {
        places::named_by_environment()
    }

    /// Opens the GPU of a state file; makes the file when it is not there and a model is given.
    ///
    /// # Errors
    /// When the model is unknown or another one's, or the file is not usable.
    pub fn open(path: &Path, model: Option<&str>) -> Result<VirtualGpu, StateError> {
        if let Some(name) = model {
            let model = Model::named(name)?;
            let tables = Tables {
                mig_mode: u64::from(model.has_mig()),
                ..Tables::EMPTY
            };
            StateFile::create(
                path,
                &model.name,
                identity::gpu(&model.name, &places::absolute(path)),
                &tables,
            )?;
        }
        let (file, stored) = StateFile::open(path)?;
        if let Some(wanted) = model
            && Model::named(wanted)?.name != stored.model
        {
            return Err(StateError::OtherModel {
                path: path.to_owned(),
                stored: stored.model,
                wanted: wanted.to_owned(),
            });
        }
        let unusable = |reason| StateError::Foreign {
            path: path.to_owned(),
            reason,
        };
        let model = Model::named(&stored.model)
            .map_err(|error| unusable(format!("it names no GPU model of ours ({error})")))?;
        file.read(|tables| damage::check(tables, &model))?
            .map_err(|reason| unusable(format!("it is damaged: {reason}")))?;
        Ok(VirtualGpu {
            model,
            uuid: stored.uuid,
            file,
        })
    }

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
        processes::reap(&mut tables);
        Ok(Snapshot {
            mig_mode: tables.mig_mode == 1,
            gpu_instances: instances::gpu_instances(&tables, &self.model),
            compute_instances: instances::compute_instances(&tables, &self.model),
            processes: processes::list(&tables),
        })
    }

    /// Switches MIG mode.
    ///
    /// # Errors
    /// `MigOff` for a model without MIG, `InUse` while instances or processes exist.
    pub fn set_mig_mode(&self, on: bool) -> Result<(), StateError> {
        self.file
            .write(|tables| instances::set_mig_mode(tables, &self.model, on))
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
    /// `NotFound`, or `InUse` while it has compute instances or processes.
    pub fn destroy_gpu_instance(&self, id: u32) -> Result<(), StateError> {
        self.file
            .write(|tables| instances::destroy_gpu_instance(tables, id))
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
    /// `NotFound`, or `InUse` while a process runs on it.
    pub fn destroy_compute_instance(&self, gpu_instance: u32, id: u32) -> Result<(), StateError> {
        self.file
            .write(|tables| instances::destroy_compute_instance(tables, gpu_instance, id))
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
