//! Functions outside the program, by name: which are the system's or CUDA's own and take no memory that is not counted,
//! and which nobody looked into. Knows names only, neither code nor files.

mod exports;
mod host;
mod opaque;
mod starts;
mod system;
mod throws;

pub use exports::Exports;
pub use opaque::names as opaque;
pub use system::SystemFunctions;
pub use throws::throws;
