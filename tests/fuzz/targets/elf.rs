//! Bytes of an ELF file -> the same file with a section of ours, as `migfit-cc` does it to users' objects and programs.
//! It is a program, not a library, so its module is part of this target by its path.
#![no_main]

#[path = "../../../analyzer/src/cc/elf/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the target replaces no file")]
mod elf;

use libfuzzer_sys::fuzz_target;
use migfit_schema::container::{IR_SECTION, PROFILE_SECTION};
use object::LittleEndian as LE;
use object::elf::{FileHeader64, SHF_ALLOC, SHT_PROGBITS, SHT_STRTAB};
use object::read::elf::{FileHeader as _, SectionHeader as _};

fuzz_target!(|file: &[u8]| {
    let _ = (elf::is_object(file), elf::calls_cuda(file));
    let readable = elf::section(file, IR_SECTION).is_ok();
    let Ok(with) = elf::put_section(file, IR_SECTION, PROFILE_SECTION, b"job profile") else {
        return;
    };
    let found = elf::section(&with, PROFILE_SECTION);
    if readable && is_writable(file) {
        assert_eq!(found.expect("it is an ELF file"), Some(&b"job profile"[..]));
    }
});

/// Whether every section has a name, and the names and our sections are of the kind that compilers and linkers make. Where not, `put_section` may leave the file as unreadable as it was.
fn is_writable(file: &[u8]) -> bool {
    let Ok(header) = FileHeader64::<LE>::parse(file) else {
        return false;
    };
    let (Ok(sections), Ok(names)) = (header.sections(LE, file), header.shstrndx(LE, file)) else {
        return false;
    };
    sections.enumerate().all(|(nth, section)| {
        let Ok(name) = sections.section_name(LE, section) else {
            return false;
        };
        let is_ours = [IR_SECTION, PROFILE_SECTION]
            .map(str::as_bytes)
            .contains(&name);
        let want = match nth.0 == names as usize {
            true if is_ours => return false,
            true => SHT_STRTAB,
            false if is_ours => SHT_PROGBITS,
            false => return true,
        };
        section.sh_type(LE) == want && section.sh_flags(LE) & u64::from(SHF_ALLOC) == 0
    })
}
