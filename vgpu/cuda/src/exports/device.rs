//! Devices: the process sees at most one, its slice.

use crate::border::{In, Out, put_text};
use crate::driver::{device, driver};
use crate::limits;
use crate::status::Status;
use std::ffi::c_char;

exports! {
    fn cuDeviceGet(found: Out<i32>, ordinal: i32) {
        device(ordinal)?;
        found.put(ordinal)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        driver()?;
        count.put(1)
    }

    fn cuDeviceGetName(name: Out<u8>, len: i32, ordinal: i32) {
        put_text(name, len, &device(ordinal)?.slice.name)
    }

    /// With MIG on, this older form gives the GPU's UUID, the newer one the MIG device's.
    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, ordinal: i32) {
        uuid.put(device(ordinal)?.gpu.uuid_bytes())
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, ordinal: i32) {
        uuid.put(device(ordinal)?.slice.uuid_bytes)
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, ordinal: i32) {
        let total = device(ordinal)?.slice.memory.to_bytes().0;
        bytes.put(usize::try_from(total).map_err(|_| Status::INVALID_VALUE)?)
    }

    fn cuDeviceGetAttribute(value: Out<i32>, attribute: u32, ordinal: i32) {
        value.put(limits::attribute(device(ordinal)?, attribute)?)
    }

    /// Of the first texture attributes; the format does not matter to it here.
    fn cuDeviceGetTexture1DLinearMaxWidth(elements: Out<usize>, _format: u32, _channels: u32, ordinal: i32) {
        const MOST: u32 = 69;
        let found = limits::attribute(device(ordinal)?, MOST)?;
        elements.put(usize::try_from(found).map_err(|_| Status::INVALID_VALUE)?)
    }

    fn cuDeviceGetLuid(_luid: Out<u64>, _mask: Out<u32>, ordinal: i32) {
        device(ordinal)?;
        // Windows alone has such.
        Err(Status::NOT_SUPPORTED)
    }

    fn cuDeviceGetProperties(properties: Out<[i32; 14]>, ordinal: i32) {
        let driver = device(ordinal)?;
        let attributes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        let mut found = [0; 14];
        for (value, attribute) in found.iter_mut().zip(attributes) {
            *value = limits::attribute(driver, attribute)?;
        }
        properties.put(found)
    }

    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, ordinal: i32) {
        let capability = device(ordinal)?.gpu.model().compute_capability;
        major.put(capability.0.cast_signed())?;
        minor.put(capability.1.cast_signed())
    }

    fn cuDeviceGetPCIBusId(id: Out<u8>, len: i32, ordinal: i32) {
        let bus = device(ordinal)?.pci_bus();
        put_text(id, len, &format!("0000:{bus:02x}:00.0"))
    }

    fn cuDeviceGetByPCIBusId(found: Out<i32>, id: In<c_char>) {
        let bus = format!("{:02x}:00", driver()?.pci_bus());
        let given = id.name()?.to_ascii_lowercase();
        // Domain and function may be left out.
        let given = given.strip_suffix(".0").unwrap_or(&given);
        let ours = [&bus, &format!("0000:{bus}"), &format!("00000000:{bus}")];
        if !ours.iter().any(|form| form.as_str() == given) {
            return Err(Status::INVALID_DEVICE);
        }
        found.put(0)
    }
}
