//! Names of nvml.h that this library does not define: each answers NOT_SUPPORTED and leaves its name in the log.
//! C lets the caller pass arguments that the callee does not look at, so one signature does for all.

use crate::code::Code;

macro_rules! stubs {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> u32 {
            $crate::border::guard(|| {
                $crate::log::unsupported(stringify!($name));
                Err(Code::NOT_SUPPORTED)
            })
        }
    )*};
}

include!(concat!(env!("OUT_DIR"), "/stubs.rs"));
