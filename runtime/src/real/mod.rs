//! The real functions behind ours: the loader's, the driver's, and those that cust is to reach, in reading order.

pub mod ask;
pub mod driver;
pub mod elf;
pub mod forward;
pub mod loader;
