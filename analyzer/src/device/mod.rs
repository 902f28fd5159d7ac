//! What the device code around the host's says: each kernel's registers and static shared memory.

pub mod code;
