//! TOML of a GPU model -> the model; what is accepted can be asked everything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_mig::{Layout, model};

fuzz_target!(|text: &str| {
    let Ok(model) = model::parse(text) else {
        return;
    };
    let _ = (model.board(), model.mig_sm_count(), model.basic_profiles());
    for profile in &model.profiles {
        let _ = profile.compute_profiles();
        for placement in profile.default_order() {
            let _ = profile.rank(placement);
        }
    }
    let _ = Layout::default().placeable(&model);
});
