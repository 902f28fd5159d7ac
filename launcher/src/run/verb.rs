//! The story of `migfit run`: read the jobs, open the GPU, make all jobs ready, run them, report.

use crate::cli::request::RunPlan;
use crate::cli::selector::GpuSelector;
use crate::gpu::{Opened, virtual_gpu};
use crate::jobs::{Commands, Job, source};
use crate::output;
use crate::policy::Policy;
use crate::policy::named::Named;
use crate::report::{self, Begun, Heading, ReportFile};
use crate::run::batch::{self, Batch};
use crate::run::finished::{Finished, Ran, finished};
use crate::run::folder::RunFolder;
use crate::run::input::StandardInput;
use crate::run::installation::Installation;
use crate::run::launch::Surroundings;
use crate::run::opened::{self, State};
use crate::run::outcome::Outcome;
use crate::run::progress::{Progress, Shown};
use crate::run::ready::{Ground, ReadyJob, make_ready};
use crate::run::slices::Slices;
use crate::run::warnings::warnings;
use crate::run::{RunError, host};
use crate::sizing::Board;
use migfit_mig::LayoutGraph;
use std::time::SystemTime;

/// Runs jobs.
///
/// # Errors
/// When nothing could be started.
pub fn run(plan: &RunPlan) -> Result<Finished, RunError> {
    let jobs = source::read(&plan.jobs, Commands::Needed)?;
    let mut stage = Stage::open(plan)?;
    let ran = stage.perform(plan, jobs)?;
    Ok(finished(plan, &stage.folder, ran))
}

/// Where a run happens.
struct Stage {
    started: SystemTime,
    folder: RunFolder,
    around: Surroundings,
    state: State,
    /// Why nothing is recorded, where that is so.
    unrecorded: Option<String>,
    opened: Opened,
}

impl Stage {
    fn open(plan: &RunPlan) -> Result<Stage, RunError> {
        let started = SystemTime::now();
        let installation = Installation::own();
        let virtual_gpu = match &plan.gpu {
            GpuSelector::Virtual(model) if !virtual_gpu::can_be(model) => {
                return Err(RunError::TooLittleKnown(model.name.clone()));
            }
            GpuSelector::Virtual(_) => Some(installation.virtual_gpu()?),
            GpuSelector::Real(_) => None,
        };
        let folder = RunFolder::open(plan.out.as_deref(), &report::date::run_name(started))?;
        let runtime = installation.runtime();
        let state = State::of(&plan.gpu, &folder)?;
        let around = Surroundings {
            runtime: runtime.as_ref().ok().cloned(),
            variables: opened::variables(&plan.gpu, state.path()),
            virtual_gpu,
        };
        // SAFETY: no thread was started yet.
        unsafe { virtual_gpu::announce(&around.variables) };
        let slice = plan.slice.as_deref();
        let opened = opened::open(&plan.gpu, slice, around.virtual_gpu.as_deref(), &state)?;
        Ok(Stage {
            started,
            folder,
            around,
            state,
            unrecorded: runtime.err(),
            opened,
        })
    }

    /// Makes the jobs ready, runs them and reports.
    fn perform(&mut self, plan: &RunPlan, jobs: Vec<Job>) -> Result<Ran, RunError> {
        let model = self.opened.gpu.model().clone();
        let heading = Heading::new(plan, &self.opened, self.started);
        let place_untold = self.opened.gpu.facts().place_untold;
        let graph = LayoutGraph::new(&model, &model.plain_profiles())?;
        let policy = policy(plan, &graph)?;
        let slices = Slices::observe(self.opened.gpu.as_mut())?;
        let board = Board {
            model: &model,
            is_virtual: heading.gpu.is_virtual,
        };
        let ground = Ground {
            board,
            graph: &graph,
            others: &slices.others(),
            policy: policy.as_ref(),
            state: self.state.path(),
            slice_is_named: plan.slice.is_some(),
        };
        let ready = make_ready(jobs, ground)?;
        let terminal = plan.has_terminal();
        let ready = if plan.is_single() {
            required(ready)?
        } else {
            ready
        };
        let begun = Begun {
            heading,
            host: host::room(),
            unrecorded: self.unrecorded.clone(),
            terminal,
            place_untold,
            virtual_gpu: match plan.gpu {
                GpuSelector::Virtual(model) => Some(model),
                GpuSelector::Real(_) => None,
            },
        };
        let input = match terminal {
            true => StandardInput::ours(),
            false => StandardInput::none(),
        };
        let batch = Batch {
            jobs: &ready,
            policy: policy.as_ref(),
            graph: &graph,
            board,
            host: begun.host,
            around: &self.around,
            folder: &self.folder,
            terminal,
            input: &input,
        };
        self.folder.begin()?;
        if !plan.quiet {
            for warning in warnings(&ready, batch.host) {
                output::remark(&format!("migfit: note: {warning}\n"));
            }
        }
        let mut file = ReportFile::new(&self.folder, begun, &ready);
        let progress = Progress::new(ready.len(), shown(plan));
        let mut ended = |job: usize, outcome: &Outcome| file.add(job, &ready[job], outcome);
        let went = batch::run(&batch, slices, &progress, &mut ended)?;
        file.short_of(&went.short_of);
        let (told, unwritten) = file.finish();
        let started = told.report.jobs.iter().any(|job| job.attempts > 0);
        match went.broken {
            // Nothing came of it but the error.
            Some(error) if !started => Err(error),
            broken => Ok(Ran {
                told,
                stopped_by: went.stopped_by,
                failure: broken.or(unwritten),
            }),
        }
    }
}

/// What the user sees while jobs run.
fn shown(plan: &RunPlan) -> Shown {
    match (plan.quiet, plan.has_terminal()) {
        (true, _) => Shown::Nothing,
        (false, true) => Shown::Lines,
        (false, false) => Shown::Bar,
    }
}

/// The one program of `migfit run PROGRAM` must be there.
fn required(ready: Vec<ReadyJob>) -> Result<Vec<ReadyJob>, RunError> {
    let each = ready.into_iter().map(|ready| match ready.program {
        Err(why) => Err(why.into()),
        Ok(_) => Ok(ready),
    });
    each.collect()
}

fn policy(plan: &RunPlan, graph: &LayoutGraph) -> Result<Box<dyn Policy>, RunError> {
    Ok(match &plan.slice {
        Some(_) => Box::new(Named),
        None => plan.policy.policy(graph)?,
    })
}
