//! What never changes about the GPU or a MIG device: name, UUID, index, PCI address, capability.

use crate::border::{Out, chars, put_text, version};
use crate::code::{Code, Outcome};
use crate::exports::mig_device::mig_index;
use crate::handle::{Device, DeviceHandle, OfGpu};
use migfit_vgpu_device::VirtualGpu;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{c_char, c_int, c_uint};

const NVIDIA: c_uint = 0x10DE;
/// PCI classes of a GPU without display.
const DISPLAY_CONTROLLER: c_uint = 3;
const THREE_D: c_uint = 2;

exports! {
    /// Name of the board, or of the MIG device on it.
    fn nvmlDeviceGetName(device: DeviceHandle, name: Out<c_char>, length: c_uint) {
        let (gpu, state) = device.now()?;
        let text = match device.resolve(&state)? {
            Device::Gpu => gpu.model().board.clone(),
            Device::Mig(ci) => {
                let slices = gpu.slices()?;
                let mut found = slices.into_iter().filter(|s| s.instance == Some((ci.gpu_instance, ci.id)));
                found.next().ok_or(Code::INVALID_ARGUMENT)?.name
            }
        };
        put_text(name, length, &text)
    }

    /// UUID of the GPU or MIG device.
    fn nvmlDeviceGetUUID(device: DeviceHandle, uuid: Out<c_char>, length: c_uint) {
        let (gpu, state) = device.now()?;
        let text = match device.resolve(&state)? {
            Device::Gpu => gpu.uuid(),
            Device::Mig(ci) => gpu.mig_uuid(ci.gpu_instance, ci.id),
        };
        put_text(uuid, length, &text)
    }

    /// Index of the GPU, or of the MIG device on it.
    fn nvmlDeviceGetIndex(device: DeviceHandle, index: Out<c_uint>) {
        let (_, state) = device.now()?;
        match device.resolve(&state)? {
            Device::Gpu => index.put(device.number()),
            Device::Mig(ci) => index.put(mig_index(&state, &ci)?),
        }
    }

    /// Minor number of the device node.
    fn nvmlDeviceGetMinorNumber(device: DeviceHandle, minor: Out<c_uint>) {
        device.owner()?;
        device.require_gpu()?;
        minor.put(device.number())
    }

    /// PCI address and ids.
    fn nvmlDeviceGetPciInfo(device: DeviceHandle, pci: Out<nvml::nvmlPciInfo_t>) {
        pci_info(device, &pci)
    }

    /// PCI address and ids.
    fn nvmlDeviceGetPciInfo_v2(device: DeviceHandle, pci: Out<nvml::nvmlPciInfo_t>) {
        pci_info(device, &pci)
    }

    /// PCI address and ids.
    fn nvmlDeviceGetPciInfo_v3(device: DeviceHandle, pci: Out<nvml::nvmlPciInfo_t>) {
        pci_info(device, &pci)
    }

    /// PCI address, ids and class.
    fn nvmlDeviceGetPciInfoExt(device: DeviceHandle, pci: Out<nvml::nvmlPciInfoExt_t>) {
        let (gpu, state) = device.now()?;
        device.resolve(&state)?;
        let wanted = version::<nvml::nvmlPciInfoExt_t>(1);
        if pci.first_word()? != wanted {
            return Err(Code::VERSION_MISMATCH);
        }
        pci.put(nvml::nvmlPciInfoExt_t {
            version: wanted,
            domain: 0,
            bus: bus(device),
            device: 0,
            pciDeviceId: pci_id(&gpu),
            pciSubSystemId: 0,
            baseClass: DISPLAY_CONTROLLER,
            subClass: THREE_D,
            busId: chars(&bus_id(bus(device))),
        })
    }

    /// Compute capability.
    fn nvmlDeviceGetCudaComputeCapability(device: DeviceHandle, major: Out<c_int>, minor: Out<c_int>) {
        let (gpu, state) = device.now()?;
        device.resolve(&state)?;
        let (high, low) = gpu.model().compute_capability;
        major.put(high.cast_signed())?;
        minor.put(low.cast_signed())
    }

    /// CUDA cores of the whole GPU; like the driver's, not told while it is divided.
    fn nvmlDeviceGetNumGpuCores(device: DeviceHandle, cores: Out<c_uint>) {
        let (gpu, state) = device.now()?;
        device.require_gpu()?;
        if state.mig_mode {
            return Err(Code::NOT_SUPPORTED);
        }
        // Source: CUDA C++ Programming Guide, 32-bit floating-point additions per clock and SM.
        let each = if gpu.model().compute_capability == (8, 0) { 64 } else { 128 };
        cores.put(gpu.model().sms * each)
    }

    /// Architecture: NVML's number follows from the compute capability.
    fn nvmlDeviceGetArchitecture(device: DeviceHandle, architecture: Out<c_uint>) {
        let (gpu, state) = device.now()?;
        device.resolve(&state)?;
        architecture.put(match gpu.model().compute_capability {
            (8, 9) => nvml::NVML_DEVICE_ARCH_ADA,
            (8, _) => nvml::NVML_DEVICE_ARCH_AMPERE,
            (9, _) => nvml::NVML_DEVICE_ARCH_HOPPER,
            (10 | 12, _) => nvml::NVML_DEVICE_ARCH_BLACKWELL,
            _ => nvml::NVML_DEVICE_ARCH_UNKNOWN,
        })
    }
}

fn pci_info(device: DeviceHandle, pci: &Out<nvml::nvmlPciInfo_t>) -> Outcome {
    let (gpu, state) = device.now()?;
    device.resolve(&state)?;
    pci.put(nvml::nvmlPciInfo_t {
        busIdLegacy: chars(&bus_id_short(bus(device))),
        domain: 0,
        bus: bus(device),
        device: 0,
        pciDeviceId: pci_id(&gpu),
        pciSubSystemId: 0,
        busId: chars(&bus_id(bus(device))),
    })
}

fn pci_id(gpu: &VirtualGpu) -> c_uint {
    gpu.model().pci_device << 16 | NVIDIA
}

/// PCI bus that a GPU is on: the first on bus 1, the others behind it, each alone.
pub fn bus(device: DeviceHandle) -> c_uint {
    device.number().saturating_add(1)
}

/// The PCI address of the GPU on this bus.
pub fn bus_id(bus: c_uint) -> String {
    format!("0000{}", bus_id_short(bus))
}

/// The same with a domain of four digits.
pub fn bus_id_short(bus: c_uint) -> String {
    format!("0000:{}", bus_id_without_domain(bus))
}

/// The same without domain.
pub fn bus_id_without_domain(bus: c_uint) -> String {
    format!("{bus:02X}:00.0")
}
