//! What an evaluation did, step by step: for tests of the slicer, whose branch trace must be a
//! subsequence of the full program's, with the same events.

use migfit_schema::kernel::Extent;

/// Branches taken and CUDA events, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Conditional branches and switches, in order.
    pub branches: Vec<BranchTaken>,
    /// Allocations, frees and launches, in order.
    pub events: Vec<Event>,
    /// True where the list of branches was cut at `MOST_BRANCHES`.
    pub cut: bool,
}

/// Most branches that a trace keeps.
pub const MOST_BRANCHES: usize = 1 << 22;

/// A conditional branch or switch that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchTaken {
    /// Index of the function in the size program.
    pub function: u32,
    /// Block that ends in the branch.
    pub block: u32,
    /// Block gone to.
    pub target: u32,
}

/// An event that the need is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An allocation of device memory; `None` where the size is unknown.
    Allocate {
        /// The call.
        api: String,
        /// Requested bytes.
        bytes: Option<u64>,
    },
    /// The end of an allocation; `None` where the size, or which one, is unknown.
    Free {
        /// Bytes that were requested.
        bytes: Option<u64>,
    },
    /// A launch.
    Launch {
        /// Mangled name of the kernel.
        kernel: String,
        /// Grid in blocks.
        grid: Option<Extent>,
        /// Block in threads.
        block: Option<Extent>,
        /// Dynamic shared memory in bytes.
        shared: Option<u64>,
    },
}
