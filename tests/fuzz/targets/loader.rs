//! Bytes of an ELF file and of /etc/ld.so.cache -> what the dynamic loader reads of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_loader::{Dynamic, parse_cache};

fuzz_target!(|file: &[u8]| {
    let _ = Dynamic::read(file);
    let _ = parse_cache(file);
});
