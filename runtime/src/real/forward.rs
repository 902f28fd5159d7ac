//! The driver functions that cust links to, as forwarders of our own: so the library needs no libcuda to load.
//! A call that cust makes and that is not listed here fails when the library is linked or loaded, not later.

#![expect(non_snake_case, reason = "the driver's own names")]

use super::driver::{self, Code};
use cust::error::CudaError;
use cust::sys::CUcontext;
use std::ffi::c_void;

forwarded! {
    cuCtxGetCurrent(context: *mut CUcontext);
}

/// The code where cust's enum has it, else its "unknown": a value outside the enum must not reach cust.
fn known(code: Code) -> Code {
    const COMMON: [CudaError; 6] = [
        CudaError::InvalidValue,
        CudaError::OutOfMemory,
        CudaError::NotInitialized,
        CudaError::Deinitialized,
        CudaError::NoDevice,
        CudaError::InvalidContext,
    ];
    let is_known = code == driver::SUCCESS || COMMON.iter().any(|error| *error as Code == code);
    if is_known {
        code
    } else {
        CudaError::UnknownError as Code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cust::context::legacy::CurrentContext;

    #[test]
    fn codes_that_cust_lacks_become_unknown() {
        assert_eq!(known(0), 0);
        assert_eq!(known(2), 2);
        assert_eq!(known(46), 999);
    }

    #[test]
    fn cust_finds_no_driver_here_without_one() {
        if driver::function(c"cuCtxGetCurrent").is_none() {
            assert_eq!(
                CurrentContext::get_current().err(),
                Some(CudaError::SharedObjectSymbolNotFound)
            );
        }
    }
}
