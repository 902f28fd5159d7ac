//! The run record: what the runtime saw of one process. While the process lives it is a mapped file of fixed
//! layout (so that a crash or SIGKILL loses nothing already written); a reader turns its bytes into `RunRecord`.

mod layout;
mod read;
mod seen;

pub use layout::*;
pub use read::{RecordError, read};
pub use seen::{AllocationSite, Copies, Failure, LaunchCount, RunRecord};
