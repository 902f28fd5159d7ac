//! Host IR on its way from a compile to the link: in a section of the object, whose other bytes stay as the compiler
//! wrote them; of objects that a linker's plugin reads (link-time optimisation) beside them, by their content.

use super::elf;
use super::kept_copy::{self, Store};
use migfit_schema::container::{IR_SECTION, NO_BITCODE, append, append_bitcode};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Bitcode, or the reason why there is none.
pub type HostIr = Result<Vec<u8>, String>;

/// All IR of such objects together; the oldest goes.
const MOST_BYTES: u64 = 512 << 20;
/// Sections of link-time optimisation begin so.
const LTO_SECTIONS: &str = ".gnu.lto_";
/// LLVM's own objects of link-time optimisation begin so.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// Gives the IR to the object. Where that cannot be, the object stays as it is.
pub fn give(ir: &HostIr, object: &Path) {
    let Ok(file) = std::fs::read(object) else {
        return;
    };
    let section = section(ir);
    if is_for_a_plugin(&file) {
        let (Ok(_), Some(store)) = (ir, store()) else {
            return;
        };
        // What cannot be kept is named at the link.
        let _ = store.keep(&name(&file), &section);
        return;
    }
    if let Ok(with_ir) = elf::append_section(&file, IR_SECTION, &section) {
        // As above.
        let _ = elf::replace_file(object, &with_ir);
    }
}

/// The section's bytes that were kept for an object, by its content.
pub fn kept_for(object: &[u8]) -> Option<Vec<u8>> {
    match is_for_a_plugin(object) {
        true => std::fs::read(store()?.file(&name(object))).ok(),
        false => None,
    }
}

fn section(ir: &HostIr) -> Vec<u8> {
    let mut section = Vec::new();
    match ir {
        Ok(bitcode) => append_bitcode(&mut section, bitcode),
        Err(reason) => append(&mut section, NO_BITCODE, reason.as_bytes()),
    }
    section
}

/// Whether the linker gives the object to a plugin, which drops all sections that it does not know.
fn is_for_a_plugin(object: &[u8]) -> bool {
    object.starts_with(BITCODE) || elf::has_section_beginning(object, LTO_SECTIONS)
}

fn store() -> Option<Store> {
    let folder = kept_copy::data_folder()?;
    Some(Store::new(folder.join("ir"), MOST_BYTES))
}

/// Two sums of different kinds, so that objects are not mistaken for one another.
fn name(object: &[u8]) -> PathBuf {
    let forward = migfit_schema::container::checksum(object);
    let backward: Vec<u8> = object.iter().rev().copied().collect();
    let backward = migfit_schema::container::checksum(&backward);
    let length = object.len();
    PathBuf::from(OsStr::new(&format!(
        "{forward:016x}{backward:016x}{length:x}"
    )))
}
