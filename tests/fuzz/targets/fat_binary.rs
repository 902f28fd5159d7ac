//! Bytes of a fat binary -> its entries, and the PTX text that an A100 runs; the same bytes, cut in pieces, as the device
//! files of a program that was linked with -rdc=true -> the outline of the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_ptx::{container, link, outline, source};

fuzz_target!(|bytes: &[u8]| {
    let _ = container::length(bytes);
    if let Ok(entries) = container::entries(bytes) {
        for entry in entries {
            let _ = entry.bytes();
        }
    }
    let _ = source::from_container(bytes, (8, 0));
    // A container tells its own length, so what lies behind the first is the next.
    let mut files = Vec::new();
    let mut rest = bytes;
    while let Ok(length) = container::length(rest)
        && let Some((file, behind)) = rest.split_at_checked(length)
    {
        files.push(file);
        rest = behind;
    }
    if let Ok(texts) = source::from_device_files(&files, (8, 0)) {
        let _ = link::link(texts.iter().map(|text| outline::scan(text)).collect());
    }
});
