//! Bytes of a fat binary -> its entries, and the PTX text that an A100 runs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_vgpu_cuda::fatbin::{container, source};

fuzz_target!(|bytes: &[u8]| {
    let _ = container::length(bytes);
    let _ = container::entries(bytes);
    let _ = source::from_container(bytes, (8, 0));
});
