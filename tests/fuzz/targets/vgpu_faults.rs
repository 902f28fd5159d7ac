//! Text -> faults of the virtual GPU; what is one answers or does not, what is none is told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_vgpu_device::{Faults, Operation};

fuzz_target!(|text: &str| {
    match Faults::parse(text) {
        Ok(faults) => {
            for _ in 0..3 {
                let _ = faults.answer("nvmlInit_v2", &[Operation::Start, Operation::Gpu]);
            }
        }
        Err(error) => assert!(error.to_string().starts_with("MIGFIT_VGPU_FAULTS=")),
    }
});
