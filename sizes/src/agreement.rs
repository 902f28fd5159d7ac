//! A job profile's closed forms against what the evaluation of the same command line found, site by site.

use crate::formula::{Number, evaluate_formula};
use crate::input::{CommandLine, DeviceProperties};
use crate::need::Need;
use migfit_schema::profile::{Allocation, Summary};
use migfit_schema::site::Site;

/// How closed forms stand to the evaluation. Sites that did not run for this command line are in none of the counts:
/// a form says what a site asks for when it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Sites whose closed form gives what the evaluation found.
    pub agreeing: usize,
    /// Sites that ran and have no closed form, or whose sizes the evaluation does not know.
    pub without: usize,
    /// Sites where the two differ: one of them is wrong.
    pub differing: Vec<Difference>,
}

/// A site whose closed form gives other bytes than the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub site: Site,
    /// The call.
    pub api: String,
    /// Bytes of all its requests, by the closed form.
    pub formula: i128,
    /// The same, by the evaluation.
    pub evaluated: u64,
}

/// Compares all allocation sites that ran.
#[must_use]
pub fn agreement(
    summary: &Summary,
    need: &Need,
    command: &CommandLine,
    device: &DeviceProperties,
) -> Agreement {
    let mut found = Agreement::default();
    for ran in &need.allocations {
        // Without debug information all sites are one unknown place: which form is whose is not told.
        if ran.site.line == 0 {
            found.without += 1;
            continue;
        }
        let at_site = |one: &&Allocation| one.site == ran.site && one.api == ran.api;
        let forms: Vec<&Allocation> = summary.allocations.iter().filter(at_site).collect();
        let totals = forms.iter().map(|form| total(form, command, device));
        let formula = match forms.is_empty() {
            true => None,
            false => totals.sum::<Option<i128>>(),
        };
        match (formula, ran.bytes) {
            (Some(formula), Some(_)) if formula == i128::from(ran.total.0) => found.agreeing += 1,
            (Some(formula), Some(_)) => found.differing.push(Difference {
                site: ran.site.clone(),
                api: ran.api.clone(),
                formula,
                evaluated: ran.total.0,
            }),
            _ => found.without += 1,
        }
    }
    found
}

/// Bytes of all requests of a site, where its forms are closed.
fn total(form: &Allocation, command: &CommandLine, device: &DeviceProperties) -> Option<i128> {
    let whole = |expr| match evaluate_formula(expr, command, device)? {
        Number::Int(number) => Some(number),
        Number::Float(_) => None,
    };
    whole(&form.size)?.checked_mul(whole(&form.times)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::{AllocationNeed, Verdict};
    use migfit_schema::formula::{Expr, Input};
    use migfit_schema::units::Bytes;

    fn compared(times: Expr, total: u64) -> Agreement {
        let site = Site {
            file: "a.cu".to_owned(),
            line: 3,
        };
        let mut summary = Summary::blank("a");
        summary.allocations.push(Allocation {
            site: site.clone(),
            api: "cudaMalloc".to_owned(),
            size: Expr::Input(Input::ArgInt(1)),
            times,
        });
        let mut need = crate::report::nothing("x", String::new());
        need.verdict = Verdict::Exact;
        need.allocations.push(AllocationNeed {
            site,
            api: "cudaMalloc".to_owned(),
            times: 2,
            bytes: Some((Bytes(64), Bytes(64))),
            total: Bytes(total),
            sizes: Vec::new(),
        });
        let command = CommandLine {
            args: vec!["./a".to_owned(), "64".to_owned()],
            env: Vec::new(),
            cwd: "/".into(),
        };
        agreement(&summary, &need, &command, &DeviceProperties::default())
    }

    #[test]
    fn forms_agree_differ_or_are_not_there() {
        assert_eq!(compared(Expr::Int(2), 128).agreeing, 1);
        assert_eq!(compared(Expr::OneOf(Vec::new()), 128).without, 1);
        let differing = compared(Expr::Int(1), 128).differing;
        assert_eq!((differing[0].formula, differing[0].evaluated), (64, 128));
    }
}
