//! Machine code of a GPU (an ELF file, "cubin") -> registers and static shared memory of its kernels, as the assembler
//! wrote them down. Knows nothing of fat binaries.

use object::read::elf::{ElfFile64, FileHeader as _};
use object::{LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, SymbolIndex};
use std::collections::BTreeMap;

/// Attribute of `.nv.info` that holds a function's registers.
const REGISTERS: u8 = 0x2f;
/// Attribute of `.nv.info.KERNEL` that holds the largest block of its launch bounds, as three extents.
const MOST_THREADS: u8 = 0x05;
/// A value whose size is the attribute's third and fourth byte; other forms are four bytes in all.
const SIZED: u8 = 0x04;
/// Bytes that the system keeps of each block's shared memory. Where the file has a section for them, each kernel's own
/// section counts them as well (seen for compute capability 9.0 and later; `ptxas -v` leaves them out).
const RESERVED: u64 = 1024;
/// The section that says so.
const RESERVED_SECTION: &str = ".nv.shared.reserved.0";

/// What a file of machine code says of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of static shared memory of a block; `None` where the file contradicts itself.
    pub static_shared: Option<u32>,
    /// Most threads of a block that its launch bounds allow.
    pub most_threads: Option<u32>,
}

/// A file of machine code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// Kernels by name.
    pub kernels: BTreeMap<String, KernelFacts>,
    /// Compute capability (times ten) of the PTX that it was assembled from; `None` where the file does not tell.
    pub ptx: Option<u32>,
    /// False for a part that a device link (`nvcc -rdc=true`) has yet to join with others: its kernels may use more
    /// registers then.
    pub linked: bool,
}

/// Reads a file of machine code.
///
/// # Errors
/// When it is no 64-bit ELF file, or its tables lie outside of it.
pub fn read(file: &[u8]) -> Result<Cubin, object::Error> {
    let elf = ElfFile64::<LittleEndian>::parse(file)?;
    let reserved = match elf.section_by_name(RESERVED_SECTION) {
        Some(_) => RESERVED,
        None => 0,
    };
    let info = match elf.section_by_name(".nv.info") {
        Some(section) => section.data()?,
        None => &[],
    };
    let mut kernels = BTreeMap::new();
    for (attribute, payload) in attributes(info) {
        let (Some(symbol), Some(registers)) = (word(payload, 0), word(payload, 4)) else {
            continue;
        };
        if attribute != REGISTERS {
            continue;
        }
        let symbol = elf.symbol_by_index(SymbolIndex(symbol as usize))?;
        let name = symbol.name()?;
        // Functions that kernels call have registers too, but no section of attributes of launches.
        if let Some(own) = elf.section_by_name(&format!(".nv.info.{name}")) {
            let facts = KernelFacts {
                registers,
                static_shared: static_shared(&elf, name, reserved),
                most_threads: most_threads(own.data()?),
            };
            kernels.insert(name.to_owned(), facts);
        }
    }
    let linked = elf.elf_header().e_type(LittleEndian) == object::elf::ET_EXEC;
    let ptx = ptx_architecture(&elf)?;
    Ok(Cubin {
        kernels,
        ptx,
        linked,
    })
}

/// A note tells it: sizes of its name and payload and its kind (12 bytes), the name (12 bytes), a version, and then this.
/// Before there were such notes (up to CUDA 12) the third byte of the file's flags did.
fn ptx_architecture(elf: &ElfFile64<'_, LittleEndian>) -> Result<Option<u32>, object::Error> {
    const AT: usize = 26;
    if let Some(note) = elf.section_by_name(".note.nv.cuinfo") {
        let data = note.data()?;
        let word = data.get(AT..AT + 2).and_then(|word| word.try_into().ok());
        return Ok(word.map(|word| u32::from(u16::from_le_bytes(word))));
    }
    let flags = elf.elf_header().e_flags(LittleEndian);
    Ok(Some((flags >> 16) & 0xff).filter(|architecture| *architecture != 0))
}

/// Size of the section that stands for a kernel's static shared memory; none of it: no memory.
fn static_shared(elf: &ElfFile64<'_, LittleEndian>, kernel: &str, reserved: u64) -> Option<u32> {
    let section = elf.section_by_name(&format!(".nv.shared.{kernel}"));
    let bytes = section.map_or(0, |section| section.size());
    let own = match bytes {
        0 => 0,
        _ => bytes.checked_sub(reserved)?,
    };
    u32::try_from(own).ok()
}

fn most_threads(info: &[u8]) -> Option<u32> {
    let bound = attributes(info).find(|(attribute, _)| *attribute == MOST_THREADS);
    let (_, extents) = bound?;
    let extent = |at| word(extents, at);
    extent(0)?.checked_mul(extent(4)?)?.checked_mul(extent(8)?)
}

/// The attributes of a `.nv.info` section: number and payload.
fn attributes(info: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = info;
    std::iter::from_fn(move || {
        let (head, after) = rest.split_first_chunk::<4>()?;
        let [form, attribute, low, high] = *head;
        let size = match form {
            SIZED => usize::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        let (payload, after) = after.split_at_checked(size)?;
        rest = after;
        Some((attribute, payload))
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn attributes_are_read_until_the_section_ends() {
        // One with a payload, one without, one that is cut short.
        let info = [
            4, 0x2f, 8, 0, 3, 0, 0, 0, 32, 0, 0, 0, 3, 0x1b, 255, 0, 4, 5, 12, 0, 1,
        ];
        let found: Vec<_> = attributes(&info).collect();
        assert_eq!(found, [(0x2f, &info[4..12]), (0x1b, &[][..])]);
        assert_eq!(word(found[0].1, 4), Some(32));
    }

    #[test]
    fn launch_bounds_are_a_product() {
        let mut info = vec![4, MOST_THREADS, 12, 0];
        for extent in [32_u32, 8, 1] {
            info.extend(extent.to_le_bytes());
        }
        assert_eq!(most_threads(&info), Some(256));
        assert_eq!(most_threads(&info[..10]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
            let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
            elf.extend(bytes);
            let _ = read(&elf);
        }
    }
}
