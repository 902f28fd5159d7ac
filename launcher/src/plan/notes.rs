//! What a plan rests on and what it leaves out, a sentence each.

use crate::plan::made::Plan;
use crate::plan::needs::Hindrance;
use crate::policy::Shortage;
use crate::run::warnings::understated;
use crate::simulate::costs::CREATION;

/// Names that are listed; more are counted.
const LISTED: usize = 4;

/// All sentences, the most important first.
#[must_use]
pub fn notes(plan: &Plan<'_>) -> Vec<String> {
    let mut notes = vec![basis(plan)];
    notes.extend(hindered(plan));
    notes.extend(plan.schedule.never.iter().map(|(job, why)| {
        let name = plan.jobs.get(*job).map_or("", |planned| &planned.job.name);
        format!("{name} would not start: {why}")
    }));
    notes.extend(unforetold(plan));
    let planned = plan.jobs.iter();
    notes.extend(planned.filter_map(|planned| understated(&planned.job, &planned.foretold)));
    for shortage in &plan.schedule.short_of {
        notes.push(match shortage {
            Shortage::Cores => {
                format!("slices stay free because the host has {} cores (--cpus N plans for another host)", plan.host.cpus)
            }
            Shortage::Memory => {
                "slices stay free because of host_memory (--host-memory SIZE plans for another host)".to_owned()
            }
        });
    }
    let limited = plan
        .jobs
        .iter()
        .any(|planned| planned.job.time_limit.is_some());
    notes.push(match limited {
        true => "restarts and time limits are not planned".to_owned(),
        false => "restarts are not planned".to_owned(),
    });
    notes
}

fn basis(plan: &Plan<'_>) -> String {
    if plan.is_timed {
        return format!(
            "starts and ends are simulated: times of the job file, {} s for each new GPU instance (assumed), no \
             interference between slices",
            CREATION.as_secs_f64()
        );
    }
    let untimed = plan.jobs.iter().filter(|planned| !planned.is_timed());
    let untimed: Vec<&str> = untimed.map(|planned| planned.job.name.as_str()).collect();
    format!(
        "an order, not a timetable: nobody measured how long {} would run, so jobs are taken to end as they began",
        listed(&untimed)
    )
}

/// Programs that would keep the run from beginning, and jobs that have none.
fn hindered(plan: &Plan<'_>) -> Vec<String> {
    let of = |wanted: fn(&Hindrance) -> bool| -> Vec<&str> {
        let jobs = plan.jobs.iter();
        let jobs = jobs.filter(|planned| planned.hindrance.as_ref().is_some_and(wanted));
        jobs.map(|planned| planned.job.name.as_str()).collect()
    };
    let no_command = of(|hindrance| *hindrance == Hindrance::NoCommand);
    let no_program = of(|hindrance| matches!(hindrance, Hindrance::NoProgram(_)));
    let mut notes = Vec::new();
    if !no_program.is_empty() {
        let names = listed(&no_program);
        notes.push(format!(
            "migfit run would not begin: no program yet for {names}"
        ));
    }
    if !no_command.is_empty() {
        let names = listed(&no_command);
        notes.push(format!(
            "no command, for plans and simulations only: {names}"
        ));
    }
    notes
}

/// Jobs that get the whole GPU because nothing is known.
fn unforetold(plan: &Plan<'_>) -> Option<String> {
    let unknown = plan.jobs.iter().filter(|planned| {
        planned.foretold.needs.is_none()
            && planned.job.times.is_empty()
            && planned.hindrance.is_none()
    });
    let names: Vec<&str> = unknown.map(|planned| planned.job.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let names = listed(&names);
        format!("need not foretold, so the whole GPU: {names}; migfit build makes job profiles, memory = \"6 GiB\" goes before them")
    })
}

/// `a, b and 3 more`.
fn listed(names: &[&str]) -> String {
    let shown = names
        .iter()
        .take(LISTED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
