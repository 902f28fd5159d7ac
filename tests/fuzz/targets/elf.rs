//! Bytes of an ELF file -> the same file with a section of ours, as `migfit-cc` does it to users' objects and programs.
//! It is a program, not a library, so its module is part of this target by its path.
#![no_main]

#[path = "../../../analyzer/src/cc/elf/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the target replaces no file")]
mod elf;

use libfuzzer_sys::fuzz_target;
use migfit_schema::container::{IR_SECTION, PROFILE_SECTION};

fuzz_target!(|file: &[u8]| {
    let _ = (elf::is_object(file), elf::calls_cuda(file));
    let Ok(with) = elf::put_section(file, IR_SECTION, PROFILE_SECTION, b"job profile") else {
        return;
    };
    let found = elf::section(&with, PROFILE_SECTION);
    assert_eq!(found.expect("it is an ELF file"), Some(&b"job profile"[..]));
});
