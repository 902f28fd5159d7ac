//! Programs that a real GPU runs and the virtual one cannot: with the static CUDA runtime, which asks for NVIDIA's
//! private interfaces, and with device code that is linked only when the program starts. Reads the file only.

use object::read::{Object, ObjectSection, ObjectSymbol, ReadCache};
use std::fs::File;
use std::path::Path;

/// Section of device code that nvcc puts into host programs.
const DEVICE_CODE: &str = ".nv_fatbin";
/// Section of relocatable device code: nvcc's `-rdc=true` and `-dc`.
const RELOCATABLE: &str = "__nv_relfatbin";
/// With the shared runtime every program with device code imports this.
const REGISTERS: &[u8] = b"__cudaRegisterFatBinary";

/// Why the virtual GPU cannot run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It registers device code with a runtime of its own.
    StaticRuntime,
    /// Its device code is relocatable.
    Relocatable,
}

/// What keeps a program from the virtual GPU; `None` also for what is no program.
#[must_use]
pub fn unfit(program: &Path) -> Option<Unfit> {
    let file = ReadCache::new(File::open(program).ok()?);
    let elf = object::File::parse(&file).ok()?;
    let holds = |name: &str| {
        let section = elf.section_by_name(name);
        section.is_some_and(|section| section.size() > 0)
    };
    let imported = |symbol: object::Symbol<'_, '_, _>| {
        symbol.is_undefined() && symbol.name_bytes().is_ok_and(|name| name == REGISTERS)
    };
    let registers_elsewhere = elf.dynamic_symbols().any(imported);
    if (holds(DEVICE_CODE) || holds(RELOCATABLE)) && !registers_elsewhere {
        return Some(Unfit::StaticRuntime);
    }
    holds(RELOCATABLE).then_some(Unfit::Relocatable)
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
        let program = elf(".nv_fatbin", "malloc");
        assert_eq!(unfit(program.path()), Some(Unfit::StaticRuntime));
    }

    #[test]
    fn programs_without_device_code_have_none() {
        assert_eq!(unfit(elf(".rodata", "malloc").path()), None);
        assert_eq!(unfit(Path::new("/bin/sh")), None);
        assert_eq!(unfit(Path::new("/no/such/file")), None);
    }
}
