//! The driver's management library: loaded and started, or why not; its versions, and the GPUs that it tells of.

use crate::gpu::GpuError;
use crate::gpu::driver::Machine;
use crate::gpu::nvml::NvmlDevice;
use crate::gpu::nvml::code::told;
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use std::path::Path;
use std::rc::Rc;

/// Name under which the system's library is looked for.
pub const SYSTEM: &str = "libnvidia-ml.so.1";

/// A started library.
#[derive(Clone)]
pub struct Library {
    pub(super) nvml: Rc<Nvml>,
}

impl Library {
    /// Loads and starts this library; none: the system's.
    ///
    /// # Errors
    /// When it is not there, cannot be loaded, or finds no driver that goes with it.
    pub fn open(path: Option<&Path>) -> Result<Library, GpuError> {
        let name = path.unwrap_or(Path::new(SYSTEM));
        let nvml = Nvml::builder().lib_path(name.as_os_str()).init();
        match nvml {
            Ok(nvml) => Ok(Library {
                nvml: Rc::new(nvml),
            }),
            Err(error) => Err(not_started(name, error)),
        }
    }

    /// Version of the driver.
    ///
    /// # Errors
    /// When it does not tell.
    pub fn driver_version(&self) -> Result<String, GpuError> {
        let version = self.nvml.sys_driver_version();
        version.map_err(told("nvmlSystemGetDriverVersion"))
    }

    /// Version of this library.
    ///
    /// # Errors
    /// When it does not tell.
    pub fn own_version(&self) -> Result<String, GpuError> {
        let version = self.nvml.sys_nvml_version();
        version.map_err(told("nvmlSystemGetNVMLVersion"))
    }

    /// Newest CUDA that the driver runs, as `13.5`.
    ///
    /// # Errors
    /// When it does not tell.
    pub fn cuda_version(&self) -> Result<String, GpuError> {
        let version = self.nvml.sys_cuda_driver_version();
        let version = version.map_err(told("nvmlSystemGetCudaDriverVersion"))?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }
}

impl Machine for Library {
    type Gpu = NvmlDevice;

    fn count(&self) -> Result<u32, GpuError> {
        self.nvml
            .device_count()
            .map_err(told("nvmlDeviceGetCount_v2"))
    }

    fn by_index(&self, index: u32) -> Result<NvmlDevice, GpuError> {
        let device = self.nvml.device_by_index(index);
        let device = device.map_err(no_gpu(&index.to_string(), "nvmlDeviceGetHandleByIndex_v2"))?;
        NvmlDevice::of(self, &device)
    }

    fn by_uuid(&self, uuid: &str) -> Result<NvmlDevice, GpuError> {
        let device = self.nvml.device_by_uuid(uuid);
        let device = device.map_err(no_gpu(uuid, "nvmlDeviceGetHandleByUUID"))?;
        NvmlDevice::of(self, &device)
    }
}

fn not_started(library: &Path, error: NvmlError) -> GpuError {
    match error {
        NvmlError::LibloadingError(loader) => GpuError::NoLibrary {
            library: library.to_owned(),
            reason: loader.to_string(),
        },
        NvmlError::FailedToLoadSymbol(symbol) => GpuError::NoLibrary {
            library: library.to_owned(),
            reason: format!("it is no NVML: {symbol}"),
        },
        NvmlError::DriverNotLoaded => GpuError::NoDriver,
        NvmlError::LibRmVersionMismatch => GpuError::Mismatch {
            library: library.to_owned(),
            kernel: kernel_module(),
        },
        other => told("nvmlInit_v2")(other),
    }
}

/// Version line of the kernel module that runs, where the system shows it.
fn kernel_module() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    text.lines().next().map(str::to_owned)
}

/// There is no such GPU, or the driver could not give it.
fn no_gpu(which: &str, call: &'static str) -> impl Fn(NvmlError) -> GpuError {
    let which = which.to_owned();
    move |error| match error {
        NvmlError::InvalidArg | NvmlError::NotFound => GpuError::NoGpu {
            which: which.clone(),
        },
        other => told(call)(other),
    }
}
