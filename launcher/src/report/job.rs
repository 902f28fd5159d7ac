//! One job's line of the report.

use crate::modelled::{Modelled, modelled};
use crate::report::file::Begun;
use crate::run::attempt::Attempt;
use crate::run::outcome::Outcome;
use crate::run::ready::ReadyJob;
use migfit_mig::{Model, ProfileName};
use migfit_schema::report::{AttemptReport, FailedAllocation, JobReport};
use migfit_schema::units::Mib;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The line of a job of this run.
#[must_use]
pub fn line(ready: &ReadyJob, outcome: &Outcome, begun: &Begun) -> JobReport {
    let foretold = ready.program.as_ref().ok().map(|program| &program.foretold);
    let last = outcome.last();
    let each = outcome.attempts.iter().zip(1..);
    let each: Vec<AttemptReport> = each
        .map(|(attempt, number)| one(attempt, number, begun))
        .collect();
    let told = each.last();
    let modelled = last.and_then(|attempt| on_its_slice(attempt, begun));
    JobReport {
        name: ready.job.name.clone(),
        predicted_bytes: foretold.and_then(|f| f.peak).map(|bytes| bytes.0),
        observed_peak_bytes: last.and_then(|attempt| attempt.seen.peak),
        verdict: foretold.map_or_else(|| "unknown".to_owned(), |f| f.verdict.to_string()),
        mig_profile: told.map(|attempt| attempt.mig_profile.clone()),
        placement: told.and_then(|attempt| attempt.placement),
        attempts: u32::try_from(each.len()).unwrap_or(u32::MAX),
        wait_s: told.map(|attempt| attempt.wait_s),
        run_s: told.map(|attempt| attempt.run_s),
        modelled_device_s: modelled.map(|modelled| modelled.device_s),
        modelled_device_s_by_mig_profile: last
            .map_or_else(BTreeMap::new, |attempt| on_all_slices(attempt, begun)),
        modelled_added_j: modelled.and_then(|modelled| modelled.added_j),
        exit_code: outcome.ending.exit_code(),
        verified: last.and_then(Attempt::verified),
        reason: outcome.reason(
            foretold.map_or("", |f| f.why.as_str()),
            foretold.map_or(0, |f| f.launches),
        ),
        launches: last.map_or_else(Vec::new, |attempt| attempt.seen.launches.clone()),
        stdout: told.and_then(|attempt| attempt.stdout.clone()),
        stderr: told.and_then(|attempt| attempt.stderr.clone()),
        each_attempt: each,
    }
}

/// The modelled time of an attempt whose launches were all executed and counted.
fn on_its_slice(attempt: &Attempt, begun: &Begun) -> Option<Modelled> {
    let model = counted_on(attempt, begun)?;
    let seen = &attempt.seen;
    let profile = match attempt.placed.profile {
        ProfileName::WHOLE_GPU => None,
        name => Some(model.profile(name)?),
    };
    modelled(&seen.launches, &seen.copies, model, profile)
}

/// The same on the slices of every MIG profile of the board.
fn on_all_slices(attempt: &Attempt, begun: &Begun) -> BTreeMap<String, f64> {
    let Some(model) = counted_on(attempt, begun) else {
        return BTreeMap::new();
    };
    let seen = &attempt.seen;
    let names = model.plain_profiles().into_iter();
    let times = names.filter_map(|name| {
        let profile = model.profile(name)?;
        let found = modelled(&seen.launches, &seen.copies, model, Some(profile))?;
        Some((name.to_string(), found.device_s))
    });
    times.collect()
}

/// The model of a virtual GPU that executed and counted every launch of an attempt.
fn counted_on(attempt: &Attempt, begun: &Begun) -> Option<&'static Model> {
    let seen = &attempt.seen;
    let whole = seen.processes > 0 && seen.counted == seen.accepted;
    begun.virtual_gpu.filter(|_| whole)
}

fn one(attempt: &Attempt, number: u32, begun: &Begun) -> AttemptReport {
    let file = |path: &Path| (!begun.terminal).then(|| path.display().to_string());
    AttemptReport {
        attempt: number,
        mig_profile: attempt.placed.profile.to_string(),
        placement: (!begun.place_untold).then(|| attempt.placed.placement.into()),
        observed_peak_bytes: attempt.seen.peak,
        failed_allocation: attempt.lack().map(|lack| FailedAllocation {
            requested_bytes: lack.requested.0,
            in_use_bytes: lack.in_use.0,
        }),
        wait_s: seconds(attempt.wait),
        run_s: seconds(attempt.run),
        exit_code: attempt.ending.exit_code(),
        failure: attempt.failure(),
        then: attempt.then.clone(),
        stdout: file(&attempt.files.stdout),
        stderr: file(&attempt.files.stderr),
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
    let parts = parts.chain(outcome.remarks()).chain(own);
    let again = outcome
        .earlier()
        .last()
        .and_then(|before| before.next_needs);
    Beside {
        needs: again.or_else(|| foretold.and_then(|f| f.needs)),
        special: parts.collect::<Vec<_>>().join("; "),
    }
}

/// To the microsecond: more digits would be noise.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}
