//! NVML's codes -> our errors. A function that the library lacks and one that it says it lacks are the same.

use crate::gpu::GpuError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper_sys::bindings as sys;

/// The pointer of a function that this driver has; the bindings' own wrappers panic where it has not.
pub fn function<F: Copy, E>(found: &Result<F, E>, call: &'static str) -> Result<F, GpuError> {
    found
        .as_ref()
        .copied()
        .map_err(|_| GpuError::NoFunction { call })
}

/// Success, or our error for NVML's code.
pub fn check(code: sys::nvmlReturn_t, call: &'static str) -> Result<(), GpuError> {
    Err(match code {
        sys::nvmlReturn_enum_NVML_SUCCESS => return Ok(()),
        sys::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED => GpuError::NotSupported { call },
        sys::nvmlReturn_enum_NVML_ERROR_NO_PERMISSION => GpuError::NoPermission { call },
        sys::nvmlReturn_enum_NVML_ERROR_NOT_FOUND => GpuError::NotFound { call },
        sys::nvmlReturn_enum_NVML_ERROR_FUNCTION_NOT_FOUND
        | sys::nvmlReturn_enum_NVML_ERROR_DEPRECATED
        | sys::nvmlReturn_enum_NVML_ERROR_ARGUMENT_VERSION_MISMATCH => {
            GpuError::NoFunction { call }
        }
        sys::nvmlReturn_enum_NVML_ERROR_GPU_IS_LOST => GpuError::Lost { call },
        sys::nvmlReturn_enum_NVML_ERROR_RESET_REQUIRED => GpuError::ResetRequired { call },
        sys::nvmlReturn_enum_NVML_ERROR_IN_USE => GpuError::InUse { call },
        sys::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_RESOURCES => GpuError::NoRoom { call },
        sys::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT => driver(call, "invalid argument"),
        sys::nvmlReturn_enum_NVML_ERROR_UNKNOWN => driver(call, "internal driver error (999)"),
        other => driver(call, &format!("NVML error {other}")),
    })
}

fn driver(call: &'static str, reason: &str) -> GpuError {
    GpuError::Driver {
        call,
        reason: reason.to_owned(),
    }
}

/// Our error for the wrapper's.
pub fn told(call: &'static str) -> impl Fn(NvmlError) -> GpuError {
    move |error| match error {
        NvmlError::NotSupported => GpuError::NotSupported { call },
        NvmlError::NoPermission => GpuError::NoPermission { call },
        NvmlError::InUse => GpuError::InUse { call },
        NvmlError::NotFound => GpuError::NotFound { call },
        NvmlError::GpuLost => GpuError::Lost { call },
        NvmlError::ResetRequired => GpuError::ResetRequired { call },
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => {
            GpuError::NoFunction { call }
        }
        other => driver(call, &other.to_string()),
    }
}
