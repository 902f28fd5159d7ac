//! The run itself: asks the policy, starts jobs on slices, waits for ends and signals, hands over what became of each
//! job. Leaves no process and no slice behind. Knows neither the report's form nor how needs are foretold.

use crate::gpu::{GpuError, LiveMigDevice};
use crate::policy::{HostRoom, Policy, Queued, Shortage, Situation, Start, Step};
use crate::run::RunError;
use crate::run::child::Running;
use crate::run::events::{Event, Listener};
use crate::run::folder::{JobFolder, RunFolder};
use crate::run::launch::{self, Streams, Surroundings};
use crate::run::outcome::{Ending, Outcome};
use crate::run::progress::Progress;
use crate::run::ready::{Program, ReadyJob};
use crate::run::record::{self, Seen};
use crate::run::slices::Slices;
use crate::run::verified;
use migfit_mig::LayoutGraph;
use migfit_schema::units::Bytes;
use rustix::process::Signal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long jobs may take to end after they were asked to.
const GRACE: Duration = Duration::from_secs(5);
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
    /// What the host has for all jobs together.
    pub host: HostRoom,
    /// What all jobs get.
    pub around: &'b Surroundings,
    /// Where results go.
    pub folder: &'b RunFolder,
    /// Whether the one job has the terminal.
    pub terminal: bool,
}

/// Told of each job as it ends.
pub type Ended<'e> = &'e mut dyn FnMut(usize, Outcome) -> Result<(), RunError>;

/// How a run went as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Went {
    /// Name of the signal that stopped it.
    pub stopped_by: Option<&'static str>,
    /// The host's cores, where a job waited for some of them with a slice free.
    pub short_of_cores: Option<u32>,
}

/// Runs all jobs to their ends.
///
/// # Errors
/// When results cannot be written, or the driver fails. Jobs are stopped and slices destroyed all the same.
pub fn run(
    batch: &Batch<'_>,
    mut slices: Slices<'_>,
    progress: &Progress,
    ended: Ended<'_>,
) -> Result<Went, RunError> {
    let (sender, receiver) = channel();
    let _listener = Listener::start(sender.clone()).map_err(RunError::Signals)?;
    let mut going = Going {
        batch,
        slices: &mut slices,
        queue: Vec::new(),
        running: Vec::new(),
        began: Instant::now(),
        sender,
        receiver,
        progress,
        ended,
        stopped_by: None,
        waits_for: String::new(),
        short_of_cores: None,
    };
    let all = going.all();
    if all.is_err() {
        going.stop("an error");
        going.drain();
    }
    let went = Went {
        stopped_by: going.stopped_by,
        short_of_cores: going.short_of_cores,
    };
    let closed = slices.close();
    all?;
    closed?;
    Ok(went)
}

struct RunningJob {
    job: usize,
    process: Running,
    device: LiveMigDevice,
    placing: String,
    wait: Duration,
    started: Instant,
    files: JobFolder,
}

struct Going<'g, 'b, 's> {
    batch: &'g Batch<'b>,
    slices: &'g mut Slices<'s>,
    queue: Vec<Queued>,
    running: Vec<RunningJob>,
    began: Instant,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    progress: &'g Progress,
    ended: Ended<'g>,
    stopped_by: Option<&'static str>,
    /// Why the queue did not move when the policy was last asked.
    waits_for: String,
    short_of_cores: Option<u32>,
}

