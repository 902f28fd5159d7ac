//! Postcard bytes of a size program -> a need, under small limits. The bytes come out of users' programs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_fuzz::{command, device};
use migfit_schema::profile::{JobProfile, Summary};
use migfit_schema::program::SizeProgram;
use migfit_sizes::{Limits, evaluate};

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = postcard::from_bytes::<SizeProgram>(bytes) else {
        return;
    };
    let profile = JobProfile {
        checked: None,
        summary: Summary::blank(""),
        program: Some(program),
    };
    let limits = Limits {
        steps: 20_000,
        memory: 16 << 20,
        ..Limits::default()
    };
    let _ = evaluate(&profile, &command(), &device(), &limits);
});
