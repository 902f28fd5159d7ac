//! From a number, a UUID or a PCI address to a handle.

use crate::border::{In, Out};
use crate::code::{Code, Outcome};
use crate::exports::facts::{BUS_ID, BUS_ID_SHORT};
use crate::handle::DeviceHandle;
use crate::library;
use std::ffi::{c_char, c_uint};

exports! {
    /// Number of GPUs.
    fn nvmlDeviceGetCount(count: Out<c_uint>) {
        gpu_count(&count)
    }

    /// Number of GPUs.
    fn nvmlDeviceGetCount_v2(count: Out<c_uint>) {
        gpu_count(&count)
    }

    /// GPU by index.
    fn nvmlDeviceGetHandleByIndex(index: c_uint, device: Out<DeviceHandle>) {
        by_index(index, &device)
    }

    /// GPU by index.
    fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: Out<DeviceHandle>) {
        by_index(index, &device)
    }

    /// GPU or MIG device by UUID.
    fn nvmlDeviceGetHandleByUUID(uuid: In<c_char>, device: Out<DeviceHandle>) {
        let (gpu, state) = library::gpu_now()?;
        let wanted = uuid.name()?;
        if wanted.eq_ignore_ascii_case(&gpu.uuid()) {
            return device.put(DeviceHandle::gpu());
        }
        let mut all = state.compute_instances.iter();
        let found = all.find(|ci| gpu.mig_uuid(ci.gpu_instance, ci.id).eq_ignore_ascii_case(wanted));
        let ci = found.ok_or(Code::NOT_FOUND)?;
        device.put(DeviceHandle::mig(ci.gpu_instance, ci.id))
    }

    /// GPU by PCI address.
    fn nvmlDeviceGetHandleByPciBusId(address: In<c_char>, device: Out<DeviceHandle>) {
        by_address(&address, &device)
    }

    /// GPU by PCI address.
    fn nvmlDeviceGetHandleByPciBusId_v2(address: In<c_char>, device: Out<DeviceHandle>) {
        by_address(&address, &device)
    }
}

fn gpu_count(count: &Out<c_uint>) -> Outcome {
    library::gpu()?;
    count.put(1)
}

fn by_index(index: c_uint, device: &Out<DeviceHandle>) -> Outcome {
    library::gpu()?;
    match index {
        0 => device.put(DeviceHandle::gpu()),
        _ => Err(Code::INVALID_ARGUMENT),
    }
}

/// The domain may be left out or have four digits, as NVML allows.
fn by_address(address: &In<c_char>, device: &Out<DeviceHandle>) -> Outcome {
    library::gpu()?;
    let wanted = address.name()?;
    let without_domain = BUS_ID_SHORT.split_once(':').map(|(_, rest)| rest);
    let forms = [Some(BUS_ID), Some(BUS_ID_SHORT), without_domain];
    match forms
        .into_iter()
        .flatten()
        .any(|f| f.eq_ignore_ascii_case(wanted))
    {
        true => device.put(DeviceHandle::gpu()),
        false => Err(Code::NOT_FOUND),
    }
}
