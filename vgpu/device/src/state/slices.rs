//! What CUDA processes run on: MIG devices, or the whole GPU with MIG off; and what they hold there.

use super::error::StateError;
use super::gpu::{Snapshot, VirtualGpu};
use super::identity;
use super::instances::ComputeInstance;
use super::layout::Tables;
use super::processes::{self, Holder};
use migfit_schema::units::{Bytes, Mib};

/// What a CUDA process can run on: a MIG device, or a whole GPU with MIG off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// GI id and CI id; `None` for the whole GPU.
    pub instance: Option<(u32, u32)>,
    /// `MIG-…` or `GPU-…`.
    pub uuid: String,
    /// The UUID's 16 bytes.
    pub uuid_bytes: [u8; 16],
    /// As CUDA names it: `NVIDIA A100-SXM4-40GB MIG 1g.5gb`.
    pub name: String,
    /// Its memory.
    pub memory: Mib,
    /// Its SMs.
    pub sms: u32,
    /// Its share of bandwidth and cache: how many parts of how many. For a MIG device the parts are memory slices.
    pub memory_slices: (u32, u32),
}

impl VirtualGpu {
    /// What CUDA processes can run on now: each compute instance, or the whole GPU with MIG off.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn slices(&self) -> Result<Vec<Slice>, StateError> {
        let state = self.snapshot()?;
        if !state.mig_mode {
            return Ok(vec![self.whole()]);
        }
        Ok(state
            .compute_instances
            .iter()
            .filter_map(|compute| self.slice(&state, compute))
            .collect())
    }

    fn whole(&self) -> Slice {
        Slice {
            instance: None,
            uuid: self.uuid(),
            uuid_bytes: *self.uuid.as_bytes(),
            name: self.model.board.clone(),
            memory: self.model.memory,
            sms: self.model.sms,
            memory_slices: (1, 1),
        }
    }

    fn slice(&self, state: &Snapshot, compute: &ComputeInstance) -> Option<Slice> {
        let owner = state
            .gpu_instances
            .iter()
            .find(|owner| owner.id == compute.gpu_instance)?;
        let profile = self.model.profile(owner.profile)?;
        let sms = profile.compute_profile(compute.profile)?.sms;
        let part = if compute.placement.size < profile.sm_slices {
            format!("{}c.", compute.placement.size)
        } else {
            String::new()
        };
        let uuid = identity::mig_device(self.uuid, compute.gpu_instance, compute.id);
        Some(Slice {
            instance: Some((compute.gpu_instance, compute.id)),
            uuid: format!("MIG-{uuid}"),
            uuid_bytes: *uuid.as_bytes(),
            name: format!("{} MIG {part}{}", self.model.board, profile.name),
            memory: profile.memory,
            sms,
            memory_slices: (profile.memory_slices, self.model.memory_slices),
        })
    }

    /// Adds bytes to what the calling process holds on a slice.
    ///
    /// # Errors
    /// `OutOfMemory` when the slice does not hold them, `NotFound` when the slice is gone.
    pub fn charge(&self, slice: &Slice, bytes: Bytes) -> Result<(), StateError> {
        self.charge_to(&Holder::here(slice.instance)?, slice, bytes)
    }

    /// Takes bytes off what the calling process holds on a slice.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn uncharge(&self, slice: &Slice, bytes: Bytes) -> Result<(), StateError> {
        self.uncharge_from(&Holder::here(slice.instance)?, bytes)
    }

    /// Forgets what the calling process held before it replaced its program by `exec`, which keeps pid and start time.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn forget_earlier_program(&self) -> Result<(), StateError> {
        let here = Holder::here(None)?;
        let leftover = self
            .file
            .read(|tables| processes::holds_anything(tables, &here))?;
        if !leftover {
            return Ok(());
        }
        self.file.write(|tables| {
            processes::release(tables, &here);
            Ok(())
        })
    }

    pub(crate) fn charge_to(
        &self,
        holder: &Holder,
        slice: &Slice,
        bytes: Bytes,
    ) -> Result<(), StateError> {
        let capacity = slice.memory.to_bytes().0;
        self.file.write(|tables| {
            require_slice(tables, slice)?;
            processes::charge(tables, holder, bytes.0, capacity)
        })
    }

    pub(crate) fn uncharge_from(&self, holder: &Holder, bytes: Bytes) -> Result<(), StateError> {
        self.file.write(|tables| {
            processes::uncharge(tables, holder, bytes.0);
            Ok(())
        })
    }
}

/// A slice may have been destroyed, or MIG switched, since the process chose it.
fn require_slice(tables: &Tables, slice: &Slice) -> Result<(), StateError> {
    let there = match slice.instance {
        None => tables.mig_mode == 0,
        Some((owner, id)) => tables
            .compute_instances
            .iter()
            .any(|row| row.taken == 1 && row.gpu_instance == owner && row.id == id),
    };
    if there {
        Ok(())
    } else {
        Err(StateError::NotFound(format!("slice {}", slice.uuid)))
    }
}
