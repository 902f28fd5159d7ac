//! What is foretold of one command line.

use migfit_schema::kernel::Extent;
use migfit_schema::profile::Unknown;
use migfit_schema::site::Site;
use migfit_schema::units::Bytes;
use std::fmt;

/// How sure a need is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every size and every branch around a CUDA call was known.
    Exact,
    /// Right if what `Need::assumptions` lists holds. Also where the peak is known and a launch's shape
    /// is not: then `Need::unknowns` names the launch.
    Assumed,
    /// The true peak is at most this; nothing was assumed.
    UpperBound,
    /// The true peak is at least this, whatever was assumed: some part is unknown.
    LowerBound,
    /// Nothing useful is known.
    Unknown,
    /// The program takes what it gets: this much of the device that was asked about. `Need::notes` has the sites.
    Elastic,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Exact => "exact",
            Verdict::Assumed => "assumed",
            Verdict::UpperBound => "upper bound",
            Verdict::LowerBound => "lower bound",
            Verdict::Unknown => "unknown",
            Verdict::Elastic => "elastic",
        })
    }
}

/// What is foretold of one command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Largest sum of requested bytes alive at once; `None` where the verdict is `Unknown`.
    pub peak: Option<Bytes>,
    /// The same with each allocation rounded up as the driver does (2 MiB granules, small ones sharing).
    pub peak_rounded: Option<Bytes>,
    /// Requested bytes alive at the end.
    pub live_at_end: Bytes,
    /// Where memory lacked: what the program wanted to hold at that time, as the driver rounds. More than the device has.
    pub lacked: Option<Bytes>,
    /// How sure.
    pub verdict: Verdict,
    /// Whether the program came to the end of `main` and did not fail.
    pub returned: bool,
    /// Whether a CUDA call failed on the way, by what is known of the device: formulas take for granted that none does.
    pub a_call_failed: bool,
    /// Each allocation site that ran, in order of first run.
    pub allocations: Vec<AllocationNeed>,
    /// Each launch shape, in order of first launch.
    pub launches: Vec<LaunchNeed>,
    /// What an `Assumed` answer takes for granted: loops run once, checks pass, with their places.
    pub assumptions: Vec<Unknown>,
    /// What stayed unknown, with place and reason; never dropped.
    pub unknowns: Vec<Unknown>,
    /// What is known and worth telling without making the answer less sure: a failing exit after CUDA calls, a
    /// launch that the driver refuses.
    pub notes: Vec<Unknown>,
    /// Device memory that closed libraries take beside the peak.
    pub closed: Vec<ClosedNeed>,
    /// Device memory that the context takes beside the peak because the program raised its limits (malloc heap, printf
    /// buffer, stacks); what contexts take anyway is not in it.
    pub raised_limits: Bytes,
    /// Files that the evaluation read.
    pub files: Vec<String>,
    /// Instructions executed.
    pub steps: u64,
}

impl Need {
    /// Device memory beside the peak: raised limits, and the bounds of closed libraries.
    #[must_use]
    pub fn beside(&self) -> Bytes {
        let closed = self.closed.iter().filter_map(|one| one.bytes);
        let sum = closed.fold(self.raised_limits.0, |sum, bytes| {
            sum.saturating_add(bytes.0)
        });
        Bytes(sum)
    }

    /// How sure peak and `beside` together are: a closed library of which nothing is known may take more.
    #[must_use]
    pub fn verdict_with_libraries(&self) -> Verdict {
        let secret = self.closed.iter().any(|one| one.bytes.is_none());
        match self.verdict {
            Verdict::Exact | Verdict::Assumed | Verdict::UpperBound if secret => {
                Verdict::LowerBound
            }
            verdict => verdict,
        }
    }
}

/// Device memory that a closed library takes of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedNeed {
    /// Where.
    pub site: Site,
    /// The library: `cuBLAS`.
    pub library: String,
    /// The call: `cublasCreate_v2`.
    pub call: String,
    /// At most this much; `None`: not known.
    pub bytes: Option<Bytes>,
    /// Where the figure comes from, or why there is none.
    pub source: String,
}

/// What one allocation site asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationNeed {
    /// Where.
    pub site: Site,
    /// The call: `cudaMalloc`.
    pub api: String,
    /// Times that it ran.
    pub times: u64,
    /// Smallest and largest request; `None` where unknown.
    pub bytes: Option<(Bytes, Bytes)>,
    /// Sum of all its requests that were known.
    pub total: Bytes,
    /// Each size (`None`: not known) with how often it was asked for, in order of first request; the first 1024.
    pub sizes: Vec<(Option<Bytes>, u64)>,
}

/// Launches of one kernel from one site with one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchNeed {
    /// Where.
    pub site: Site,
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Name for people.
    pub name: String,
    /// Grid in blocks; `None` where it depends on a device result or is otherwise unknown.
    pub grid: Option<Extent>,
    /// Block in threads; `None` where unknown.
    pub block: Option<Extent>,
    /// Dynamic shared memory in bytes; `None` where unknown.
    pub shared: Option<u64>,
    /// Times launched with this shape.
    pub count: u64,
    /// False where the count hangs on an assumption (a loop on a device result taken once).
    pub count_known: bool,
}

impl LaunchNeed {
    /// Warps of one launch: blocks times warps per block, a partly filled warp counted whole.
    #[must_use]
    pub fn warps(&self) -> Option<u64> {
        let (grid, block) = (self.grid?, self.block?);
        let per_block = block.count().div_ceil(migfit_schema::units::WARP_THREADS);
        Some(grid.count().saturating_mul(per_block))
    }
}
