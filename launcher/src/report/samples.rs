//! Job lines for tests.

use migfit_schema::report::{JobReport, Placement};

/// One that went well and one that ran out of memory.
pub fn jobs() -> Vec<JobReport> {
    let good = JobReport {
        name: "lud-1024".to_owned(),
        predicted_bytes: Some(4 << 20),
        observed_peak_bytes: Some(4 << 20),
        verdict: "exact".to_owned(),
        mig_profile: Some("1g.5gb".to_owned()),
        placement: Some(Placement { start: 6, size: 1 }),
        attempts: 1,
        wait_s: Some(0.0),
        run_s: Some(1.25),
        exit_code: Some(0),
        verified: None,
        reason: "4.00 MiB foretold (exact) + 120.00 MiB context; created on free slices".to_owned(),
        launches: Vec::new(),
        stdout: None,
        stderr: None,
    };
    let bad = JobReport {
        name: "grow".to_owned(),
        predicted_bytes: None,
        observed_peak_bytes: Some(5 << 30),
        verdict: "unknown".to_owned(),
        placement: Some(Placement { start: 0, size: 8 }),
        mig_profile: Some("7g.40gb".to_owned()),
        wait_s: Some(1.5),
        run_s: Some(2.0),
        exit_code: Some(134),
        reason: "out of device memory: asked for 1.00 GiB with 5.00 GiB in use: proved by the run record (killed by SIGABRT); need unknown".to_owned(),
        ..good.clone()
    };
    vec![good, bad]
}
