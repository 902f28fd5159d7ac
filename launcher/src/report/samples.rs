//! Job lines and what stands beside them, for tests.

use crate::policy::HostRoom;
use crate::report::batch::Basis;
use migfit_schema::report::{AttemptReport, FailedAllocation, JobReport, Placement};
use migfit_schema::units::Bytes;
use std::collections::BTreeMap;

/// No job, on a real GPU and a host with two cores.
pub fn basis() -> Basis {
    Basis {
        jobs: 0,
        is_virtual: false,
        not_executed: 0,
        refused_in: 0,
        unseen_in: 0,
        coped: 0,
        early: 0,
        one_core_each: true,
        host: HostRoom {
            cpus: 2,
            memory: Some(Bytes(3 << 30)),
        },
        short_of: Vec::new(),
        unwritten: None,
        baseline: None,
        is_baseline: false,
    }
}

/// Two attempts of a job: the first one ran out of memory.
pub fn attempts() -> Vec<AttemptReport> {
    let first = AttemptReport {
        attempt: 1,
        mig_profile: "1g.5gb".to_owned(),
        placement: Some(Placement { start: 6, size: 1 }),
        observed_peak_bytes: Some(2 << 30),
        failed_allocation: Some(FailedAllocation {
            requested_bytes: 4 << 30,
            in_use_bytes: 2 << 30,
        }),
        wait_s: 0.0,
        run_s: 0.5,
        exit_code: Some(2),
        failure: Some("out of device memory".to_owned()),
        then: Some("started again: it needs 6264 MiB".to_owned()),
        stdout: Some("jobs/grow/attempt-1/stdout".to_owned()),
        stderr: Some("jobs/grow/attempt-1/stderr".to_owned()),
    };
    let second = AttemptReport {
        attempt: 2,
        mig_profile: "1g.10gb".to_owned(),
        placement: Some(Placement { start: 4, size: 2 }),
        observed_peak_bytes: Some(6 << 30),
        failed_allocation: None,
        wait_s: 0.75,
        run_s: 1.0,
        exit_code: Some(0),
        failure: None,
        then: None,
        ..first.clone()
    };
    vec![first, second]
}

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
        modelled_device_s: None,
        modelled_device_s_by_mig_profile: BTreeMap::new(),
        modelled_added_j: None,
        exit_code: Some(0),
        verified: None,
        reason: "4.00 MiB foretold (exact) + 120.00 MiB context; created on free slices".to_owned(),
        launches: Vec::new(),
        stdout: None,
        stderr: None,
        each_attempt: Vec::new(),
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
