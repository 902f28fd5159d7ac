//! What we ask of an ELF file: a section by name, and whether it has to do with CUDA.

use super::ElfError;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _};
use std::collections::HashSet;

/// The sections that nvcc puts device code in.
const DEVICE_CODE: [&str; 2] = [".nv_fatbin", ".nvFatBinSegment"];

/// The bytes of a section, where there is one of this name.
pub fn section<'a>(file: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, ElfError> {
    let elf = parse(file)?;
    let found = elf.section_by_name(name);
    Ok(found.map(|section| section.data()).transpose()?)
}

/// Whether a section has a name that begins so.
pub fn has_section_beginning(file: &[u8], beginning: &str) -> bool {
    let Ok(elf) = parse(file) else { return false };
    let begins = |name: &str| name.starts_with(beginning);
    elf.sections()
        .any(|section| section.name().is_ok_and(begins))
}

/// Whether the file is a relocatable object.
pub fn is_object(file: &[u8]) -> bool {
    parse(file).is_ok_and(|elf| elf.elf_header().e_type(LittleEndian) == object::elf::ET_REL)
}

/// Names of the global functions and variables that a file defines, as its symbol table tells; empty for one that was
/// stripped.
pub fn defined_names(file: &[u8]) -> HashSet<&[u8]> {
    let Ok(elf) = parse(file) else {
        return HashSet::new();
    };
    let defined = elf
        .symbols()
        .filter(|symbol| symbol.is_global() && symbol.is_definition());
    defined
        .filter_map(|symbol| symbol.name_bytes().ok())
        .collect()
}

/// Whether a linked program or library holds device code or needs the CUDA runtime or driver.
pub fn calls_cuda(file: &[u8]) -> bool {
    let Ok(elf) = parse(file) else { return false };
    let device_code = DEVICE_CODE
        .iter()
        .any(|name| elf.section_by_name(name).is_some());
    device_code
        || elf
            .dynamic_symbols()
            .any(|symbol| symbol.is_undefined() && symbol.name().is_ok_and(is_cuda_name))
}

/// `cudaMalloc`, `__cudaRegisterFatBinary`, `cuInit`; not `curl_easy_init`.
fn is_cuda_name(name: &str) -> bool {
    let driver = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    name.trim_start_matches('_').starts_with("cuda") || name.strip_prefix("cu").is_some_and(driver)
}

fn parse(file: &[u8]) -> Result<ElfFile64<'_, LittleEndian>, ElfError> {
    Ok(ElfFile64::parse(file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_names_are_told_from_those_that_look_alike() {
        for name in [
            "cudaMalloc",
            "__cudaRegisterFatBinary",
            "cuInit",
            "cuMemAlloc_v2",
        ] {
            assert!(is_cuda_name(name), "{name}");
        }
        for name in ["curl_easy_init", "cuserid", "malloc", ""] {
            assert!(!is_cuda_name(name), "{name}");
        }
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(section(b"!<arch>\n", ".text").is_err());
        assert!(!is_object(b"BC\xc0\xde"));
        assert!(!calls_cuda(&[]));
    }
}
