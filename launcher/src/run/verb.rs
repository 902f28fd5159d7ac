//! The story of `migfit run`: read the jobs, open the GPU, make all jobs ready, run them, report.

use crate::cli::request::{PolicyName, RunPlan};
use crate::cli::selector::GpuSelector;
use crate::exit_code::ExitCode;
use crate::gpu::{DriverGpu, GpuError, MigGpu, Which, virtual_gpu};
use crate::jobs::{Commands, Job, JobSource, source};
use crate::policy::fifo::Fifo;
use crate::policy::sequential::Sequential;
use crate::policy::{HostRoom, Policy};
use crate::report::{self, Heading, ReportFile, Told};
use crate::run::RunError;
use crate::run::batch::{self, Batch};
use crate::run::folder::RunFolder;
use crate::run::installation::{Installation, NVML};
use crate::run::launch::Surroundings;
use crate::run::progress::Progress;
use crate::run::ready::{CannotStart, Ground, ReadyJob, make_ready};
use crate::run::slices::Slices;
use crate::sizing::Board;
use migfit_mig::LayoutGraph;
use migfit_schema::report::Report;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a run came to.
pub struct Finished {
    /// What the shell is told.
    pub code: ExitCode,
    /// What standard output gets.
    pub output: String,
    /// What standard error gets.
    pub remark: String,
}

/// Runs jobs.
///
/// # Errors
/// When nothing could be started, or the run could not be carried through.
pub fn run(plan: &RunPlan) -> Result<Finished, RunError> {
    let jobs = source::read(&plan.jobs, Commands::Needed)?;
    let mut stage = Stage::open(plan)?;
    let (told, stopped_by) = stage.perform(plan, jobs)?;
    Ok(finished(plan, &stage.folder, &told, stopped_by))
}

/// Where a run happens.
struct Stage {
    started: SystemTime,
    folder: RunFolder,
    around: Surroundings,
    /// State file of the virtual GPU.
    state: Option<PathBuf>,
    /// Why nothing is recorded, where that is so.
    unrecorded: Option<String>,
    gpu: DriverGpu,
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
            GpuSelector::Index(_) | GpuSelector::Uuid(_) => None,
        };
        let folder = RunFolder::open(plan.out.as_deref(), &report::date::run_name(started))?;
        let runtime = installation.runtime();
        let state = state(&plan.gpu, &folder)?;
        let around = Surroundings {
            runtime: runtime.as_ref().ok().cloned(),
            variables: variables(&plan.gpu, state.as_deref()),
            virtual_gpu,
        };
        // SAFETY: no thread was started yet.
        unsafe { virtual_gpu::announce(&around.variables) };
        let gpu = open(&plan.gpu, around.virtual_gpu.as_deref())?;
        Ok(Stage {
            started,
            folder,
            around,
            state,
            unrecorded: runtime.err(),
            gpu,
        })
    }

    /// Makes the jobs ready, runs them and reports; with the signal that stopped the run, if one did.
    fn perform(
        &mut self,
        plan: &RunPlan,
        jobs: Vec<Job>,
    ) -> Result<(Told, Option<&'static str>), RunError> {
        let model = self.gpu.model().clone();
        let heading = Heading::new(plan, self.gpu.facts(), &model, self.started);
        let graph = LayoutGraph::new(&model, &model.plain_profiles())?;
        let policy = policy(plan.policy);
        let slices = Slices::observe(&mut self.gpu)?;
        let board = Board {
            model: &model,
            is_virtual: heading.gpu.is_virtual,
        };
        let ground = Ground {
            board,
            graph: &graph,
            others: &slices.others(),
            policy: policy.as_ref(),
            state: self.state.as_deref(),
        };
        let ready = make_ready(jobs, ground)?;
        let terminal = has_terminal(plan);
        let ready = if is_single(plan) {
            required(ready)?
        } else {
            ready
        };
        let batch = Batch {
            jobs: &ready,
            policy: policy.as_ref(),
            graph: &graph,
            host: host(),
            around: &self.around,
            folder: &self.folder,
            terminal,
        };
        self.folder.begin()?;
        let mut file = ReportFile::new(
            &self.folder,
            heading,
            ready.len(),
            self.unrecorded.clone(),
            terminal,
        );
        let progress = Progress::new(ready.len(), plan.quiet || terminal);
        let mut ended = |job: usize, outcome| file.add(job, &ready[job], &outcome);
        let went = batch::run(&batch, slices, &progress, &mut ended);
        if let Ok(Some(cores)) = went.as_ref().map(|went| went.short_of_cores) {
            file.short_of_cores(cores as usize);
        }
        // Also after an error: what was done by then is on record.
        let told = file.finish()?;
        Ok((told, went?.stopped_by))
    }
}

