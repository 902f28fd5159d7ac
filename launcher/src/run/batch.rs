//! The run itself: asks the policy, starts jobs on slices, waits for ends and signals, hands over what became of each
//! job. Leaves no process and no slice behind. Knows neither the report's form nor how needs are foretold.

use crate::gpu::{GpuError, LiveMigDevice};
use crate::policy::{HostRoom, Policy, Queued, Shortage, Situation, Start, Step};
use crate::run::RunError;
use crate::run::attempt::Attempt;
use crate::run::child::{Running, Watch};
use crate::run::dependents::Dependents;
use crate::run::ending::{Ending, Stopped};
use crate::run::events::{Event, Inbox, Listener};
use crate::run::folder::{JobFolder, RunFolder};
use crate::run::input::StandardInput;
use crate::run::launch::{self, Streams, Surroundings};
use crate::run::orphans::Orphans;
use crate::run::outcome::Outcome;
use crate::run::progress::Progress;
use crate::run::ready::ReadyJob;
use crate::run::restart::Next;
use crate::run::running::{RunningJob, RunningJobs};
use crate::run::slices::Slices;
use crate::sizing::Board;
use migfit_mig::{LayoutGraph, ProfileName};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

/// How often in a row the driver may contradict what it told before.
const SURPRISES: u32 = 4;

/// What a run is made of.
pub struct Batch<'b> {
    /// The jobs.
    pub jobs: &'b [ReadyJob],
    /// Who goes where.
    pub policy: &'b dyn Policy,
    /// The layout graph.
    pub graph: &'b LayoutGraph,
    /// The GPU that jobs are sized for.
    pub board: Board<'b>,
    /// What the host has for all jobs together.
    pub host: HostRoom,
    /// What all jobs get.
    pub around: &'b Surroundings,
    /// Where results go.
    pub folder: &'b RunFolder,
    /// Whether the one job has the terminal.
    pub terminal: bool,
    /// What the one job with the terminal reads.
    pub input: &'b StandardInput,
}

/// Told of each job as it ends.
pub type Ended<'e> = &'e mut dyn FnMut(usize, &Outcome);

/// How a run went as a whole.
#[derive(Debug, Default)]
pub struct Went {
    /// Name of the signal that stopped it.
    pub stopped_by: Option<&'static str>,
    /// Of which the host was short while a slice was free.
    pub short_of: Vec<Shortage>,
    /// Why no more jobs were started, or slices are left.
    pub broken: Option<RunError>,
}

/// Runs all jobs to their ends. After an error of the GPU no job is started any more; those that run end by
/// themselves, and the slices are destroyed all the same.
///
/// # Errors
/// When signals cannot be listened for: nothing was started.
pub fn run(
    batch: &Batch<'_>,
    mut slices: Slices<'_>,
    progress: &Progress,
    ended: Ended<'_>,
) -> Result<Went, RunError> {
    let (sender, inbox) = Inbox::new();
    let _listener = Listener::start(sender.clone()).map_err(RunError::Signals)?;
    let after = batch.jobs.iter().map(|ready| ready.job.after.as_slice());
    let mut going = Going {
        batch,
        slices: &mut slices,
        dependents: Dependents::new(after),
        queue: Vec::new(),
        running: RunningJobs::default(),
        attempts: vec![Vec::new(); batch.jobs.len()],
        began: Instant::now(),
        sender,
        orphans: Arc::new(Orphans::adopt()),
        inbox,
        progress,
        ended,
        waits_for: String::new(),
        went: Went::default(),
    };
    going.all();
    let mut went = going.went;
    if let Err(error) = slices.close() {
        went.broken.get_or_insert(error.into());
    }
    Ok(went)
}

struct Going<'g, 'b, 's> {
    batch: &'g Batch<'b>,
    slices: &'g mut Slices<'s>,
    dependents: Dependents,
    /// In the order of the job file.
    queue: Vec<Queued>,
    running: RunningJobs,
    /// Of each job that has not ended yet.
    attempts: Vec<Vec<Attempt>>,
    began: Instant,
    sender: Sender<Event>,
    orphans: Arc<Orphans>,
    inbox: Inbox,
    progress: &'g Progress,
    ended: Ended<'g>,
    /// Why the queue did not move when the policy was last asked.
    waits_for: String,
    went: Went,
}

