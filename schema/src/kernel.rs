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
    /// Its device code, one image for each architecture that it was compiled for, ascending; empty where the device
    /// code was not seen.
    pub images: Vec<KernelImage>,
}

/// What a kernel takes of an SM, as one image of its device code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KernelImage {
    /// Compute capability times ten: 90 for 9.0.
    pub architecture: u32,
    /// What it is made of.
    pub code: ImageCode,
    /// Compute capability (times ten) of the PTX that it is or was made from, where that is known: a kernel may have
    /// been written for several, and its host code asks which one it is.
    pub ptx: Option<u32>,
    /// Registers per thread. Of PTX an estimate: the driver's own compiler decides.
    pub registers: Option<u32>,
    /// Bytes of static shared memory per block.
    pub static_shared: Option<u32>,
    /// Most threads of a block that launch bounds allow, where the kernel has some.
    pub most_threads: Option<u32>,
}

/// Kinds of device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageCode {
    /// Machine code as it runs.
    Machine,
    /// Machine code that a device link joins with others: there it may take more registers.
    Part,
    /// PTX, which the driver compiles.
    Ptx,
}

/// What a kernel takes of an SM of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelUse {
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Bytes of static shared memory per block.
    pub static_shared: Option<u32>,
    /// Most threads of a block that launch bounds allow.
    pub most_threads: Option<u32>,
    /// Compute capability (times ten) of the PTX behind it.
    pub ptx: Option<u32>,
    /// Compute capability (times ten) of the machine code: the device's own where the driver compiles PTX.
    pub binary: u32,
    /// What the figures rest on.
    pub basis: UseBasis,
}

/// What the figures of a `KernelUse` rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseBasis {
    /// The machine code that this device runs: they are exact.
    Machine,
    /// Machine code for another architecture (compute capability times ten), or a part of some: an estimate.
    OtherMachine(u32),
    /// PTX, whose registers were counted without an assembler: an estimate.
    Ptx(u32),
    /// No device code was seen.
    Nothing,
}

impl UseBasis {
    /// Why the figures are no more than an estimate; `None` where they are exact.
    #[must_use]
    pub fn doubt(self) -> Option<String> {
        let sm = |architecture| format!("sm_{architecture}");
        match self {
            UseBasis::Machine => None,
            UseBasis::OtherMachine(architecture) => Some(format!(
                "estimate from the machine code for {}: this device compiles the kernel anew",
                sm(architecture)
            )),
            UseBasis::Ptx(architecture) => Some(format!(
                "estimate from PTX for {}: the driver compiles it",
                sm(architecture)
            )),
            UseBasis::Nothing => Some("its device code was not seen".to_owned()),
        }
    }
}

impl Kernel {
    /// What it takes of an SM of a device with this compute capability. The driver takes machine code of the same
    /// major and no larger minor number, the largest of these, and else compiles PTX.
    #[must_use]
    pub fn on(&self, (major, minor): (u32, u32)) -> KernelUse {
        let runs = |image: &&KernelImage| {
            image.code == ImageCode::Machine
                && image.architecture / 10 == major
                && image.architecture % 10 <= minor
        };
        let own = self.images.iter().filter(runs);
        if let Some(image) = own.max_by_key(|image| image.architecture) {
            // Two images for one architecture that differ (sm_90 and sm_90a): which one runs is not told here.
            let differ = self.images.iter().any(|other| {
                other.architecture == image.architecture
                    && other.code == ImageCode::Machine
                    && other != image
            });
            let basis = match differ {
                false => UseBasis::Machine,
                true => UseBasis::OtherMachine(image.architecture),
            };
            return image.used(basis, image.architecture);
        }
        let here = major * 10 + minor;
        let nearest = |image: &&KernelImage| (image.code, image.architecture.abs_diff(here));
        match self.images.iter().min_by_key(nearest) {
            Some(image) if image.code == ImageCode::Ptx => {
                image.used(UseBasis::Ptx(image.architecture), here)
            }
            Some(image) => image.used(UseBasis::OtherMachine(image.architecture), here),
            None => KernelUse {
                registers: None,
                static_shared: None,
                most_threads: None,
                ptx: None,
                binary: here,
                basis: UseBasis::Nothing,
            },
        }
    }
}

impl KernelImage {
    fn used(self, basis: UseBasis, binary: u32) -> KernelUse {
        KernelUse {
            registers: self.registers,
            static_shared: self.static_shared,
            most_threads: self.most_threads,
            ptx: self.ptx,
            binary,
            basis,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(architecture: u32, code: ImageCode, registers: u32) -> KernelImage {
        KernelImage {
            architecture,
            code,
            ptx: Some(architecture),
            registers: Some(registers),
            static_shared: Some(0),
            most_threads: None,
        }
    }

    fn on(images: &[KernelImage], capability: (u32, u32)) -> (Option<u32>, UseBasis) {
        let kernel = Kernel {
            symbol: "k".to_owned(),
            name: "k".to_owned(),
            images: images.to_vec(),
        };
        let found = kernel.on(capability);
        (found.registers, found.basis)
    }

    #[test]
    fn the_machine_code_that_the_driver_takes_counts() {
        use ImageCode::{Machine, Part, Ptx};
        let images = [
            image(80, Machine, 30),
            image(86, Machine, 34),
            image(90, Ptx, 20),
        ];
        assert_eq!(on(&images, (8, 0)), (Some(30), UseBasis::Machine));
        assert_eq!(on(&images, (8, 9)), (Some(34), UseBasis::Machine));
        assert_eq!(on(&images, (9, 0)), (Some(34), UseBasis::OtherMachine(86)));
        assert_eq!(on(&images[2..], (9, 0)), (Some(20), UseBasis::Ptx(90)));
        let part = [image(90, Part, 18)];
        assert_eq!(on(&part, (9, 0)), (Some(18), UseBasis::OtherMachine(90)));
        let two = [image(90, Machine, 18), image(90, Machine, 24)];
        assert_eq!(on(&two, (9, 0)).1, UseBasis::OtherMachine(90));
        assert_eq!(on(&[], (9, 0)), (None, UseBasis::Nothing));
    }

    #[test]
    fn a_kernel_knows_the_versions_of_its_code() {
        let versions = |images: &[KernelImage], capability| {
            let kernel = Kernel {
                symbol: "k".to_owned(),
                name: "k".to_owned(),
                images: images.to_vec(),
            };
            let found = kernel.on(capability);
            (found.ptx, found.binary)
        };
        let assembled = KernelImage {
            ptx: Some(75),
            ..image(80, ImageCode::Machine, 30)
        };
        assert_eq!(versions(&[assembled], (8, 6)), (Some(75), 80));
        let text = [image(75, ImageCode::Ptx, 30)];
        assert_eq!(versions(&text, (9, 0)), (Some(75), 90));
        assert_eq!(versions(&[], (9, 0)), (None, 90));
    }

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
