//! The user's program: its name -> its file -> the job profile inside. Knows nothing of GPUs.

pub mod error;
pub mod find;
pub mod profile;

pub use error::ProgramError;
pub use find::{find, startable};
pub use profile::{decode, read_profile};
