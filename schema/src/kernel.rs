//! What is known of one kernel and of one launch's shape.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Three extents of a grid (in blocks) or of a block (in threads).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Extent {
    /// First and fastest dimension.
    pub x: u32,
    /// Second dimension.
    pub y: u32,
    /// Third dimension.
    pub z: u32,
}

impl Extent {
    /// Product of the three, saturating.
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.x)
            .saturating_mul(u64::from(self.y))
            .saturating_mul(u64::from(self.z))
    }
}

impl fmt::Display for Extent {
    /// `256`, `32x32` or `4x4x2`: trailing ones are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.y, self.z) {
            (1, 1) => write!(f, "{}", self.x),
            (y, 1) => write!(f, "{}x{y}", self.x),
            (y, z) => write!(f, "{}x{y}x{z}", self.x),
        }
    }
}

/// A kernel of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Mangled name: what the fat binary and the driver call it.
    pub symbol: String,
    /// Name for people, without parameters (`bpnn_layerforward`).
    pub name: String,
    /// Registers per thread, where the cubin told; the assembler's figure.
    pub registers: Option<u32>,
    /// Bytes of static shared memory per block, where the cubin told.
    pub static_shared: Option<u32>,
}
