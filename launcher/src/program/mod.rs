//! The user's program: its name -> its file -> the job profile of the process that it becomes. Knows nothing of GPUs.

pub mod error;
pub mod find;
mod image;
mod process;
mod profile;

pub use error::ProgramError;
pub use find::{find, startable};
pub use process::{decode, read_profile, read_profile_here};
