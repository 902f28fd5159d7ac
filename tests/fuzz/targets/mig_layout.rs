//! Text -> layout on each built-in GPU model; a legal one survives printing and stays within the GPU.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_mig::{Layout, builtin};

fuzz_target!(|text: &str| {
    for model in builtin().expect("the built-in models are sound") {
        let Ok(layout) = Layout::parse(model, text) else {
            continue;
        };
        let placed: Vec<String> = layout.placed().iter().map(ToString::to_string).collect();
        assert_eq!(Layout::parse(model, &placed.join(" ")), Ok(layout.clone()));
        assert!(layout.occupied().count_ones() <= model.memory_slices);
        for (profile, places) in layout.placeable(model) {
            assert!(!places.is_empty(), "{profile} is placeable nowhere");
        }
    }
});
