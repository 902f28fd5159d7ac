//! Jobs that come after others: names become numbers in the batch; names of nobody and cycles are refused where they
//! stand.

use crate::cli::nearest::nearest;
use crate::jobs::Job;
use crate::jobs::complaint::{Complaint, complain};
use crate::jobs::entry::{Entry, Names};
use std::collections::HashMap;

/// Most pairs of jobs of which one comes after the other.
const MOST_PAIRS: usize = 1_000_000;

/// Names on a cycle that are shown.
const SHOWN: usize = 8;

/// Which jobs a name means: the job of this name, and those that the name is written for.
struct Known(HashMap<String, Vec<usize>>);

impl Known {
    fn of(entries: &[Entry]) -> Known {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        let mut number = 0;
        for entry in entries {
            for (job, _) in &entry.jobs {
                known.entry(job.name.clone()).or_default().push(number);
                if job.name != entry.base {
                    known.entry(entry.base.clone()).or_default().push(number);
                }
                number += 1;
            }
        }
        Known(known)
    }

    fn unknown<T>(&self, (name, span): &(String, std::ops::Range<usize>)) -> Result<T, Complaint> {
        let mut known: Vec<&str> = self.0.keys().map(String::as_str).collect();
        known.sort_unstable();
        let hint = match nearest(name, &known) {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => "name another job of this file; the name of a job with count or matrix means all of it".to_owned(),
        };
        let name = name.escape_debug();
        complain(
            span.clone(),
            format!("after: no job is called '{name}'"),
            hint,
        )
    }
}

/// The jobs of all entries, in order, each with the numbers of those that it comes after.
pub(super) fn resolve(entries: Vec<Entry>) -> Result<Vec<Job>, Complaint> {
    let known = Known::of(&entries);
    let mut pairs = 0;
    let mut jobs: Vec<Job> = Vec::new();
    let mut all_names: Vec<Names> = Vec::new();
    for (mut job, names) in entries.into_iter().flat_map(|entry| entry.jobs) {
        for name in &names {
            let Some(numbers) = known.0.get(&name.0) else {
                return known.unknown(name);
            };
            pairs += numbers.len();
            if pairs > MOST_PAIRS {
                let what = format!("after: more than {MOST_PAIRS} pairs of jobs");
                let hint = "let a single job stand between the two groups";
                return complain(name.1.clone(), what, hint);
            }
            job.after.extend(numbers);
        }
        job.after.sort_unstable();
        job.after.dedup();
        jobs.push(job);
        all_names.push(names);
    }
    match cycle(&jobs) {
        Some(cycle) => refuse(&jobs, &all_names, &cycle),
        None => Ok(jobs),
    }
}

fn refuse<T>(jobs: &[Job], names: &[Names], cycle: &[usize]) -> Result<T, Complaint> {
    let first = cycle.first().and_then(|&job| names.get(job)?.first());
    let span = first.map_or(0..0, |(_, span)| span.clone());
    let name = |job: &usize| jobs.get(*job).map_or("", |job| job.name.as_str());
    let mut shown: Vec<&str> = cycle.iter().take(SHOWN).map(name).collect();
    if cycle.len() > SHOWN {
        shown.push("...");
    }
    shown.extend(cycle.first().map(name));
    complain(
        span,
        format!("after goes round in a circle: {}", shown.join(" -> ")),
        "each job waits for the one behind its arrow: take one of these names out of after",
    )
}

/// How far the search has come with a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// Jobs that wait for each other, each for the next and the last for the first.
fn cycle(jobs: &[Job]) -> Option<Vec<usize>> {
    let mut marks = vec![Mark::New; jobs.len()];
    for start in 0..jobs.len() {
        // Each job on the path, with how many of those that it comes after were followed. No recursion: a chain may
        // be as long as the file.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((job, followed)) = path.last_mut() {
            let mark = marks.get_mut(*job)?;
            let next = jobs.get(*job)?.after.get(*followed).copied();
            if *mark == Mark::Done || next.is_none() {
                *mark = Mark::Done;
                path.pop();
                continue;
            }
            *mark = Mark::OnPath;
            *followed += 1;
            let next = next?;
            if marks.get(next) == Some(&Mark::OnPath) {
                let path = path.iter().map(|(job, _)| *job);
                return Some(path.skip_while(|job| *job != next).collect());
            }
            path.push((next, 0));
        }
    }
    None
}
