//! Job profile + command line + device properties -> need: bytes, launches, warps. Pure but for reading the
//! regular files that the program would read; knows neither LLVM nor devices.

pub mod input;
pub mod need;

pub use input::{CommandLine, DeviceProperties, Limits};
pub use need::{AllocationNeed, LaunchNeed, Need, Verdict};