impl Going<'_, '_, '_> {
    fn all(&mut self) {
        self.admit();
        self.fill();
        while self.running.count() > 0 {
            match self.inbox.next(self.running.due()) {
                Some(Event::Ended { job, status }) => {
                    self.finish(job, Ending::of(&status));
                    self.admit();
                    self.fill();
                }
                Some(Event::Stop { signal }) => self.stop(signal),
                None => self.running.tick(Instant::now()),
            }
        }
        self.leave_the_rest();
    }

    /// Jobs that wait for nobody any more enter the queue; what cannot start is told at once.
    fn admit(&mut self) {
        for job in self.dependents.ready() {
            match &self.batch.jobs[job].program {
                Ok(program) => self.enqueue(job, program.slices.clone()),
                Err(error) => self.give_up(job, &error.to_string()),
            }
        }
    }

    fn enqueue(&mut self, job: usize, slices: Vec<ProfileName>) {
        let queued = self.batch.queued(job, slices);
        let before = self.queue.partition_point(|other| other.job < job);
        self.queue.insert(before, queued);
    }

    /// Whether jobs may still be started. A request to stop goes before any start.
    fn goes_on(&mut self) -> bool {
        while let Some(signal) = self.inbox.stop() {
            self.stop(signal);
        }
        self.went.stopped_by.is_none() && self.went.broken.is_none()
    }

    /// Starts what can start.
    fn fill(&mut self) {
        let mut surprises = 0;
        while self.goes_on() && !self.queue.is_empty() {
            let start = match self.next_step() {
                Ok(Some(start)) => start,
                Ok(None) => return,
                Err(error) => return self.break_off(error),
            };
            match self.slices.take(&start.decision) {
                Ok(device) if self.goes_on() => self.start(&start, device),
                // Making the slice took a while, and somebody wanted us to stop meanwhile.
                Ok(device) => self.slices.give_back(device.generation),
                // Others came, or something stays in use: what is held has changed, the policy decides anew.
                Err(
                    GpuError::NoRoom { .. } | GpuError::InUse { .. } | GpuError::StaysInUse { .. },
                ) if surprises < SURPRISES => surprises += 1,
                Err(error) => self.break_off(error.into()),
            }
        }
    }

    /// What the policy would start next.
    fn next_step(&mut self) -> Result<Option<Start>, RunError> {
        let situation = Situation {
            now: self.began.elapsed(),
            graph: self.batch.graph,
            gpus: &[self.slices.held()],
            queue: &self.queue,
            running: &self.batch.going(self.running.all()),
            more: false,
            host: self.batch.room_beside(self.running.numbers()),
        };
        Ok(match self.batch.policy.next(&situation)? {
            Step::Start(start) => Some(start),
            Step::Wait(why) => {
                self.waits_for = why;
                None
            }
            Step::WaitForHost(shortage) => {
                if !self.went.short_of.contains(&shortage) {
                    self.went.short_of.push(shortage);
                }
                None
            }
        })
    }

    fn start(&mut self, start: &Start, device: LiveMigDevice) {
        let queued = self.queue.remove(start.position);
        let generation = device.generation;
        match self.begin(queued.job, start, device) {
            Ok(running) => {
                self.running.add(running);
                self.show();
            }
            Err(why) => {
                self.slices.give_back(generation);
                self.give_up(queued.job, &why);
            }
        }
    }

    /// Starts a job on its slice; what its last attempt left is put aside first.
    fn begin(
        &mut self,
        job: usize,
        start: &Start,
        device: LiveMigDevice,
    ) -> Result<RunningJob, String> {
        let ready = &self.batch.jobs[job];
        let program = ready.program.as_ref().map_err(ToString::to_string)?;
        let told = |error: RunError| error.to_string();
        let number = self.attempts[job].len();
        if let Some(last) = self.attempts[job].last_mut() {
            last.files = self
                .batch
                .folder
                .keep(&ready.job.name, number)
                .map_err(told)?;
            let rewound = self.batch.input.rewind();
            rewound.map_err(|error| format!("its standard input cannot be wound back: {error}"))?;
        }
        let files = self.batch.folder.job(&ready.job.name).map_err(told)?;
        let streams = self.streams(&files);
        let wait = self.began.elapsed();
        let started = Instant::now();
        let place = launch::Place {
            program: &program.file,
            slice: &device.uuid,
            records: &files.records,
            attempt: number + 1,
        };
        let mut command = launch::command(&ready.job, &place, self.batch.around, streams)?;
        let watch = Watch {
            job,
            records: files.records.clone(),
            events: self.sender.clone(),
            orphans: Arc::clone(&self.orphans),
        };
        let process = Running::start(&mut command, streams.own_group(), watch);
        Ok(RunningJob {
            job,
            process: process.map_err(|error| error.to_string())?,
            device,
            placing: start.reason.clone(),
            wait,
            started,
            files,
            limit: ready.job.time_limit,
            stopped: None,
            killed_at: None,
        })
    }

    fn streams<'f>(&self, files: &'f JobFolder) -> Streams<'f> {
        match self.batch.terminal {
            true => Streams::Ours,
            false => Streams::Files {
                stdout: &files.stdout,
                stderr: &files.stderr,
            },
        }
    }

    fn finish(&mut self, job: usize, ending: Ending) {
        let Some(running) = self.running.take(job) else {
            return;
        };
        self.slices.give_back(running.device.generation);
        self.show();
        let mut attempt = self.batch.attempt(running, ending);
        let number = self.attempts[job].len() + 1;
        let next = self
            .batch
            .after(job, number, &attempt, &self.slices.others());
        match next {
            Next::End => {}
            Next::GiveUp(why) => attempt.then = Some(why),
            Next::Again { slices, why, need } => {
                let name = &self.batch.jobs[job].job.name;
                let lack = attempt.lack().map(ToString::to_string).unwrap_or_default();
                let placed = attempt.placed;
                self.progress.say(&format!(
                    "migfit: {name} ran out of device memory on {placed}: {lack}; {why}"
                ));
                attempt.then = Some(why);
                attempt.next_needs = Some(need);
                self.attempts[job].push(attempt);
                return self.enqueue(job, slices);
            }
        }
        self.attempts[job].push(attempt);
        self.tell_attempts(job);
    }

    /// A job that is not started, or not again.
    fn give_up(&mut self, job: usize, why: &str) {
        match self.attempts[job].last_mut() {
            Some(last) => {
                last.then = Some(format!("not started again: {why}"));
                self.tell_attempts(job);
            }
            None => self.tell(job, &Outcome::not_started(why)),
        }
    }

    fn tell_attempts(&mut self, job: usize) {
        let attempts = std::mem::take(&mut self.attempts[job]);
        self.tell(job, &Outcome::of(attempts));
    }

    /// A job has ended for good; after a failure those that come after it have, too.
    fn tell(&mut self, job: usize, outcome: &Outcome) {
        self.progress.ended();
        (self.ended)(job, outcome);
        if outcome.ending.is_success() {
            return self.dependents.ended_well(job);
        }
        if self.went.stopped_by.is_some() {
            // Those that come after it are not started for the same reason as all others.
            return;
        }
        let name = |job: usize| &self.batch.jobs[job].job.name;
        for dropped in self.dependents.failed(job) {
            let (behind, failed) = (name(dropped.behind), name(job));
            let why = match dropped.behind == job {
                true => format!("it comes after '{failed}', which failed"),
                false => {
                    format!("it comes after '{behind}', which was not started: '{failed}' failed")
                }
            };
            self.progress.ended();
            (self.ended)(dropped.job, &Outcome::not_started(why));
        }
    }

    fn show(&self) {
        let names = self.running.numbers();
        let names = names.map(|job| self.batch.jobs[job].job.name.as_str());
        self.progress.running(&names.collect::<Vec<_>>());
    }

    /// Asks all jobs to end; asked twice, kills them.
    fn stop(&mut self, signal: &'static str) {
        match self.went.stopped_by {
            None => {
                self.progress.stopping(self.running.count(), signal);
                self.running.ask(Stopped::Told(signal), Instant::now());
            }
            Some(_) => self.running.kill(),
        }
        self.went.stopped_by.get_or_insert(signal);
    }

    fn break_off(&mut self, error: RunError) {
        self.went.broken.get_or_insert(error);
    }

    /// Nothing runs and nothing can start any more.
    fn leave_the_rest(&mut self) {
        let why = match (self.went.stopped_by, &self.went.broken) {
            (Some(signal), _) => format!("migfit got {signal}"),
            (None, Some(error)) => error.to_string(),
            (None, None) => format!("nothing runs any more and still: {}", self.waits_for),
        };
        let waiting = self.dependents.drop_waiting();
        let queued = std::mem::take(&mut self.queue);
        let mut left: Vec<usize> = queued.iter().map(|queued| queued.job).collect();
        left.extend(waiting);
        left.into_iter().for_each(|job| self.give_up(job, &why));
    }
}
