//! Job profile + command line + device properties -> need: bytes, launches, warps. Pure but for reading the
//! regular files that the program would read; knows neither LLVM nor devices.

pub mod input;
pub mod need;

pub use input::{CommandLine, DeviceProperties, Limits};
pub use need::{AllocationNeed, LaunchNeed, Need, Verdict};

use migfit_schema::profile::JobProfile;
use migfit_schema::units::Bytes;

/// What `command` needs of `device`, as far as the job profile tells.
#[must_use]
pub fn evaluate(
    profile: &JobProfile,
    _command: &CommandLine,
    _device: &DeviceProperties,
    _limits: &Limits,
) -> Need {
    Need {
        peak: None,
        peak_rounded: None,
        live_at_end: Bytes(0),
        verdict: Verdict::Unknown,
        allocations: Vec::new(),
        launches: Vec::new(),
        assumptions: Vec::new(),
        unknowns: profile.summary.unknowns.clone(),
        files: Vec::new(),
        steps: 0,
    }
}
