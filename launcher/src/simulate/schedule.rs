//! A whole batch on a clock of our own: jobs, a policy and run times in; who ran where, from when to when, out. It asks
//! the policy as the live run does: after each start and after each end, one end at a time. Knows no GPU and no file.

use crate::policy::{Going, HostRoom, Policy, Queued, Share, Shortage, Situation, Start, Step};
use crate::run::dependents::Dependents;
use migfit_mig::{Action, Decision, Held, LayoutGraph, NoPlacement, Placed, ProfileName};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// A job that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// MIG profiles that the policy would give it, the one to prefer first; or why it cannot start.
    pub slices: Result<Vec<ProfileName>, String>,
    /// Numbers of the jobs that must have ended before.
    pub after: Vec<usize>,
    /// What it takes of the host.
    pub share: Share,
    /// When it is submitted.
    pub arrives: Duration,
    /// How long it is expected to run on a slice of these MIG profiles; empty where nobody knows.
    pub times: Vec<(ProfileName, Duration)>,
    /// Whether these are foretold rather than measured.
    pub foretold: bool,
}

/// Where the batch takes place.
pub struct Ground<'g> {
    /// The layout graph of the GPUs, which begin empty.
    pub graph: &'g LayoutGraph,
    /// How many there are.
    pub gpus: usize,
    /// Who goes where.
    pub policy: &'g dyn Policy,
    /// What the host has for all jobs together.
    pub host: HostRoom,
    /// How long it takes to make a GPU instance.
    pub creation: Duration,
}

/// One job on its slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// Which job.
    pub job: usize,
    /// When it was submitted.
    pub arrived: Duration,
    /// On which GPU.
    pub gpu: usize,
    /// Its slice, what had to be done for it, and what else there was.
    pub decision: Decision,
    /// Why this slice, in the policy's words.
    pub reason: String,
    /// From when it ran.
    pub start: Duration,
    /// Until when.
    pub end: Duration,
    /// What it waited for; none where it began with the batch.
    pub waited: Option<Waited>,
}

/// What a job waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The job whose end let it start.
    pub until: usize,
    /// Why it, or the one in front of it, could not start before.
    pub because: String,
}

/// How a batch went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Jobs in the order in which they began.
    pub placings: Vec<Placing>,
    /// Jobs that never began, and why.
    pub never: Vec<(usize, String)>,
    /// Of which the host was short while a slice was free.
    pub short_of: Vec<Shortage>,
}

impl Schedule {
    /// Begin of the batch to the last end.
    #[must_use]
    pub fn makespan(&self) -> Duration {
        let ends = self.placings.iter().map(|placing| placing.end);
        ends.max().unwrap_or_default()
    }

    /// GPU instances that were made.
    #[must_use]
    pub fn created(&self) -> usize {
        let new = self.placings.iter().filter(|placing| placing.is_new());
        new.count()
    }
}

impl Placing {
    /// Whether a GPU instance was made for it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.decision.action != Action::Reuse
    }
}

/// Plays a batch to its end. `run_time` tells how long a job runs on a slice of this MIG profile.
///
/// # Errors
/// When the policy wants what the layout graph does not have.
pub fn play(
    ground: &Ground<'_>,
    entrants: &[Entrant],
    run_time: &dyn Fn(usize, ProfileName) -> Duration,
) -> Result<Schedule, NoPlacement> {
    let after = entrants.iter().map(|entrant| entrant.after.as_slice());
    let mut play = Play {
        ground,
        entrants,
        run_time,
        dependents: Dependents::new(after),
        held: vec![Vec::new(); ground.gpus],
        arriving: BinaryHeap::new(),
        entered: Vec::new(),
        queue: Vec::new(),
        running: Vec::new(),
        now: Duration::ZERO,
        last_end: None,
        waits_for: String::new(),
        schedule: Schedule::default(),
    };
    play.all()?;
    Ok(play.schedule)
}

/// A job that runs.
struct Run {
    job: usize,
    gpu: usize,
    placed: Placed,
    began: Duration,
    end: Duration,
}

struct Play<'p> {
    ground: &'p Ground<'p>,
    entrants: &'p [Entrant],
    run_time: &'p dyn Fn(usize, ProfileName) -> Duration,
    dependents: Dependents,
    /// GPU by GPU.
    held: Vec<Vec<Held>>,
    /// Jobs that wait for nobody and are not submitted yet.
    arriving: BinaryHeap<Reverse<(Duration, usize)>>,
    /// When each of the queue entered it.
    entered: Vec<Duration>,
    /// In the order of the job file.
    queue: Vec<Queued>,
    /// In the order in which they began.
    running: Vec<Run>,
    now: Duration,
    last_end: Option<usize>,
    /// Why the queue did not move when the policy was last asked.
    waits_for: String,
    schedule: Schedule,
}

