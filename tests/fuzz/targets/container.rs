//! Bytes of an ELF section of ours -> its entries; what was read is what writing the entries again gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_schema::container::{append, entries};

fuzz_target!(|section: &[u8]| {
    let Ok(found) = entries(section) else {
        return;
    };
    let mut again = Vec::new();
    for (mark, payload) in &found {
        append(&mut again, *mark, payload);
    }
    assert_eq!(entries(&again).as_ref(), Ok(&found));
});
