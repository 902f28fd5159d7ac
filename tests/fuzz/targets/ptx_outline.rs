//! Bytes of PTX -> text -> kernels with their parameters, and variables.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_ptx::{outline, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = source::from_text(bytes) {
        let _ = outline::scan(&text);
    }
});
