//! NVML's return codes, and which of them each failure of the virtual GPU becomes.

use migfit_vgpu_border::Refusal;
use migfit_vgpu_device::StateError;
use nvml_wrapper_sys::bindings as nvml;

/// A code other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub nvml::nvmlReturn_t);

/// What the body of an exported function comes to.
pub type Outcome<T = ()> = Result<T, Code>;

impl Code {
    pub const UNINITIALIZED: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_UNINITIALIZED);
    pub const INVALID_ARGUMENT: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT);
    pub const NOT_SUPPORTED: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED);
    pub const NO_PERMISSION: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_NO_PERMISSION);
    pub const NOT_FOUND: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_NOT_FOUND);
    pub const INSUFFICIENT_SIZE: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_SIZE);
    pub const DRIVER_NOT_LOADED: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_DRIVER_NOT_LOADED);
    pub const OPERATING_SYSTEM: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_OPERATING_SYSTEM);
    pub const GPU_IS_LOST: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_GPU_IS_LOST);
    pub const RESET_REQUIRED: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_RESET_REQUIRED);
    pub const TIMEOUT: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_TIMEOUT);
    pub const FUNCTION_NOT_FOUND: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_FUNCTION_NOT_FOUND);
    pub const LIB_RM_VERSION_MISMATCH: Code =
        Code(nvml::nvmlReturn_enum_NVML_ERROR_LIB_RM_VERSION_MISMATCH);
    pub const IN_USE: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_IN_USE);
    pub const MEMORY: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_MEMORY);
    pub const INSUFFICIENT_RESOURCES: Code =
        Code(nvml::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_RESOURCES);
    pub const VERSION_MISMATCH: Code =
        Code(nvml::nvmlReturn_enum_NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    pub const UNKNOWN: Code = Code(nvml::nvmlReturn_enum_NVML_ERROR_UNKNOWN);
}

impl Refusal for Code {
    const NULL_POINTER: Code = Code::INVALID_ARGUMENT;
    const NO_SUCH_NAME: Code = Code::NOT_FOUND;
    const PANICKED: Code = Code::UNKNOWN;

    fn answer(self) -> nvml::nvmlReturn_t {
        self.0
    }
}

impl From<StateError> for Code {
    fn from(error: StateError) -> Code {
        match error {
            StateError::NotConfigured
            | StateError::UnknownModel(_)
            | StateError::Setting { .. }
            | StateError::OtherModel { .. }
            | StateError::Foreign { .. } => Code::DRIVER_NOT_LOADED,
            StateError::NoFolder { .. } | StateError::File { .. } => Code::OPERATING_SYSTEM,
            StateError::NoPermission(_) => Code::NO_PERMISSION,
            StateError::MigOff => Code::NOT_SUPPORTED,
            StateError::ResetRequired => Code::RESET_REQUIRED,
            StateError::InvalidArgument(_) => Code::INVALID_ARGUMENT,
            StateError::InsufficientResources(_) | StateError::TableFull(_) => {
                Code::INSUFFICIENT_RESOURCES
            }
            StateError::InUse(_) => Code::IN_USE,
            StateError::NotFound(_) => Code::NOT_FOUND,
            StateError::OutOfMemory { .. } => Code::MEMORY,
        }
    }
}

/// What `nvmlErrorString` says, by code; the codes that this library never returns are named too.
pub fn text(code: nvml::nvmlReturn_t) -> &'static std::ffi::CStr {
    match code {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid argument",
        3 => c"Not supported",
        4 => c"Insufficient permissions",
        5 => c"Already initialized",
        6 => c"Not found",
        7 => c"Insufficient size",
        8 => c"Insufficient external power",
        9 => c"Driver not loaded (virtual GPU: see MIGFIT_VGPU and MIGFIT_VGPU_STATE)",
        10 => c"Timeout",
        11 => c"Interrupt request issue",
        12 => c"Library not found",
        13 => c"Function not found",
        14 => c"Corrupted information ROM",
        15 => c"GPU is lost",
        16 => c"GPU requires a reset",
        17 => c"Refused by the operating system",
        18 => c"Driver and library versions differ",
        19 => c"In use by another client",
        20 => c"Insufficient memory",
        21 => c"No data",
        22 => c"Not supported with ECC on in a vGPU",
        23 => c"Insufficient resources",
        24 => c"Frequency not supported",
        25 => c"Structure version does not match",
        26 => c"Deprecated",
        27 => c"Not ready",
        28 => c"No GPU found",
        29 => c"Invalid state",
        30 => c"Reset type not supported",
        _ => c"Unknown error",
    }
}
