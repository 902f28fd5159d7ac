//! Bytes of an ELF section of ours -> its entries; what was read is what writing the entries again gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_schema::container::{append, entries, seal, sealed_entries};

fuzz_target!(|section: &[u8]| {
    let sealed = sealed_entries(section);
    let Ok(found) = entries(section) else {
        assert!(sealed.is_err());
        return;
    };
    let mut again = Vec::new();
    for (mark, payload) in &found {
        append(&mut again, *mark, payload);
    }
    assert_eq!(entries(&again).as_ref(), Ok(&found));
    seal(&mut again);
    assert_eq!(sealed_entries(&again).as_ref(), Ok(&found));
});
