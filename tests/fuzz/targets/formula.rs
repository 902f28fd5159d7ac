//! JSON of a job profile's summary or of one formula -> the values of its formulas.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_fuzz::{command, device};
use migfit_schema::formula::Expr;
use migfit_schema::profile::Summary;
use migfit_sizes::evaluate_formula;

fuzz_target!(|json: &[u8]| {
    if let Ok(formula) = serde_json::from_slice::<Expr>(json) {
        let _ = evaluate_formula(&formula, &command(), &device());
    }
    if let Ok(summary) = serde_json::from_slice::<Summary>(json) {
        for allocation in &summary.allocations {
            let _ = evaluate_formula(&allocation.size, &command(), &device());
        }
    }
});
