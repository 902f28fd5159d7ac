//! Programs that a real GPU runs and the virtual one cannot: with the static CUDA runtime, which asks for NVIDIA's
//! private interfaces, or with libraries of NVIDIA's that hold machine code only. Reads the program's file and those of its shared libraries only.

use crate::jobs::Job;
use migfit_loader::{Dynamic, Places, is_system, needed};
use object::read::{Object, ObjectSection, ObjectSymbol, ReadCache};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Section of device code that nvcc puts into host programs.
const DEVICE_CODE: &str = ".nv_fatbin";
/// Section of relocatable device code: nvcc's `-rdc=true` and `-dc`.
const RELOCATABLE: &str = "__nv_relfatbin";
/// With the shared runtime every program with device code imports this.
const REGISTERS: &[u8] = b"__cudaRegisterFatBinary";

/// Beginnings of the names of NVIDIA's libraries whose device code is machine code, and what people call them.
const CLOSED: [(&str, &str); 12] = [
    ("libcublas", "cuBLAS"),
    ("libcufft", "cuFFT"),
    ("libcusparse", "cuSPARSE"),
    ("libcusolver", "cuSOLVER"),
    ("libcudnn", "cuDNN"),
    ("libnccl", "NCCL"),
    ("libcurand", "cuRAND"),
    ("libcutensor", "cuTENSOR"),
    ("libnvjpeg", "nvJPEG"),
    ("libnpp", "NPP"),
    ("libnvrtc", "NVRTC"),
    ("libnvJitLink", "nvJitLink"),
];

/// Why a program cannot run on the virtual GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// This file holds the static CUDA runtime.
    StaticRuntime(PathBuf),
    /// It needs these libraries of NVIDIA's.
    ClosedLibraries(Vec<String>),
}

/// What hinders a job's program from running on the virtual GPU, where anything does.
#[must_use]
pub fn hindrance(program: &Path, job: &Job) -> Option<Hindrance> {
    let closed = closed_libraries(program, job);
    if !closed.is_empty() {
        return Some(Hindrance::ClosedLibraries(closed));
    }
    static_runtime(program, job).map(Hindrance::StaticRuntime)
}

/// NVIDIA's closed libraries that the loader takes for a program, each once: `cuBLAS (libcublas.so.13)`.
fn closed_libraries(program: &Path, job: &Job) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in library_names(program, job) {
        let known = CLOSED.iter().find(|(start, _)| name.starts_with(start));
        let Some((_, people)) = known else { continue };
        if !found
            .iter()
            .any(|told| told.starts_with(&format!("{people} ")))
        {
            found.push(format!("{people} ({name})"));
        }
    }
    found
}

/// Names of all libraries that the loader takes, found or not.
fn library_names(program: &Path, job: &Job) -> Vec<String> {
    let read = || {
        let file = ReadCache::new(File::open(program).ok()?);
        let dynamic = Dynamic::read(&file).ok()?;
        let places = Places::new(&job.cwd, job.variable("LD_LIBRARY_PATH").as_deref());
        Some(needed(program, &dynamic, &places, |_| None))
    };
    let libraries = read().unwrap_or_default().into_iter();
    libraries.map(|library| library.name).collect()
}

/// The file that brings the static CUDA runtime into a job's process: its program, or a library that the loader takes.
#[must_use]
fn static_runtime(program: &Path, job: &Job) -> Option<PathBuf> {
    if holds_static_runtime(program) {
        return Some(program.to_owned());
    }
    let file = ReadCache::new(File::open(program).ok()?);
    let dynamic = Dynamic::read(&file).ok()?;
    let places = Places::new(&job.cwd, job.variable("LD_LIBRARY_PATH").as_deref());
    let libraries = needed(program, &dynamic, &places, |_| None).into_iter();
    libraries
        .filter(|library| !is_system(&library.name))
        .filter_map(|library| library.path)
        .find(|path| holds_static_runtime(path))
}

/// Whether a file registers device code with a runtime of its own; not so what is no program or library.
fn holds_static_runtime(program: &Path) -> bool {
    let Ok(file) = File::open(program) else {
        return false;
    };
    let file = ReadCache::new(file);
    let Ok(elf) = object::File::parse(&file) else {
        return false;
    };
    let holds = |name: &str| {
        let section = elf.section_by_name(name);
        section.is_some_and(|section| section.size() > 0)
    };
    let imported = |symbol: object::Symbol<'_, '_, _>| {
        symbol.is_undefined() && symbol.name_bytes().is_ok_and(|name| name == REGISTERS)
    };
    let registers_elsewhere = elf.dynamic_symbols().any(imported);
    (holds(DEVICE_CODE) || holds(RELOCATABLE)) && !registers_elsewhere
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
        for section in [".nv_fatbin", "__nv_relfatbin"] {
            let program = elf(section, "malloc");
            assert!(holds_static_runtime(program.path()), "{section}");
        }
    }

    #[test]
    fn programs_without_device_code_have_none() {
        assert!(!holds_static_runtime(elf(".rodata", "malloc").path()));
        assert!(!holds_static_runtime(Path::new("/bin/sh")));
        assert!(!holds_static_runtime(Path::new("/no/such/file")));
    }
}
