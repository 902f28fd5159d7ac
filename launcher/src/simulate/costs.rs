//! What the simulated clock charges: measured run times, and the making of GPU instances.

use crate::jobs::Job;
use migfit_mig::ProfileName;
use std::time::Duration;

/// Making one GPU instance with its compute instance. Source: our own modelling assumption, taken in our study of what
/// scheduling can attain on the measured jobs; nothing is charged for an idle one that is used as it is, and several
/// are made at once. Not measured on hardware yet.
pub const CREATION: Duration = Duration::from_millis(250);

/// How long a job runs on a slice of this MIG profile, in whole microseconds; 0 where nobody measured it.
#[must_use]
pub fn run_time(job: &Job, slice: ProfileName) -> Duration {
    let seconds = job.measured_s(slice).unwrap_or_default();
    // The job file takes no negative, infinite or endless time.
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Duration::from_micros(u64::try_from(exact.as_micros()).unwrap_or(u64::MAX))
}
