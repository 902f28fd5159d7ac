//! Job profile + command line + device properties -> need: bytes, launches, warps. Pure but for reading the
//! regular files that the program would read; knows neither LLVM nor devices.

pub mod agreement;
pub mod assumed;
pub mod demand;
pub mod evaluation;
pub mod explain;
pub mod formula;
pub mod input;
mod ledger;
mod machine;
mod models;
pub mod need;
mod report;
pub mod trace;
mod verdict;

pub use assumed::USERS_WORD;
pub use evaluation::{evaluate, evaluate_explained, evaluate_given, evaluate_traced};
pub use formula::{Number, evaluate_formula};
pub use input::{CommandLine, DeviceProperties, Limits};
pub use models::cuda::occupancy::blocks_per_sm;
pub use need::{AllocationNeed, ClosedNeed, LaunchNeed, Need, Verdict};
pub use report::people_name;
pub use trace::{BranchTaken, Event, Trace};
