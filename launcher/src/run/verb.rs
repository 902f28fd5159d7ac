//! The story of `migfit run`: read the jobs, open the GPU, make all jobs ready, run them, report.

use crate::cli::request::{JobSource, PolicyName, RunPlan};
use crate::cli::selector::GpuSelector;
use crate::exit_code::ExitCode;
use crate::gpu::{DriverGpu, MigGpu, Which, virtual_gpu};
use crate::policy::Policy;
use crate::policy::fifo::Fifo;
use crate::policy::sequential::Sequential;
use crate::report::{self, Heading, ReportFile};
use crate::run::RunError;
use crate::run::batch::{self, Batch};
use crate::run::folder::RunFolder;
use crate::run::installation::Installation;
use crate::run::job::Job;
use crate::run::job_file;
use crate::run::launch::Surroundings;
use crate::run::progress::Progress;
use crate::run::ready::{CannotStart, ReadyJob, make_ready};
use crate::run::slices::Slices;
use crate::sizing::Board;
use migfit_mig::LayoutGraph;
use migfit_schema::report::Report;
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
    let jobs = jobs(&plan.jobs)?;
    let mut stage = Stage::open(plan)?;
    let (report, stopped_by) = stage.perform(plan, jobs)?;
    Ok(finished(plan, &stage.folder, &report, stopped_by))
}

/// Where a run happens.
struct Stage {
    started: SystemTime,
    folder: RunFolder,
    around: Surroundings,
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
        let around = Surroundings {
            runtime: runtime.as_ref().ok().cloned(),
            variables: variables(&plan.gpu, &folder)?,
            virtual_gpu,
        };
        // SAFETY: no thread was started yet.
        unsafe { virtual_gpu::announce(&around.variables) };
        let gpu = open(&plan.gpu, around.virtual_gpu.as_deref())?;
        Ok(Stage {
            started,
            folder,
            around,
            unrecorded: runtime.err(),
            gpu,
        })
    }

    /// Makes the jobs ready, runs them and reports; with the signal that stopped the run, if one did.
    fn perform(
        &mut self,
        plan: &RunPlan,
        jobs: Vec<Job>,
    ) -> Result<(Report, Option<&'static str>), RunError> {
        let model = self.gpu.model().clone();
        let heading = Heading::new(plan, self.gpu.facts(), &model, self.started);
        let graph = LayoutGraph::new(&model, &model.plain_profiles())?;
        let policy = policy(plan.policy);
        let slices = Slices::observe(&mut self.gpu)?;
        let board = Board {
            model: &model,
            is_virtual: heading.gpu.is_virtual,
        };
        let ready = make_ready(jobs, board, &graph, &slices.others(), policy.as_ref())?;
        let terminal = has_terminal(plan);
        let ready = if terminal { required(ready)? } else { ready };
        let batch = Batch {
            jobs: &ready,
            policy: policy.as_ref(),
            graph: &graph,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            around: &self.around,
            folder: &self.folder,
            terminal,
        };
        self.folder.keep();
        let mut file = ReportFile::new(
            &self.folder,
            heading,
            ready.len(),
            self.unrecorded.clone(),
            terminal,
        );
        let progress = Progress::new(ready.len(), plan.quiet || terminal);
        let mut ended = |job: usize, outcome| file.add(job, &ready[job], &outcome);
        let stopped_by = batch::run(&batch, slices, &progress, &mut ended);
        // Also after an error: what was done by then is on record.
        let report = file.finish()?;
        Ok((report, stopped_by?))
    }
}

/// Whether the one job has the terminal.
fn has_terminal(plan: &RunPlan) -> bool {
    matches!(plan.jobs, JobSource::Program { .. })
}

fn jobs(source: &JobSource) -> Result<Vec<Job>, RunError> {
    match source {
        JobSource::File(file) => Ok(job_file::read(file)?),
        JobSource::Program { program, args } => Ok(vec![single(program, args)?]),
    }
}

fn single(program: &Path, args: &[std::ffi::OsString]) -> Result<Job, RunError> {
    let name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy();
    let words = std::iter::once(program.as_os_str().to_owned());
    Ok(Job {
        name: name.trim_start_matches('.').replace('/', "-"),
        command: words.chain(args.iter().cloned()).collect(),
        cwd: std::env::current_dir().map_err(RunError::WorkingFolder)?,
        env: Vec::new(),
        memory: None,
    })
}

/// The one program of `migfit run PROGRAM` must be there.
fn required(ready: Vec<ReadyJob>) -> Result<Vec<ReadyJob>, RunError> {
    let each = ready.into_iter().map(|ready| match ready.program {
        Err(CannotStart::NotFound(error)) => Err(error.into()),
        Err(CannotStart::StaticRuntime(file)) => Err(RunError::StaticRuntime(file)),
        Ok(_) => Ok(ready),
    });
    each.collect()
}

fn variables(
    gpu: &GpuSelector,
    folder: &RunFolder,
) -> Result<Vec<(std::ffi::OsString, std::ffi::OsString)>, RunError> {
    let GpuSelector::Virtual(model) = gpu else {
        return Ok(Vec::new());
    };
    let state: PathBuf = match virtual_gpu::given_state() {
        Some(given) => {
            std::path::absolute(&given).map_err(crate::run::folder::cannot_write(&given))?
        }
        None => folder.fresh_gpu_state()?,
    };
    Ok(virtual_gpu::variables(model, &state))
}

fn open(gpu: &GpuSelector, library: Option<&Path>) -> Result<DriverGpu, RunError> {
    let nvml = library.map(|folder| folder.join("libnvidia-ml.so.1"));
    let which = match gpu {
        GpuSelector::Virtual(_) => Which::Index(0),
        GpuSelector::Index(index) => Which::Index(*index),
        GpuSelector::Uuid(uuid) => Which::Uuid(uuid.clone()),
    };
    Ok(DriverGpu::open(nvml.as_deref(), &which)?)
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
    report: &Report,
    stopped_by: Option<&'static str>,
) -> Finished {
    let terminal = has_terminal(plan);
    let code = match (stopped_by, terminal) {
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
        (false, false) => (report::table::text(report), place),
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