impl Going<'_, '_, '_> {
    fn all(&mut self) -> Result<(), RunError> {
        self.submit()?;
        self.fill()?;
        while !self.running.is_empty() {
            match self.next_event() {
                Some(Event::Ended { job, status }) => {
                    self.finish(job, Ending::of(&status))?;
                    self.fill()?;
                }
                Some(Event::Stop { signal }) => self.stop(signal),
                None => self.kill(),
            }
        }
        self.leave_the_rest()
    }

    /// Everything enters the queue at once; what cannot start is told at once.
    fn submit(&mut self) -> Result<(), RunError> {
        for (job, ready) in self.batch.jobs.iter().enumerate() {
            match &ready.program {
                Ok(program) => self.queue.push(self.queued(job, program)),
                Err(error) => self.tell(job, Outcome::not_started(error.to_string()))?,
            }
        }
        Ok(())
    }

    /// What a job takes, cut to what there is, so that the largest runs alone instead of never.
    fn queued(&self, job: usize, program: &Program) -> Queued {
        let stated = &self.batch.jobs[job].job;
        let host = self.batch.host;
        let memory = stated.host_memory.unwrap_or_default();
        Queued {
            job,
            slices: program.slices.clone(),
            cpus: stated.cpus.min(host.cpus),
            host_memory: host.memory.map_or(memory, |all| memory.min(all)),
        }
    }

    /// What running jobs leave of the host.
    fn host_room(&self) -> HostRoom {
        let mut room = self.batch.host;
        for running in &self.running {
            let stated = &self.batch.jobs[running.job].job;
            room.cpus = room.cpus.saturating_sub(stated.cpus);
            let memory = stated.host_memory.unwrap_or_default().0;
            room.memory = room.memory.map(|free| Bytes(free.0.saturating_sub(memory)));
        }
        room
    }

    /// Starts what can start.
    fn fill(&mut self) -> Result<(), RunError> {
        let mut surprises = 0;
        while self.stopped_by.is_none() && !self.queue.is_empty() {
            let situation = Situation {
                graph: self.batch.graph,
                held: &self.slices.held(),
                queue: &self.queue,
                running: self.running.len(),
                host: self.host_room(),
            };
            let start = match self.batch.policy.next(&situation)? {
                Step::Start(start) => start,
                Step::Wait(why) => {
                    self.waits_for = why;
                    return Ok(());
                }
                Step::WaitForHost(shortage) => {
                    if shortage == Shortage::Cores {
                        self.short_of_cores = Some(self.batch.host.cpus);
                    }
                    return Ok(());
                }
            };
            match self.slices.take(&start.decision) {
                Ok(device) => self.start(&start, device)?,
                // Others came, or something stays in use: what is held has changed, the policy decides anew.
                Err(GpuError::NoRoom { .. } | GpuError::InUse { .. }) if surprises < SURPRISES => {
                    surprises += 1
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn start(&mut self, start: &Start, device: LiveMigDevice) -> Result<(), RunError> {
        let queued = self.queue.remove(start.position);
        let ready = &self.batch.jobs[queued.job];
        let files = self.batch.folder.job(&ready.job.name)?;
        let wait = self.began.elapsed();
        let started = Instant::now();
        let process = match &ready.program {
            Ok(program) => self.process(queued.job, program, &device, &files),
            Err(_) => return Ok(()),
        };
        match process {
            Ok(process) => {
                self.running.push(RunningJob {
                    job: queued.job,
                    process,
                    device,
                    placing: start.reason.clone(),
                    wait,
                    started,
                    files,
                });
                self.show();
                Ok(())
            }
            Err(error) => {
                self.slices.give_back(device.generation);
                self.tell(queued.job, Outcome::not_started(error.to_string()))
            }
        }
    }

    fn process(
        &self,
        job: usize,
        program: &Program,
        device: &LiveMigDevice,
        files: &JobFolder,
    ) -> std::io::Result<Running> {
        let streams = match self.batch.terminal {
            true => Streams::Ours,
            false => Streams::Files {
                stdout: &files.stdout,
                stderr: &files.stderr,
            },
        };
        let stated = &self.batch.jobs[job].job;
        let around = self.batch.around;
        let mut command = launch::command(
            stated,
            &program.file,
            &device.uuid,
            &files.records,
            around,
            streams,
        )?;
        Running::start(&mut command, streams.own_group(), job, self.sender.clone())
    }

    fn finish(&mut self, job: usize, ending: Ending) -> Result<(), RunError> {
        let Some(at) = self.running.iter().position(|running| running.job == job) else {
            return Ok(());
        };
        let running = self.running.remove(at);
        self.slices.give_back(running.device.generation);
        let seen = record::read(&running.files.records);
        let outcome = Outcome {
            executed: self.executed(&seen),
            own_check: self.own_check(&running.files),
            ending,
            placed: Some(running.device.spec.0),
            placing: running.placing,
            wait: Some(running.wait),
            run: Some(running.started.elapsed()),
            seen,
            stopped_by: self.stopped_by,
        };
        self.show();
        self.tell(job, outcome)
    }

    /// Whether the launches of a job were executed: on the virtual GPU only where the record says so.
    fn executed(&self, seen: &Seen) -> bool {
        let seen_by_nobody = self.batch.around.virtual_gpu.is_some() && seen.peak.is_none();
        !seen_by_nobody && seen.not_executed == 0
    }

    /// What the job's own check said, where its output is a file.
    fn own_check(&self, files: &JobFolder) -> Option<bool> {
        (!self.batch.terminal)
            .then(|| verified::read(&files.stdout))
            .flatten()
    }

    fn tell(&mut self, job: usize, outcome: Outcome) -> Result<(), RunError> {
        self.progress.ended();
        (self.ended)(job, outcome)
    }

    fn show(&self) {
        let names = self
            .running
            .iter()
            .map(|running| self.batch.jobs[running.job].job.name.as_str());
        self.progress.running(&names.collect::<Vec<_>>());
    }

    /// Waits without end, or for the grace that jobs have once they were asked to stop.
    fn next_event(&self) -> Option<Event> {
        let event = match self.stopped_by {
            None => self
                .receiver
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => self.receiver.recv_timeout(GRACE),
        };
        event.ok()
    }

    /// Asks all jobs to end; asked twice, kills them.
    fn stop(&mut self, signal: &'static str) {
        match self.stopped_by {
            None => self
                .running
                .iter()
                .for_each(|running| running.process.signal(Signal::TERM)),
            Some(_) => self.kill(),
        }
        self.stopped_by.get_or_insert(signal);
    }

    fn kill(&mut self) {
        self.running
            .iter()
            .for_each(|running| running.process.signal(Signal::KILL));
    }

    /// After an error: waits for every job's end, and tells it as far as that can still be done.
    fn drain(&mut self) {
        while !self.running.is_empty() {
            match self.next_event() {
                Some(Event::Ended { job, status }) => {
                    let _ = self.finish(job, Ending::of(&status));
                }
                Some(Event::Stop { .. }) | None => self.kill(),
            }
        }
    }

    /// Nothing runs and nothing can start any more.
    fn leave_the_rest(&mut self) -> Result<(), RunError> {
        let why = match self.stopped_by {
            Some(signal) => format!("migfit got {signal}"),
            None => format!("nothing runs any more and still: {}", self.waits_for),
        };
        for queued in std::mem::take(&mut self.queue) {
            self.tell(queued.job, Outcome::not_started(why.clone()))?;
        }
        Ok(())
    }
}
