//! The JSON of `migfit fit PROGRAM ARGS`, as a user's script reads it.

use migfit_schema::kernel::Extent;
use migfit_schema::profile::Unknown;
use serde::Deserialize;

/// The answer for one command line.
#[derive(Clone, Debug, Deserialize)]
pub struct FitAnswer {
    /// What the program needs; none where it carries no size program.
    pub need: Option<NeedAnswer>,
    /// Slices, by GPU.
    pub gpus: Vec<GpuAnswer>,
}

/// What a program needs.
#[derive(Clone, Debug, Deserialize)]
pub struct NeedAnswer {
    /// How sure.
    pub verdict: String,
    /// Peak of requested bytes.
    pub peak_bytes: Option<u64>,
    /// Bytes of the program's device variables.
    pub device_variable_bytes: u64,
    /// Launches by place and shape.
    pub launches: Vec<LaunchAnswer>,
    /// What is taken for granted.
    pub assumptions: Vec<Unknown>,
    /// What is not known.
    pub unknowns: Vec<Unknown>,
}

/// Launches of one place with one shape.
#[derive(Clone, Debug, Deserialize)]
pub struct LaunchAnswer {
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Grid; none where unknown.
    pub grid: Option<Extent>,
    /// Block; none where unknown.
    pub block: Option<Extent>,
    /// Dynamic shared memory.
    pub shared_bytes: Option<u64>,
    /// How many.
    pub count: u64,
    /// False where there may be more.
    pub count_known: bool,
}

/// The slices of one GPU against the need.
#[derive(Clone, Debug, Deserialize)]
pub struct GpuAnswer {
    /// The GPU.
    pub gpu: String,
    /// `tightest`, `whole`, `too_large`.
    pub choice: Option<String>,
    /// The slice to take.
    pub mig_profile: Option<String>,
}

impl FitAnswer {
    /// The need.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    #[track_caller]
    pub fn need(&self) -> &NeedAnswer {
        self.need
            .as_ref()
            .expect("the program carries a size program")
    }

    /// The peak.
    ///
    /// # Panics
    /// When it is not known.
    #[must_use]
    #[track_caller]
    pub fn peak(&self) -> u64 {
        let need = self.need();
        need.peak_bytes
            .unwrap_or_else(|| panic!("the peak is not known: {:?}", need.unknowns))
    }
}
