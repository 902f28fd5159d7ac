//! From a number, a UUID or a PCI address to a handle.

use crate::border::{In, Out, version};
use crate::code::{Code, Outcome};
use crate::exports::facts::{bus, bus_id, bus_id_short, bus_id_without_domain};
use crate::handle::DeviceHandle;
use crate::handle::OfGpu;
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
            nvml::nvmlUUIDType_t_NVML_UUID_TYPE_BINARY => device.put(known(|_, known| known == bytes)?),
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
    let gpus = library::gpus()?.len();
    count.put(c_uint::try_from(gpus).unwrap_or(c_uint::MAX))
}

fn by_index(index: c_uint, device: &Out<DeviceHandle>) -> Outcome {
    library::gpu(index)?;
    device.put(DeviceHandle::gpu(index))
}

/// The handles of all GPUs.
fn boards() -> Outcome<impl Iterator<Item = DeviceHandle>> {
    let gpus = library::gpus()?.len();
    Ok((0..).take(gpus).map(DeviceHandle::gpu))
}

fn by_uuid(wanted: &str, device: &Out<DeviceHandle>) -> Outcome {
    device.put(known(|uuid, _| uuid.eq_ignore_ascii_case(wanted))?)
}

/// The GPU or MIG device whose UUID, as text and as bytes, is the wanted one.
fn known(is_wanted: impl Fn(&str, [u8; 16]) -> bool) -> Outcome<DeviceHandle> {
    for board in boards()? {
        let gpu = board.owner()?;
        if is_wanted(&gpu.uuid(), gpu.uuid_bytes()) {
            return Ok(board);
        }
        let slices = gpu.slices()?;
        let found = slices
            .iter()
            .find(|slice| is_wanted(&slice.uuid, slice.uuid_bytes));
        if let Some((gpu_instance, id)) = found.and_then(|slice| slice.instance) {
            return Ok(DeviceHandle::mig(board.number(), gpu_instance, id));
        }
    }
    Err(Code::NOT_FOUND)
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
    let mut boards = boards()?;
    let wanted = address.name()?;
    let found = boards.find(|board| {
        let bus = bus(*board);
        let forms = [bus_id(bus), bus_id_short(bus), bus_id_without_domain(bus)];
        forms.iter().any(|form| form.eq_ignore_ascii_case(wanted))
    });
    device.put(found.ok_or(Code::NOT_FOUND)?)
}
