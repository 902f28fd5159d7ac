//! Functions outside the program, by name: which are the system's or CUDA's own and take no memory that is not counted,
//! and which nobody looked into. Knows names only, neither code nor files.

mod exports;
mod host;
mod opaque;
mod own;
mod starts;
mod system;
mod throws;

pub use exports::Exports;
pub use opaque::names as opaque;
pub use own::{
    LANDING, LEAVES, RESUME, THREAD_BEGINS, THREAD_ENDS, THROWN, TO_TEXT, TYPE_NUMBER, UNCAUGHT,
};
pub use system::SystemFunctions;
pub use throws::{may_throw, throws, throws_for_handlers};