impl Play<'_> {
    fn all(&mut self) -> Result<(), NoPlacement> {
        self.admit();
        self.fill()?;
        while let Some(now) = self.next_event() {
            self.now = now;
            match self.next_end(now) {
                Some(run) => self.end(&run),
                None => self.submit(),
            }
            self.admit();
            self.fill()?;
        }
        self.entered.clear();
        for queued in std::mem::take(&mut self.queue) {
            let why = format!("nothing runs any more and still: {}", self.waits_for);
            self.never(queued.job, why);
        }
        Ok(())
    }

    /// When the next job ends or is submitted.
    fn next_event(&self) -> Option<Duration> {
        let end = self.running.iter().map(|run| run.end).min();
        let arrival = self.arriving.peek().map(|Reverse((at, _))| *at);
        end.into_iter().chain(arrival).min()
    }

    fn end(&mut self, run: &Run) {
        self.last_end = Some(run.job);
        let held = self.held.get_mut(run.gpu).into_iter().flatten();
        for slice in held.filter(|held| held.placed == run.placed) {
            slice.busy = false;
        }
        self.dependents.ended_well(run.job);
    }

    /// All jobs that are submitted now enter the queue.
    fn submit(&mut self) {
        while let Some(&Reverse((at, job))) = self.arriving.peek() {
            if at > self.now {
                return;
            }
            self.arriving.pop();
            self.enter(job);
        }
    }

    /// The run that ends now; of several the one that began first.
    fn next_end(&mut self, now: Duration) -> Option<Run> {
        let first = self.running.iter().position(|run| run.end == now)?;
        Some(self.running.remove(first))
    }

    /// Jobs that wait for nobody any more enter the queue, or wait for their submission.
    fn admit(&mut self) {
        for job in self.dependents.ready() {
            let arrives = self.entrants.get(job).map(|entrant| entrant.arrives);
            match arrives {
                Some(arrives) if arrives > self.now => self.arriving.push(Reverse((arrives, job))),
                _ => self.enter(job),
            }
        }
    }

    fn enter(&mut self, job: usize) {
        let Some(entrant) = self.entrants.get(job) else {
            return;
        };
        let slices = match &entrant.slices {
            Ok(slices) => slices.clone(),
            Err(why) => return self.never(job, why.clone()),
        };
        let share = self.ground.host.cut(entrant.share);
        let queued = Queued {
            job,
            slices,
            times: entrant.times.clone(),
            foretold: entrant.foretold,
            waited: Duration::ZERO,
            cpus: share.cpus,
            host_memory: share.memory,
        };
        let before = self.queue.partition_point(|other| other.job < job);
        self.queue.insert(before, queued);
        self.entered.insert(before, self.now);
    }

    fn never(&mut self, job: usize, why: String) {
        self.schedule.never.push((job, why));
        for dropped in self.dependents.failed(job) {
            let why = format!(
                "comes after job {}, which does not start",
                dropped.behind + 1
            );
            self.schedule.never.push((dropped.job, why));
        }
    }

    /// What running jobs leave of the host.
    fn host_room(&self) -> HostRoom {
        let running = self.running.iter();
        let running = running.filter_map(|run| self.entrants.get(run.job));
        let host = self.ground.host;
        host.beside(running.map(|entrant| entrant.share))
    }

    /// Starts what can start.
    fn fill(&mut self) -> Result<(), NoPlacement> {
        while !self.queue.is_empty() {
            for (queued, entered) in self.queue.iter_mut().zip(&self.entered) {
                queued.waited = self.now.saturating_sub(*entered);
            }
            let running: Vec<Going> = self.running.iter().map(|run| self.going(run)).collect();
            let situation = Situation {
                now: self.now,
                graph: self.ground.graph,
                gpus: &self.held,
                queue: &self.queue,
                running: &running,
                host: self.host_room(),
                more: !self.arriving.is_empty(),
            };
            match self.ground.policy.next(&situation)? {
                Step::Start(start) => self.start(start),
                Step::Wait(why) => {
                    self.waits_for = why;
                    break;
                }
                Step::WaitForHost(shortage) => {
                    self.waits_for = match shortage {
                        Shortage::Cores => "the host has no core free".to_owned(),
                        Shortage::Memory => "the host has too little memory free".to_owned(),
                    };
                    if !self.schedule.short_of.contains(&shortage) {
                        self.schedule.short_of.push(shortage);
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    fn going(&self, run: &Run) -> Going {
        let times = self.entrants.get(run.job).map(|entrant| &entrant.times);
        let mut times = times.into_iter().flatten();
        let expected = times.find(|(profile, _)| *profile == run.placed.profile);
        Going {
            gpu: run.gpu,
            placed: run.placed,
            ran: self.now.saturating_sub(run.began),
            expected: expected.map(|(_, time)| *time),
        }
    }

    fn start(&mut self, start: Start) {
        let job = self.queue.remove(start.position).job;
        self.entered.remove(start.position);
        let Some(held) = self.held.get_mut(start.gpu) else {
            return self.never(job, "the policy names a GPU that is not there".to_owned());
        };
        let placed = start.decision.placed;
        let is_new = match &start.decision.action {
            Action::Reuse => false,
            Action::Create { destroy } => {
                held.retain(|held| !destroy.contains(&held.placed));
                true
            }
        };
        held.retain(|held| held.placed != placed);
        held.push(Held { placed, busy: true });
        let creation = if is_new {
            self.ground.creation
        } else {
            Duration::ZERO
        };
        let begin = self.now.saturating_add(creation);
        let end = begin.saturating_add((self.run_time)(job, placed.profile));
        self.running.push(Run {
            job,
            gpu: start.gpu,
            placed,
            began: begin,
            end,
        });
        let arrived = self.entrants.get(job).map(|entrant| entrant.arrives);
        self.schedule.placings.push(Placing {
            job,
            arrived: arrived.unwrap_or_default(),
            gpu: start.gpu,
            decision: start.decision,
            reason: start.reason,
            start: begin,
            end,
            waited: self.last_end.map(|until| Waited {
                until,
                because: self.because(job),
            }),
        });
    }

    /// Why a job did not start before.
    fn because(&self, job: usize) -> String {
        let after = self.entrants.get(job).map(|entrant| &entrant.after);
        match (after, self.last_end) {
            (Some(after), Some(last)) if after.contains(&last) => {
                "it comes after that job".to_owned()
            }
            _ => self.waits_for.clone(),
        }
    }
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
