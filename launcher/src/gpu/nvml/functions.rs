//! Every function of NVML that migfit calls, with what it is for, and whether this library has it. Without a needed one
//! there is no run on slices; what a run does without a wanted one stands with it.

use crate::gpu::nvml::Library;

/// A function that migfit calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// NVML's name for it.
    pub name: &'static str,
    /// What is done where it is missing; none: it is needed.
    pub without: Option<&'static str>,
    /// Whether this library has it.
    pub is_there: bool,
}

macro_rules! functions {
    ($library:expr; $($name:ident $(: $without:literal)?;)*) => {
        vec![$(Function {
            name: stringify!($name),
            without: functions!(@without $($without)?),
            is_there: $library.$name.is_ok(),
        },)*]
    };
    (@without) => { None };
    (@without $without:literal) => { Some($without) };
}

impl Library {
    /// All of them, in the order in which a run calls them.
    #[must_use]
    pub fn functions(&self) -> Vec<Function> {
        let library = self.nvml.lib();
        functions! { library;
            nvmlInit_v2;
            nvmlShutdown;
            nvmlSystemGetDriverVersion;
            nvmlSystemGetNVMLVersion: "its version is not told";
            nvmlSystemGetCudaDriverVersion: "the newest CUDA that it runs is not told";
            nvmlDeviceGetCount_v2;
            nvmlDeviceGetHandleByIndex_v2;
            nvmlDeviceGetHandleByUUID;
            nvmlDeviceGetName;
            nvmlDeviceGetUUID;
            nvmlDeviceGetMinorNumber: "holders of its device node are not looked for";
            nvmlDeviceGetPciInfo_v3: "the PCI id is not told";
            nvmlDeviceGetCudaComputeCapability;
            nvmlDeviceGetNumGpuCores: "SMs without MIG come from the built-in model of the board";
            nvmlDeviceGetMemoryInfo_v2: "nvmlDeviceGetMemoryInfo, which counts the driver's own part as used";
            nvmlDeviceGetMemoryInfo: "nvmlDeviceGetMemoryInfo_v2 alone tells the memory";
            nvmlDeviceGetMigMode: "every GPU counts as one without MIG";
            nvmlDeviceGetGpuInstanceProfileInfoV: "names of MIG profiles are made up from their sizes";
            nvmlDeviceGetGpuInstanceProfileInfo: "the versioned call alone tells of MIG profiles";
            nvmlDeviceGetGpuInstancePossiblePlacements_v2;
            nvmlDeviceGetGpuInstanceRemainingCapacity: "permission is not known before a slice is cut";
            nvmlDeviceGetGpuInstances;
            nvmlDeviceGetGpuInstanceById;
            nvmlGpuInstanceGetInfo;
            nvmlDeviceCreateGpuInstanceWithPlacement;
            nvmlGpuInstanceGetComputeInstanceProfileInfo;
            nvmlGpuInstanceCreateComputeInstance;
            nvmlComputeInstanceGetInfo_v2;
            nvmlGpuInstanceGetComputeInstanceById;
            nvmlDeviceGetMaxMigDeviceCount;
            nvmlDeviceGetMigDeviceHandleByIndex;
            nvmlDeviceGetGpuInstanceId;
            nvmlDeviceGetComputeInstanceId;
            nvmlComputeInstanceDestroy;
            nvmlGpuInstanceDestroy;
            nvmlDeviceGetComputeRunningProcesses_v3: "who holds a GPU is not known";
        }
    }
}