/// What this host has for jobs: the cores that this process may use. Its memory is not looked at yet.
fn host() -> HostRoom {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    HostRoom {
        cpus: u32::try_from(cores).unwrap_or(u32::MAX),
        memory: None,
    }
}

/// Whether there is one job, `migfit run PROGRAM`.
fn is_single(plan: &RunPlan) -> bool {
    matches!(plan.jobs, JobSource::Program { .. })
}

/// Whether the one job has the terminal; not where standard output is for JSON alone.
fn has_terminal(plan: &RunPlan) -> bool {
    is_single(plan) && !plan.json
}

/// The one program of `migfit run PROGRAM` must be there.
fn required(ready: Vec<ReadyJob>) -> Result<Vec<ReadyJob>, RunError> {
    let each = ready.into_iter().map(|ready| match ready.program {
        Err(CannotStart::StaticRuntime(file)) => Err(RunError::StaticRuntime(file)),
        Ok(_) => Ok(ready),
    });
    each.collect()
}

/// The state file of the run's virtual GPU.
fn state(gpu: &GpuSelector, folder: &RunFolder) -> Result<Option<PathBuf>, RunError> {
    let given = virtual_gpu::given_state();
    Ok(match (gpu, given) {
        (GpuSelector::Index(_) | GpuSelector::Uuid(_), _) => None,
        (GpuSelector::Virtual(_), Some(given)) => Some(usable_state(&given)?),
        (GpuSelector::Virtual(_), None) => Some(folder.fresh_gpu_state()?),
    })
}

fn variables(gpu: &GpuSelector, state: Option<&Path>) -> Vec<(OsString, OsString)> {
    match (gpu, state) {
        (GpuSelector::Virtual(model), Some(state)) => virtual_gpu::variables(model, state),
        _ => Vec::new(),
    }
}

/// The state file that the caller named, absolute.
fn usable_state(given: &Path) -> Result<PathBuf, RunError> {
    let bad = |reason| RunError::BadState {
        path: given.to_owned(),
        reason,
    };
    virtual_gpu::check_state(given).map_err(bad)?;
    std::path::absolute(given).map_err(|error| bad(format!("cannot be used: {error}")))
}

fn open(gpu: &GpuSelector, library: Option<&Path>) -> Result<DriverGpu, RunError> {
    let nvml = library.map(|folder| folder.join(NVML));
    let which = match gpu {
        GpuSelector::Virtual(_) => Which::Index(0),
        GpuSelector::Index(index) => Which::Index(*index),
        GpuSelector::Uuid(uuid) => Which::Uuid(uuid.clone()),
    };
    let opened = DriverGpu::open(nvml.as_deref(), &which);
    Ok(match library {
        None => opened?,
        Some(_) => opened.map_err(of_the_virtual_gpu)?,
    })
}

/// A virtual GPU that does not open says nothing of drivers and boards: its library or its state file is at fault.
fn of_the_virtual_gpu(error: GpuError) -> RunError {
    match (error, virtual_gpu::given_state()) {
        (GpuError::NoLibrary { library, reason }, _) => RunError::NoVirtualGpu {
            library,
            reason: format!("cannot be loaded: {reason}"),
        },
        (GpuError::NoGpu { .. }, Some(path)) => RunError::BadState {
            path,
            reason: "is of another virtual GPU, or cannot be used".to_owned(),
        },
        (other, _) => other.into(),
    }
}

fn policy(name: PolicyName) -> Box<dyn Policy> {
    match name {
        PolicyName::Sequential => Box::new(Sequential),
        PolicyName::Fifo => Box::new(Fifo),
    }
}

fn finished(
    plan: &RunPlan,
    folder: &RunFolder,
    told: &Told,
    stopped_by: Option<&'static str>,
) -> Finished {
    let terminal = has_terminal(plan);
    let report = &told.report;
    let code = match (stopped_by, is_single(plan)) {
        (Some(_), _) => ExitCode::Interrupted,
        (None, true) => single_code(report),
        (None, false) if report.batch.failed > 0 => ExitCode::JobsFailed,
        (None, false) => ExitCode::Success,
    };
    let place = format!("report: {}\n", folder.report().display());
    let (output, remark) = match (plan.json, terminal) {
        (true, _) => (report::json(report), String::new()),
        (false, true) => (
            String::new(),
            format!("{}{place}", report::table::line(report)),
        ),
        (false, false) => (report::table::text(told), place),
    };
    let remark = if plan.quiet { String::new() } else { remark };
    Finished {
        code,
        output,
        remark,
    }
}

fn single_code(report: &Report) -> ExitCode {
    let code = report.jobs.first().map(|job| job.exit_code);
    code.flatten()
        .map_or(ExitCode::CannotStart, ExitCode::of_command)
}
