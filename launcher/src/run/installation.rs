//! Where migfit's own libraries are: beside the program that runs, `PREFIX/bin/migfit` -> `PREFIX/lib/migfit`.

use crate::run::RunError;
use object::Endianness;
use object::elf::Sym64;
use object::read::elf::{ElfFile64, Sym as _};
use object::read::{Object, ObjectSection, ReadCache};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of migfit's libraries.
#[derive(Clone, Debug)]
pub struct Installation(PathBuf);

impl Installation {
    /// The one that this program belongs to.
    pub fn own() -> Installation {
        let own = std::env::current_exe().and_then(|path| path.canonicalize());
        let prefix = own
            .ok()
            .and_then(|own| Some(own.parent()?.parent()?.to_owned()));
        Installation(prefix.unwrap_or_default().join("lib/migfit"))
    }

    /// The one whose libraries lie in this folder.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Installation {
        Installation(folder.to_owned())
    }

    /// The library that is preloaded into jobs, whether or not it is there.
    pub fn runtime_library(&self) -> PathBuf {
        self.0.join("libmigfit_runtime.so")
    }

    /// The library to preload into jobs, where it is there and wanted.
    ///
    /// # Errors
    /// Why no run record will be kept, in a sentence.
    pub fn runtime(&self) -> Result<PathBuf, String> {
        let path = self.runtime_library();
        if std::env::var_os("MIGFIT").is_some_and(|value| value == "off") {
            return Err("MIGFIT=off: nothing is recorded".to_owned());
        }
        let text = path.to_string_lossy();
        if text.contains([' ', ':']) {
            return Err(format!(
                "nothing is recorded: a path with a space or colon cannot be preloaded: {text}"
            ));
        }
        match path.is_file() {
            true => Ok(path),
            false => Err(format!("nothing is recorded: {text} is missing")),
        }
    }

    /// The folder of the virtual GPU's libraries.
    ///
    /// # Errors
    /// When one of them is not there, or is no such library.
    pub fn virtual_gpu(&self) -> Result<PathBuf, RunError> {
        let folder = self.0.join("vgpu");
        for (name, function) in VIRTUAL_GPU {
            let library = folder.join(name);
            if let Err(reason) = looks_like(&library, function) {
                return Err(RunError::NoVirtualGpu { library, reason });
            }
        }
        Ok(folder)
    }
}

/// The virtual GPU's libraries, each with a function that it must have.
const VIRTUAL_GPU: [(&str, &[u8]); 4] = [
    (NVML, b"nvmlInit_v2"),
    ("libcuda.so.1", b"cuInit"),
    ("libcudart.so.13", b"cudaMalloc"),
    ("libcudart.so.12", b"cudaMalloc"),
];
/// The one that migfit itself loads.
pub const NVML: &str = "libnvidia-ml.so.1";

/// Whether a library can be loaded and has this function. Its code is not run: only jobs load the CUDA ones.
///
/// # Errors
/// What is wrong with it, as a clause.
pub fn looks_like(library: &Path, function: &[u8]) -> Result<(), String> {
    let file = File::open(library).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "is missing".to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    match defines(&ReadCache::new(file), function) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!(
            "cannot be used: it has no {}",
            String::from_utf8_lossy(function)
        )),
        Err(error) => Err(format!("cannot be loaded: {error}")),
    }
}

/// Whether a library exports a function. All names are read at once: one by one, hundreds would take milliseconds.
fn defines(file: &ReadCache<File>, function: &[u8]) -> object::read::Result<bool> {
    let elf = ElfFile64::<Endianness, _>::parse(file)?;
    let names = match elf.section_by_name(".dynstr") {
        Some(section) => section.data()?,
        None => return Ok(false),
    };
    let endian = elf.endian();
    let named = |symbol: &Sym64<Endianness>| {
        let name = names.get(symbol.st_name(endian) as usize..);
        let rest = name.and_then(|name| name.strip_prefix(function));
        rest.is_some_and(|rest| rest.first() == Some(&0))
    };
    let symbols = elf.elf_dynamic_symbol_table();
    Ok(symbols
        .iter()
        .any(|symbol| symbol.is_definition(endian) && named(symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_exports_what_it_defines_alone() {
        // This very program is no library; the C library is one wherever tests run.
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let path = maps.lines().find_map(|line| {
            let path = line.split_whitespace().last()?;
            path.contains("libc.so").then(|| path.to_owned())
        });
        let libc = PathBuf::from(path.unwrap());
        assert_eq!(looks_like(&libc, b"fopen"), Ok(()));
        let missing = looks_like(&libc, b"fope").unwrap_err();
        assert_eq!(missing, "cannot be used: it has no fope");
        // It only asks for this one: the loader defines it.
        assert!(looks_like(&libc, b"_dl_find_dso_for_object").is_err());
        let absent = looks_like(Path::new("/no/such"), b"x").unwrap_err();
        assert_eq!(absent, "is missing");
    }
}
