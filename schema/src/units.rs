//! One type per unit of the field; converted at the border only.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A number of MiB, the unit in which NVML states the memory of a MIG profile.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Mib(pub u64);

impl Bytes {
    /// The sum, or the largest value where it would overflow.
    #[must_use]
    pub fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }

    /// The smallest whole number of MiB that holds these bytes.
    #[must_use]
    pub fn to_mib_ceil(self) -> Mib {
        Mib(self.0.div_ceil(1 << 20))
    }
}

impl Mib {
    /// The same amount in bytes (saturating).
    #[must_use]
    pub fn to_bytes(self) -> Bytes {
        Bytes(self.0.saturating_mul(1 << 20))
    }
}

impl fmt::Display for Bytes {
    /// `512 B`, `1.50 KiB`, `3.00 MiB`, `4.75 GiB`, and so on up to EiB.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const STEPS: [(u64, &str); 6] = [
            (1 << 60, "EiB"),
            (1 << 50, "PiB"),
            (1 << 40, "TiB"),
            (1 << 30, "GiB"),
            (1 << 20, "MiB"),
            (1 << 10, "KiB"),
        ];
        for (size, unit) in STEPS {
            if self.0 >= size {
                return write!(f, "{:.2} {unit}", self.0 as f64 / size as f64);
            }
        }
        write!(f, "{} B", self.0)
    }
}

impl fmt::Display for Mib {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB", self.0)
    }
}

/// Threads in one warp on every NVIDIA GPU.
pub const WARP_THREADS: u64 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_print_in_the_largest_unit_that_fits() {
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(1536).to_string(), "1.50 KiB");
        assert_eq!(Bytes(4864 << 20).to_string(), "4.75 GiB");
        assert_eq!(Bytes(3 << 39).to_string(), "1.50 TiB");
        assert_eq!(Bytes(1 << 51).to_string(), "2.00 PiB");
        assert_eq!(Bytes(u64::MAX).to_string(), "16.00 EiB");
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Bytes(u64::MAX).saturating_add(Bytes(1)), Bytes(u64::MAX));
        assert_eq!(Mib(u64::MAX).to_bytes(), Bytes(u64::MAX));
        assert_eq!(Bytes(1).to_mib_ceil(), Mib(1));
    }
}
