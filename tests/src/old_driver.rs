//! A driver that lacks functions: a copy of the virtual GPU's libraries in which their names are not exported, as with a
//! driver that is older than they are.

use crate::sandbox::Sandbox;
use crate::stage::Stage;
use object::{Object, ObjectSection};
use std::ops::Range;
use std::path::Path;

/// A folder with libraries that lack functions.
pub struct OldDriver(Sandbox);

impl OldDriver {
    /// Without these functions of NVML.
    ///
    /// # Panics
    /// When there are none of these names.
    #[must_use]
    pub fn without(functions: &[&str]) -> OldDriver {
        let folder = Sandbox::new();
        for entry in std::fs::read_dir(Stage::ready().virtual_gpu())
            .expect("migfit is staged")
            .flatten()
        {
            let name = entry.file_name();
            let mut bytes = std::fs::read(entry.path()).expect("a staged library can be read");
            if name == "libnvidia-ml.so.1" {
                functions
                    .iter()
                    .for_each(|function| rename(&mut bytes, function));
            }
            folder.put(&name.to_string_lossy(), bytes);
        }
        OldDriver(folder)
    }

    /// The value of LD_LIBRARY_PATH with which programs find it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.folder()
    }
}

/// Gives an exported function another name of the same length in the table of names, so that nobody finds it.
///
/// # Panics
/// When the library exports no such name.
pub fn rename(library: &mut [u8], function: &str) {
    let names = names_of(library);
    let names = library.get_mut(names).expect("its names are in the file");
    let wanted = format!("\0{function}\0").into_bytes();
    let place = names
        .windows(wanted.len())
        .position(|bytes| bytes == wanted);
    let place = place.unwrap_or_else(|| panic!("NVML has no {function}"));
    *names.get_mut(place + 1).expect("it was found there") = b'_';
}

/// Where in its file a library has the names of what it exports.
fn names_of(library: &[u8]) -> Range<usize> {
    let file = object::File::parse(library).expect("a staged library is an ELF file");
    let section = file.section_by_name(".dynstr");
    let range = section.and_then(|section| section.file_range());
    let (start, size) = range.expect("a library has names");
    let number = |place| usize::try_from(place).expect("a file fits in memory");
    number(start)..number(start + size)
}
