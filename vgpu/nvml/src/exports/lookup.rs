//! From a number, a UUID or a PCI address to a handle.

use crate::border::{In, Out, version};
use crate::code::{Code, Outcome};
use crate::exports::facts::{BUS_ID, BUS_ID_SHORT};
use crate::handle::DeviceHandle;
use crate::library;
use nvml_wrapper_sys::bindings as nvml;
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
        by_uuid(uuid.name()?, &device)
    }

    /// GPU or MIG device by UUID, as text or as 16 bytes.
    fn nvmlDeviceGetHandleByUUIDV(uuid: In<nvml::nvmlUUID_t>, device: Out<DeviceHandle>) {
        let asked = uuid.get()?;
        if asked.version != version::<nvml::nvmlUUID_t>(1) {
            return Err(Code::INVALID_ARGUMENT);
        }
        // SAFETY: both forms are plain bytes, and the whole union is initialized by its caller.
        let (text, bytes) = unsafe { (asked.value.str_, asked.value.bytes) };
        match asked.type_ {
            nvml::nvmlUUIDType_t_NVML_UUID_TYPE_ASCII => by_uuid(&text_of(&text)?, &device),
            nvml::nvmlUUIDType_t_NVML_UUID_TYPE_BINARY => by_bytes(bytes, &device),
            _ => Err(Code::INVALID_ARGUMENT),
        }
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

fn by_uuid(wanted: &str, device: &Out<DeviceHandle>) -> Outcome {
    let (gpu, state) = library::gpu_now()?;
    if wanted.eq_ignore_ascii_case(&gpu.uuid()) {
        return device.put(DeviceHandle::gpu());
    }
    let mut all = state.compute_instances.iter();
    let found = all.find(|ci| {
        let uuid = gpu.mig_uuid(ci.gpu_instance, ci.id);
        uuid.eq_ignore_ascii_case(wanted)
    });
    let ci = found.ok_or(Code::NOT_FOUND)?;
    device.put(DeviceHandle::mig(ci.gpu_instance, ci.id))
}

fn by_bytes(wanted: [u8; 16], device: &Out<DeviceHandle>) -> Outcome {
    let gpu = library::gpu()?;
    if wanted == gpu.uuid_bytes() {
        return device.put(DeviceHandle::gpu());
    }
    let slices = gpu.slices()?;
    let found = slices.iter().find(|slice| slice.uuid_bytes == wanted);
    let (gpu_instance, id) = found
        .and_then(|slice| slice.instance)
        .ok_or(Code::NOT_FOUND)?;
    device.put(DeviceHandle::mig(gpu_instance, id))
}

/// The text in an array of C characters, which a NUL has to end.
fn text_of(chars: &[c_char]) -> Outcome<String> {
    let length = chars
        .iter()
        .position(|c| *c == 0)
        .ok_or(Code::INVALID_ARGUMENT)?;
    let bytes = chars.iter().take(length).map(|c| c.cast_unsigned());
    String::from_utf8(bytes.collect()).map_err(|_| Code::NOT_FOUND)
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
