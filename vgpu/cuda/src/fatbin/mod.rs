//! Device code as programs carry it -> PTX text and its outline: kernels with their parameters, and variables.

pub mod container;
mod declared;
pub mod link;
pub mod outline;
pub mod source;
mod words;
