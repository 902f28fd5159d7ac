//! Whether a program holds the static CUDA runtime, which asks for NVIDIA's private interfaces and so cannot run on
//! the virtual GPU. Reads the file only.

use object::read::{Object, ObjectSection, ObjectSymbol, ReadCache};
use std::fs::File;
use std::path::Path;

/// Section of device code that nvcc puts into host programs.
const DEVICE_CODE: &str = ".nv_fatbin";
/// With the shared runtime every program with device code imports this.
const REGISTERS: &[u8] = b"__cudaRegisterFatBinary";

/// Whether this program has device code and registers it with a runtime of its own.
#[must_use]
pub fn is_inside(program: &Path) -> bool {
    let Ok(file) = File::open(program) else {
        return false;
    };
    let file = ReadCache::new(file);
    let Ok(elf) = object::File::parse(&file) else {
        return false;
    };
    let device_code = elf.section_by_name(DEVICE_CODE);
    if device_code.is_none_or(|section| section.size() == 0) {
        return false;
    }
    let imported = |symbol: object::Symbol<'_, '_, _>| {
        symbol.is_undefined() && symbol.name_bytes().is_ok_and(|name| name == REGISTERS)
    };
    !elf.dynamic_symbols().any(imported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{Object as Writer, Symbol, SymbolSection};
    use object::{
        Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
    };

    /// An ELF file with this section, and an undefined symbol in its (only) table.
    fn elf(section: &str, import: &str) -> tempfile::NamedTempFile {
        let mut writer = Writer::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let id = writer.add_section(
            Vec::new(),
            section.as_bytes().to_vec(),
            SectionKind::ReadOnlyData,
        );
        writer.append_section_data(id, b"code", 8);
        writer.add_symbol(Symbol {
            name: import.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Dynamic,
            weak: false,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        });
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), writer.write().unwrap()).unwrap();
        file
    }

    #[test]
    fn device_code_without_an_imported_runtime_has_its_own() {
        assert!(is_inside(elf(".nv_fatbin", "malloc").path()));
    }

    #[test]
    fn programs_without_device_code_have_none() {
        assert!(!is_inside(elf(".rodata", "malloc").path()));
        assert!(!is_inside(Path::new("/bin/sh")));
        assert!(!is_inside(Path::new("/no/such/file")));
    }
}
