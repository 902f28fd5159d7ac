//! What never changes about the GPU or a MIG device: name, UUID, index, PCI address, capability.

use crate::border::{Out, chars, put_text, version};
use crate::code::{Code, Outcome};
use crate::exports::mig_device::mig_index;
use crate::handle::{Device, DeviceHandle};
use crate::library;
use migfit_vgpu_device::VirtualGpu;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{c_char, c_int, c_uint};

/// PCI address of the one virtual GPU.
pub const BUS_ID: &str = "00000000:01:00.0";
/// The same with a domain of four digits.
pub const BUS_ID_SHORT: &str = "0000:01:00.0";
const BUS: c_uint = 1;
const NVIDIA: c_uint = 0x10DE;
/// PCI classes of a GPU without display.
const DISPLAY_CONTROLLER: c_uint = 3;
const THREE_D: c_uint = 2;

exports! {
    /// Name of the board, or of the MIG device on it.
    fn nvmlDeviceGetName(device: DeviceHandle, name: Out<c_char>, length: c_uint) {
        let (gpu, state) = library::gpu_now()?;
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
        let (gpu, state) = library::gpu_now()?;
        let text = match device.resolve(&state)? {
            Device::Gpu => gpu.uuid(),
            Device::Mig(ci) => gpu.mig_uuid(ci.gpu_instance, ci.id),
        };
        put_text(uuid, length, &text)
    }

    /// Index of the GPU, or of the MIG device on it.
    fn nvmlDeviceGetIndex(device: DeviceHandle, index: Out<c_uint>) {
        let (_, state) = library::gpu_now()?;
        match device.resolve(&state)? {
            Device::Gpu => index.put(0),
            Device::Mig(ci) => index.put(mig_index(&state, &ci)?),
        }
    }

    /// Minor number of the device node.
    fn nvmlDeviceGetMinorNumber(device: DeviceHandle, minor: Out<c_uint>) {
        library::gpu()?;
        device.require_gpu()?;
        minor.put(0)
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
        let (gpu, state) = library::gpu_now()?;
        device.resolve(&state)?;
        let wanted = version::<nvml::nvmlPciInfoExt_t>(1);
        if pci.first_word()? != wanted {
            return Err(Code::VERSION_MISMATCH);
        }
        pci.put(nvml::nvmlPciInfoExt_t {
            version: wanted,
            domain: 0,
            bus: BUS,
            device: 0,
            pciDeviceId: pci_id(&gpu),
            pciSubSystemId: 0,
            baseClass: DISPLAY_CONTROLLER,
            subClass: THREE_D,
            busId: chars(BUS_ID),
        })
    }

    /// Compute capability.
    fn nvmlDeviceGetCudaComputeCapability(device: DeviceHandle, major: Out<c_int>, minor: Out<c_int>) {
        let (gpu, state) = library::gpu_now()?;
        device.resolve(&state)?;
        let (high, low) = gpu.model().compute_capability;
        major.put(high.cast_signed())?;
        minor.put(low.cast_signed())
    }

    /// Architecture: NVML's number follows from the compute capability.
    fn nvmlDeviceGetArchitecture(device: DeviceHandle, architecture: Out<c_uint>) {
        let (gpu, state) = library::gpu_now()?;
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
    let (gpu, state) = library::gpu_now()?;
    device.resolve(&state)?;
    pci.put(nvml::nvmlPciInfo_t {
        busIdLegacy: chars(BUS_ID_SHORT),
        domain: 0,
        bus: BUS,
        device: 0,
        pciDeviceId: pci_id(&gpu),
        pciSubSystemId: 0,
        busId: chars(BUS_ID),
    })
}

fn pci_id(gpu: &VirtualGpu) -> c_uint {
    gpu.model().pci_device << 16 | NVIDIA
}
