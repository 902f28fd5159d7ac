//! Who holds what of the virtual GPU: instances and processes, in a file that all processes map.

mod damage;
mod error;
mod file;
mod gpu;
mod identity;
mod instances;
mod layout;
mod liveness;
mod mig_mode;
mod opening;
mod places;
mod placing;
mod processes;
mod slices;

pub use error::StateError;
pub use gpu::{Snapshot, VirtualGpu};
pub use instances::{ComputeInstance, GpuInstance};
pub(crate) use processes::Holder;
pub use processes::{MemoryUse, ProcessUse};
pub use slices::Slice;

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod instances_tests;
#[cfg(test)]
mod opening_tests;
#[cfg(test)]
mod processes_tests;
