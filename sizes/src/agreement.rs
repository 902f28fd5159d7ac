//! A job profile's closed forms against what the evaluation of the same command line found, site by site.

use crate::formula::{Number, evaluate_formula};
use crate::input::{CommandLine, DeviceProperties};
use crate::need::{Need, Verdict};
use migfit_schema::formula::Expr;
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
    /// Whether the formula of the peak gives the evaluated peak; `None` where there is no such formula, or the run is
    /// not exactly known to its end.
    pub peak: Option<bool>,
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
    compare_peaks(&mut found, summary, need, command, device);
    for ran in &need.allocations {
        // Without debug information all sites are one unknown place: which form is whose is not told. And forms say what
        // happens where all calls of CUDA's succeed.
        if ran.site.line == 0 || need.a_call_failed {
            found.without += 1;
            continue;
        }
        let at_site = |one: &&Allocation| one.site == ran.site && one.api == ran.api;
        let forms: Vec<&Allocation> = summary.allocations.iter().filter(at_site).collect();
        let formula = of_site(&forms, command, device);
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

/// Where the program comes to the end of `main`, its formulas say what happened: they take for granted that no check
/// that gives up fails.
fn compare_peaks(
    found: &mut Agreement,
    summary: &Summary,
    need: &Need,
    command: &CommandLine,
    device: &DeviceProperties,
) {
    let began = !need.allocations.is_empty() || !need.launches.is_empty();
    let known = need.verdict == Verdict::Exact && need.returned && began && !need.a_call_failed;
    let formula = whole(&summary.peak, command, device).filter(|_| known);
    let (Some(formula), Some(peak)) = (formula, need.peak) else {
        return;
    };
    let same = formula == i128::from(peak.0);
    found.peak = Some(same);
    if !same {
        found.differing.push(Difference {
            site: Site::default(),
            api: "peak".to_owned(),
            formula,
            evaluated: peak.0,
        });
    }
}

fn whole(expr: &Expr, command: &CommandLine, device: &DeviceProperties) -> Option<i128> {
    match evaluate_formula(expr, command, device)? {
        Number::Int(number) => Some(number),
        Number::Float(_) => None,
    }
}

/// Bytes of all requests of a site that ran. Of several forms (copies of a template, a function put in place of its
/// calls) all may have run or one: that must be told by each.
fn of_site(
    forms: &[&Allocation],
    command: &CommandLine,
    device: &DeviceProperties,
) -> Option<i128> {
    match forms {
        [] => None,
        [form] => total(form, command, device),
        forms => {
            let each = forms.iter().map(|form| {
                // A condition of 1 may be one that has no closed form.
                let told = form.condition != Expr::Int(1);
                whole(&form.total, command, device).filter(|_| told)
            });
            each.sum()
        }
    }
}

/// Bytes of all requests of a site, where its forms are closed: of all of its turns, else of the only one. Where several
/// copies of the code share a form, `times` counts copies too, and nobody says which of them ran.
fn total(form: &Allocation, command: &CommandLine, device: &DeviceProperties) -> Option<i128> {
    let whole = |expr| whole(expr, command, device);
    let once = form.times == Expr::Int(1);
    whole(&form.total).or_else(|| whole(&form.size).filter(|_| once))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::AllocationNeed;
    use migfit_schema::formula::Input;
    use migfit_schema::units::Bytes;

    fn compared(times: Expr, form: Expr, total: u64) -> Agreement {
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
            condition: Expr::Int(1),
            total: form,
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
        let none = || Expr::OneOf(Vec::new());
        assert_eq!(compared(Expr::Int(2), Expr::Int(128), 128).agreeing, 1);
        assert_eq!(compared(Expr::Int(1), none(), 64).agreeing, 1);
        assert_eq!(compared(Expr::Int(2), none(), 128).without, 1);
        let differing = compared(Expr::Int(1), none(), 128).differing;
        assert_eq!((differing[0].formula, differing[0].evaluated), (64, 128));
    }

    #[test]
    fn a_peak_is_compared_where_main_returned() {
        let peak = |returned, words: &[&str]| {
            let mut summary = Summary::blank("a");
            summary.peak = Expr::Input(Input::ArgInt(1));
            let mut need = crate::report::nothing("x", String::new());
            (need.verdict, need.returned) = (Verdict::Exact, returned);
            need.peak = Some(Bytes(64));
            need.allocations.push(AllocationNeed {
                site: Site::default(),
                api: "cudaMalloc".to_owned(),
                times: 1,
                bytes: Some((Bytes(64), Bytes(64))),
                total: Bytes(64),
                sizes: Vec::new(),
            });
            let command = CommandLine {
                args: words.iter().map(|word| (*word).to_owned()).collect(),
                env: Vec::new(),
                cwd: "/".into(),
            };
            agreement(&summary, &need, &command, &DeviceProperties::default())
        };
        assert_eq!(peak(true, &["./a", "64"]).peak, Some(true));
        assert_eq!(peak(false, &["./a", "65"]).peak, None);
        let wrong = peak(true, &["./a", "65"]);
        assert_eq!(wrong.peak, Some(false));
        assert_eq!(wrong.differing[0].formula, 65);
    }
}
