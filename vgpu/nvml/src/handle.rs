//! NVML's opaque handles: a number in a pointer's clothes that says which thing of which virtual GPU is meant.
//! A handle of something destroyed is refused as soon as it is used, since every use looks the thing up.

use crate::code::{Code, Outcome};
use crate::library;
use migfit_vgpu_device::{ComputeInstance, GpuInstance, Snapshot, VirtualGpu};
use std::ffi::c_void;
use std::sync::Arc;

/// `nvmlDevice_t`: the GPU or a MIG device on it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceHandle(*mut c_void);

/// `nvmlGpuInstance_t`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuInstanceHandle(*mut c_void);

/// `nvmlComputeInstance_t`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeInstanceHandle(*mut c_void);

/// What a device handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The whole GPU.
    Gpu,
    /// A MIG device, by its compute instance.
    Mig(ComputeInstance),
}

/// Above any address that a program has, so that a stray pointer is no handle.
const MARK: usize = 0x4d47 << 48;
const GPU: usize = 1;
const MIG_DEVICE: usize = 2;
const GPU_INSTANCE: usize = 3;
const COMPUTE_INSTANCE: usize = 4;

/// The GPU's number is one byte: more of them no machine has.
fn encode(kind: usize, gpu: u32, gpu_instance: u32, compute_instance: u32) -> *mut c_void {
    let ids = (gpu_instance as usize & 0xffff) << 16 | compute_instance as usize & 0xffff;
    std::ptr::without_provenance_mut(MARK | (gpu as usize & 0xff) << 40 | kind << 32 | ids)
}

/// GI id and CI id of a handle of this kind, of whatever GPU.
fn decode(handle: *mut c_void, kind: usize) -> Option<(u32, u32)> {
    let bits = handle.addr();
    let same_kind = bits >> 48 == MARK >> 48 && bits >> 32 & 0xff == kind;
    let id = |shift: u32| (bits >> shift & 0xffff) as u32;
    same_kind.then(|| (id(16), id(0)))
}

/// What all handles have in common: the GPU that they are of.
pub trait OfGpu: Copy {
    /// The handle's bits.
    fn bits(self) -> usize;

    /// Number of its GPU; of a stray pointer some number.
    fn number(self) -> u32 {
        (self.bits() >> 40 & 0xff) as u32
    }

    /// The handle of its GPU.
    fn board(self) -> DeviceHandle {
        DeviceHandle::gpu(self.number())
    }

    /// Its GPU.
    fn owner(self) -> Outcome<Arc<VirtualGpu>> {
        library::gpu(self.number())
    }

    /// Its GPU and what that holds at the moment.
    fn now(self) -> Outcome<(Arc<VirtualGpu>, Snapshot)> {
        let gpu = self.owner()?;
        let state = gpu.snapshot()?;
        Ok((gpu, state))
    }

    /// The same where MIG has to be on.
    fn mig_now(self) -> Outcome<(Arc<VirtualGpu>, Snapshot)> {
        let (gpu, state) = self.now()?;
        match state.mig_mode {
            true => Ok((gpu, state)),
            false => Err(Code::NOT_SUPPORTED),
        }
    }
}

impl OfGpu for DeviceHandle {
    fn bits(self) -> usize {
        self.0.addr()
    }
}

impl OfGpu for GpuInstanceHandle {
    fn bits(self) -> usize {
        self.0.addr()
    }
}

impl OfGpu for ComputeInstanceHandle {
    fn bits(self) -> usize {
        self.0.addr()
    }
}

impl DeviceHandle {
    /// Of a GPU.
    pub fn gpu(number: u32) -> DeviceHandle {
        DeviceHandle(encode(GPU, number, 0, 0))
    }

    /// Of a MIG device on a GPU.
    pub fn mig(number: u32, gpu_instance: u32, compute_instance: u32) -> DeviceHandle {
        DeviceHandle(encode(MIG_DEVICE, number, gpu_instance, compute_instance))
    }

    /// What it stands for at the moment of `state`.
    pub fn resolve(self, state: &Snapshot) -> Outcome<Device> {
        if decode(self.0, GPU).is_some() {
            return Ok(Device::Gpu);
        }
        let ids = decode(self.0, MIG_DEVICE).ok_or(Code::INVALID_ARGUMENT)?;
        compute_instance(state, ids).map(Device::Mig)
    }

    /// For calls that only the GPU itself has: `MIG devices` are not supported there.
    pub fn require_gpu(self) -> Outcome {
        match (decode(self.0, GPU), decode(self.0, MIG_DEVICE)) {
            (Some(_), _) => Ok(()),
            (None, Some(_)) => Err(Code::NOT_SUPPORTED),
            (None, None) => Err(Code::INVALID_ARGUMENT),
        }
    }

    /// For calls that only MIG devices have.
    pub fn require_mig(self, state: &Snapshot) -> Outcome<ComputeInstance> {
        match self.resolve(state)? {
            Device::Mig(instance) => Ok(instance),
            Device::Gpu => Err(Code::NOT_SUPPORTED),
        }
    }
}

impl GpuInstanceHandle {
    /// Of a GPU instance.
    pub fn of(number: u32, id: u32) -> GpuInstanceHandle {
        GpuInstanceHandle(encode(GPU_INSTANCE, number, id, 0))
    }

    /// What it stands for at the moment of `state`.
    pub fn resolve(self, state: &Snapshot) -> Outcome<GpuInstance> {
        let (id, _) = decode(self.0, GPU_INSTANCE).ok_or(Code::INVALID_ARGUMENT)?;
        gpu_instance(state, id).ok_or(Code::INVALID_ARGUMENT)
    }
}

impl ComputeInstanceHandle {
    /// Of a compute instance.
    pub fn of(number: u32, gpu_instance: u32, id: u32) -> ComputeInstanceHandle {
        ComputeInstanceHandle(encode(COMPUTE_INSTANCE, number, gpu_instance, id))
    }

    /// What it stands for at the moment of `state`.
    pub fn resolve(self, state: &Snapshot) -> Outcome<ComputeInstance> {
        let ids = decode(self.0, COMPUTE_INSTANCE).ok_or(Code::INVALID_ARGUMENT)?;
        compute_instance(state, ids)
    }
}

/// The GPU instance with this id.
pub fn gpu_instance(state: &Snapshot, id: u32) -> Option<GpuInstance> {
    state.gpu_instances.iter().copied().find(|gi| gi.id == id)
}

fn compute_instance(state: &Snapshot, ids: (u32, u32)) -> Outcome<ComputeInstance> {
    let all = state.compute_instances.iter().copied();
    let found = all.into_iter().find(|ci| (ci.gpu_instance, ci.id) == ids);
    found.ok_or(Code::INVALID_ARGUMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_of_one_kind_is_none_of_another() {
        let handle = encode(GPU_INSTANCE, 5, 13, 2);
        assert_eq!(GpuInstanceHandle(handle).number(), 5);
        assert_eq!(decode(handle, GPU_INSTANCE), Some((13, 2)));
        for other in [GPU, MIG_DEVICE, COMPUTE_INSTANCE] {
            assert_eq!(decode(handle, other), None);
        }
        assert_eq!(decode(std::ptr::null_mut(), GPU), None);
    }
}
