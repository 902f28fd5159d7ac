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

/// What clang puts before the name of a kernel's stub.
const STUB: &str = "__device_stub__";

/// Mangled name of the kernel that a stub of clang's stands for: `_Z3foov` of `_Z18__device_stub__foov`. The number
/// that the linker puts behind one of several internal functions of a name is left out.
#[must_use]
pub fn kernel_of_stub(stub: &str) -> Option<String> {
    let (before, after) = stub.split_once(STUB)?;
    let after = match after.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => after,
    };
    if before.is_empty() {
        return Some(after.to_owned());
    }
    let digits = length_before(before)?;
    let (prefix, length) = before.split_at(before.len() - digits);
    let length = length.parse::<usize>().ok()?.checked_sub(STUB.len())?;
    Some(format!("{prefix}{length}{after}"))
}

/// How many digits at the end of a mangled prefix are the length of the name that follows: all that is before them are
/// names of namespaces, which may end in digits too (`_ZN12_GLOBAL__N_118` ends in the length 18).
fn length_before(prefix: &str) -> Option<usize> {
    let mut rest = prefix.strip_prefix("_Z")?;
    rest = rest.strip_prefix('N').unwrap_or(rest);
    loop {
        rest = rest.strip_prefix('L').unwrap_or(rest);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (length, behind) = rest.split_at(digits);
        if behind.is_empty() {
            return (digits > 0).then_some(digits);
        }
        rest = behind.get(length.parse::<usize>().ok()?..)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_names_its_kernel() {
        for (stub, kernel) in [
            ("_Z18__device_stub__foov", "_Z3foov"),
            ("_ZN2ns18__device_stub__barEPf", "_ZN2ns3barEPf"),
            (
                "_ZN12_GLOBAL__N_118__device_stub__barEPf",
                "_ZN12_GLOBAL__N_13barEPf",
            ),
            (
                "_ZN2v1L19__device_stub__stepIfEEvPT_",
                "_ZN2v1L4stepIfEEvPT_",
            ),
            ("_ZL19__device_stub__stepPi.17", "_ZL4stepPi"),
            ("__device_stub__plain", "plain"),
        ] {
            assert_eq!(kernel_of_stub(stub).as_deref(), Some(kernel), "{stub}");
        }
        assert_eq!(kernel_of_stub("main"), None);
        assert_eq!(kernel_of_stub("_Z3__device_stub__x"), None);
    }
}
