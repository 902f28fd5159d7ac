//! Text -> name of a MIG profile; what is one prints as it was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_mig::ProfileName;

fuzz_target!(|text: &str| {
    if let Ok(name) = text.parse::<ProfileName>() {
        assert_eq!(name.to_string(), text);
    }
});
