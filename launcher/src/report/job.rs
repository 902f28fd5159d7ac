//! One job's line of the report.

use crate::run::outcome::Outcome;
use crate::run::ready::ReadyJob;
use migfit_schema::report::JobReport;
use migfit_schema::units::Mib;
use std::time::Duration;

/// The line of a job whose output went to these files, if it went to files.
#[must_use]
pub fn line(ready: &ReadyJob, outcome: &Outcome, streams: Option<(String, String)>) -> JobReport {
    let foretold = ready.program.as_ref().ok().map(|program| &program.foretold);
    let (stdout, stderr) = streams.filter(|_| outcome.placed.is_some()).unzip();
    JobReport {
        name: ready.job.name.clone(),
        predicted_bytes: foretold.and_then(|f| f.peak).map(|bytes| bytes.0),
        observed_peak_bytes: outcome.seen.peak,
        verdict: foretold.map_or_else(|| "unknown".to_owned(), |f| f.verdict.to_string()),
        mig_profile: outcome.placed.map(|placed| placed.profile.to_string()),
        placement: outcome.placed.map(|placed| placed.placement.into()),
        attempts: u32::from(outcome.placed.is_some()),
        wait_s: outcome.wait.map(seconds),
        run_s: outcome.run.map(seconds),
        exit_code: outcome.ending.exit_code(),
        verified: outcome.verified(),
        reason: outcome.reason(
            foretold.map_or("", |f| f.why.as_str()),
            foretold.map_or(0, |f| f.launches),
        ),
        launches: outcome.seen.launches.clone(),
        stdout,
        stderr,
    }
}

/// What the table shows of a job beside its line of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// What it needs, context included; none where nothing bounds it.
    pub needs: Option<Mib>,
    /// What is special about it; empty for an ordinary success.
    pub special: String,
}

/// The table's part of a job.
#[must_use]
pub fn beside(ready: &ReadyJob, outcome: &Outcome) -> Beside {
    let foretold = ready.program.as_ref().ok().map(|program| &program.foretold);
    let failure = outcome.failure();
    let missing = outcome.missing(foretold.map_or(0, |f| f.launches));
    let own = foretold
        .map(|f| f.special.clone())
        .filter(|text| !text.is_empty());
    let parts = failure.into_iter().chain(missing.map(|m| m.to_string()));
    Beside {
        needs: foretold.and_then(|f| f.needs),
        special: parts.chain(own).collect::<Vec<_>>().join("; "),
    }
}

/// To the microsecond: more digits would be noise.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}
