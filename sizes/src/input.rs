//! What an evaluation is given beside the job profile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// One command line with its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The words, `argv[0]` included.
    pub args: Vec<String>,
    /// The environment that the program would see.
    pub env: Vec<(String, String)>,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
}

/// Properties of the device (a slice or a whole GPU) that a program may ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Name as CUDA tells it.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors of the slice.
    pub sm_count: u32,
    /// Bytes of device memory of the slice.
    pub total_bytes: u64,
    /// Bytes of level-two cache; 0: not known.
    pub l2_bytes: u32,
    /// Core clock in kHz; 0: not known.
    pub clock_khz: u32,
    /// Bytes that a program finds free at its start; `None`: all.
    pub free_bytes: Option<u64>,
    /// Attributes by the number that runtime and driver share, where they are given and not derived from the above.
    pub attributes: BTreeMap<i32, i32>,
}

/// Bounds of one evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions executed before giving up.
    pub steps: u64,
    /// Bytes of host memory that the evaluated program may hold.
    pub memory: u64,
    /// Processor time before giving up, of all runs of one evaluation together.
    pub time: Duration,
}

impl Limits {
    /// Steps unless told otherwise: 2% of what is attainable needs more (SIZES.md).
    pub const STEPS: u64 = 100_000_000;
    /// Seconds unless told otherwise.
    pub const SECONDS: u64 = 2;
}

impl Default for Limits {
    /// `STEPS`, `SECONDS` and 1 GiB.
    fn default() -> Self {
        Limits {
            steps: Limits::STEPS,
            memory: 1 << 30,
            time: Duration::from_secs(Limits::SECONDS),
        }
    }
}
