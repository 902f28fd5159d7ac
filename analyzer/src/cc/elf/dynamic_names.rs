//! The names that a linked file shares with others: which functions it takes from the system's libraries (the versions
//! of its undefined symbols tell), and what it offers.

use super::ElfError;
use object::LittleEndian;
use object::SymbolIndex;
use object::elf::SHN_UNDEF;
use object::read::elf::{ElfFile64, Sym as _};

/// How versions of the symbols of the system's and CUDA's own libraries begin.
const VERSIONS: [&[u8]; 7] = [
    b"GLIBC_",
    b"GLIBCXX_",
    b"CXXABI_",
    b"GCC_",
    b"GOMP_",
    b"OMP_",
    b"libcudart.so",
];

/// The names that a linked file shares with others, in alphabetical order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DynamicNames {
    /// Functions and variables that it takes from the system's libraries.
    pub system: Vec<String>,
    /// Functions and variables that it offers.
    pub exports: Vec<String>,
}

/// Looks at a linked program or library.
pub fn dynamic_names(file: &[u8]) -> Result<DynamicNames, ElfError> {
    let elf = ElfFile64::<LittleEndian>::parse(file)?;
    let endian = elf.endian();
    let versions = elf.elf_section_table().versions(endian, elf.data())?;
    let symbols = elf.elf_dynamic_symbol_table();
    let mut found = DynamicNames::default();
    for (index, symbol) in symbols.enumerate() {
        let name = symbols.symbol_name(endian, symbol)?;
        let name = || String::from_utf8_lossy(name).into_owned();
        if symbol.st_shndx(endian) != SHN_UNDEF {
            found.exports.push(name());
            continue;
        }
        let Some(versions) = &versions else { continue };
        let version = versions.version(versions.version_index(endian, SymbolIndex(index.0)))?;
        let of_system = |name: &[u8]| VERSIONS.iter().any(|start| name.starts_with(start));
        if version.is_some_and(|version| of_system(version.name())) {
            found.system.push(name());
        }
    }
    for names in [&mut found.system, &mut found.exports] {
        names.sort();
        names.dedup();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_takes_from_the_system() {
        let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = dynamic_names(&file).unwrap();
        assert!(found.system.iter().any(|name| name == "write"), "{found:?}");
        assert!(!found.exports.iter().any(|name| name == "write"));
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(dynamic_names(b"!<arch>\n").is_err());
    }
}
