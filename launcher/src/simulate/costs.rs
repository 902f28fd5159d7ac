//! What the simulated clock charges: measured run times; the making of GPU instances is charged as policies expect it.

use crate::jobs::Job;
use migfit_mig::ProfileName;
use std::time::Duration;

pub use crate::policy::view::CREATION;

/// How long a job runs on a slice of this MIG profile, in whole microseconds; 0 where nobody measured it.
#[must_use]
pub fn run_time(job: &Job, slice: ProfileName) -> Duration {
    let seconds = job.measured_s(slice).unwrap_or_default();
    // The job file takes no negative, infinite or endless time.
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Duration::from_micros(u64::try_from(exact.as_micros()).unwrap_or(u64::MAX))
}

/// How long a job is expected to run on each slice that it was measured on.
#[must_use]
pub fn expected(job: &Job) -> Vec<(ProfileName, Duration)> {
    let measured = job.times.keys();
    measured
        .map(|&slice| (slice, run_time(job, slice)))
        .collect()
}
