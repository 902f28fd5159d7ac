//! What a linked program takes from shared libraries: which functions are the system's own, and which libraries are
//! somebody else's. The versions of its undefined symbols tell.

use super::ElfError;
use object::elf::SHN_UNDEF;
use object::read::elf::{Dyn as _, ElfFile64, Sym as _};
use object::{LittleEndian, SymbolIndex};

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

/// How names of the system's libraries and of CUDA's runtime and driver begin.
const LIBRARIES: [&str; 14] = [
    "libc.so",
    "libm.so",
    "libmvec.so",
    "libstdc++.so",
    "libgcc_s.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "ld-linux",
    "libgomp.so",
    "libomp.so",
    "libcudart.so",
    "libcuda.so",
    "libnvidia-ml.so",
];

/// What a program takes from shared libraries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imports {
    /// Functions and variables of the system's libraries.
    pub system: Vec<String>,
    /// Libraries that are neither the system's nor CUDA's own, by the names under which they are loaded.
    pub libraries: Vec<String>,
}

/// Looks at a linked program.
pub fn imports(file: &[u8]) -> Result<Imports, ElfError> {
    let elf = ElfFile64::<LittleEndian>::parse(file)?;
    Ok(Imports {
        system: system_functions(&elf)?,
        libraries: foreign_libraries(&elf, file)?,
    })
}

fn system_functions(elf: &ElfFile64<'_, LittleEndian>) -> Result<Vec<String>, ElfError> {
    let endian = elf.endian();
    let Some(versions) = elf.elf_section_table().versions(endian, elf.data())? else {
        return Ok(Vec::new());
    };
    let symbols = elf.elf_dynamic_symbol_table();
    let mut found = Vec::new();
    for (index, symbol) in symbols.enumerate() {
        if symbol.st_shndx(endian) != SHN_UNDEF {
            continue;
        }
        let version = versions.version(versions.version_index(endian, SymbolIndex(index.0)))?;
        let is_system = version.is_some_and(|version| {
            let name = version.name();
            VERSIONS.iter().any(|start| name.starts_with(start))
        });
        if is_system {
            let name = symbols.symbol_name(endian, symbol)?;
            found.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn foreign_libraries(
    elf: &ElfFile64<'_, LittleEndian>,
    file: &[u8],
) -> Result<Vec<String>, ElfError> {
    let endian = elf.endian();
    let sections = elf.elf_section_table();
    let Some((entries, strings)) = sections.dynamic(endian, file)? else {
        return Ok(Vec::new());
    };
    let strings = sections.strings(endian, file, strings)?;
    let mut found = Vec::new();
    for entry in entries {
        if entry.d_tag.get(endian) == u64::from(object::elf::DT_NEEDED) {
            let name = entry.string(endian, strings)?;
            let name = String::from_utf8_lossy(name).into_owned();
            if !LIBRARIES.iter().any(|start| name.starts_with(start)) {
                found.push(name);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_takes_only_from_the_system() {
        let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = imports(&file).unwrap();
        assert!(found.system.iter().any(|name| name == "write"), "{found:?}");
        assert_eq!(found.libraries, Vec::<String>::new());
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(imports(b"!<arch>\n").is_err());
    }
}
