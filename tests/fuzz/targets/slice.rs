//! Postcard bytes of a size program -> its slice and its formulas.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_analyzer::{formula, slice};
use migfit_schema::program::SizeProgram;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(program) = postcard::from_bytes::<SizeProgram>(bytes) {
        let _ = formula::formulas(&slice::slice(&program));
    }
});
