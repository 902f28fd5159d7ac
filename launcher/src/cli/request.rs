//! What one call of `migfit` is asked to do, checked: names exist, sources are unambiguous.

use crate::build::BuildOptions;
use crate::cli::flags::GraphFormat;
use crate::cli::selector::GpuSelector;
use crate::jobs::JobSource;
use crate::policy::HostRoom;
pub use crate::policy::names::PolicyName;
use crate::scratch::InScratch;
use crate::sizing::Board;
use migfit_mig::{Model, ProfileName};
use migfit_schema::units::Bytes;
use migfit_sizes::Limits;
use migfit_sizes::assumed::Given;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What one call of `migfit` is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print this text (help, version).
    Text(String),
    /// Run the user's build.
    Build(BuildOptions),
    /// Say what a program needs.
    Fit(FitRequest),
    /// Run a program to find out what it needs.
    Trial(TrialRequest),
    /// Become a program on a scratch layer.
    InScratch(InScratch),
    /// Run jobs.
    Run(RunPlan),
    /// Evaluate one command line, for machines.
    Analyze(AnalyzeRequest),
    /// Tell who would go where.
    Plan(PlanRequest),
    /// Compare policies on a simulated clock.
    Simulate(SimulateRequest),
    /// Show the MIG profiles of a model.
    LayoutShow(ShowRequest),
    /// Show the layout graph of a model.
    LayoutGraph(GraphRequest),
    /// Say what works here.
    Doctor(DoctorRequest),
    /// Be the program of doctor's self-test.
    SelfTest {
        /// Whether to allocate a little.
        allocate: bool,
    },
}

/// What `migfit fit` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRequest {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; none: the formulas are wanted.
    pub args: Option<Vec<OsString>>,
    /// Boards to fit to.
    pub boards: Vec<Board<'static>>,
    /// What the user says.
    pub assume: Vec<Given>,
    /// How long an evaluation may take.
    pub limits: Limits,
    /// Whether each size is traced back to the program's inputs.
    pub explain: bool,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What `migfit fit --run` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialRequest {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Boards to fit to.
    pub boards: Vec<Board<'static>>,
    /// How long the evaluation may take that tells whether this machine holds it.
    pub limits: Limits,
    /// Whether it writes to the user's files as they are.
    pub in_place: bool,
    /// Whether launches are counted and not executed.
    pub skip_kernels: bool,
    /// How long it may run.
    pub limit: Option<Duration>,
    /// Where the picture of the memory over time goes.
    pub svg: Option<PathBuf>,
    /// Whether JSON is wanted.
    pub json: bool,
}

impl TrialRequest {
    /// The program as named, and its arguments.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let name = self.program.clone().into_os_string();
        std::iter::once(name)
            .chain(self.args.iter().cloned())
            .collect()
    }
}

/// What `migfit doctor` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorRequest {
    /// The GPU to look at; none: all of this machine.
    pub gpu: Option<GpuSelector>,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What `migfit analyze` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalyzeRequest {
    /// What to analyse: the parts of one program.
    pub files: Vec<PathBuf>,
    /// The words behind the program's name.
    pub args: Vec<String>,
    /// The folder that relative paths start from; none: the present one.
    pub cwd: Option<PathBuf>,
    /// A GPU model's name, or a file.
    pub device: String,
    /// What the user says.
    pub assume: Vec<Given>,
    /// How long the evaluation may take.
    pub limits: Limits,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What `migfit layout show` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowRequest {
    /// GPU model.
    pub model: &'static Model,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What `migfit layout graph` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRequest {
    /// GPU model.
    pub model: &'static Model,
    /// How to print it.
    pub format: GraphFormat,
    /// MIG profiles in play.
    pub mig_profiles: Vec<ProfileName>,
}

/// What `migfit run` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// The jobs.
    pub jobs: JobSource,
    /// The GPU.
    pub gpu: GpuSelector,
    /// UUID of the one slice to use, which somebody else made.
    pub slice: Option<String>,
    /// Who goes where, when.
    pub policy: PolicyName,
    /// Folder for report, run records and output; none: the run chooses.
    pub out: Option<PathBuf>,
    /// Whether the report is printed as JSON.
    pub json: bool,
    /// Whether progress is left out.
    pub quiet: bool,
}

impl RunPlan {
    /// Whether there is one job, `migfit run PROGRAM`.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self.jobs, JobSource::Program { .. })
    }

    /// Whether the one job has the terminal; not where standard output is for JSON alone.
    #[must_use]
    pub fn has_terminal(&self) -> bool {
        self.is_single() && !self.json
    }
}

/// What `migfit run --plan` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// The jobs.
    pub jobs: JobSource,
    /// The GPU.
    pub board: Board<'static>,
    /// Who goes where, when.
    pub policy: PolicyName,
    /// What is stated of the host.
    pub host: StatedHost,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What `migfit simulate` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulateRequest {
    /// The jobs.
    pub jobs: JobSource,
    /// The GPU.
    pub board: Board<'static>,
    /// How many of them.
    pub gpus: usize,
    /// What is drawn by chance; none: the jobs as they stand.
    pub trials: Option<Trials>,
    /// The policies to compare, each once.
    pub policies: Vec<PolicyName>,
    /// What is stated of the host.
    pub host: StatedHost,
    /// Whether JSON is wanted.
    pub json: bool,
}

/// What is drawn by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// How often.
    pub count: u32,
    /// What all random numbers start from.
    pub seed: u64,
    /// How many jobs, least and most; none: those of the file, once each.
    pub draw: Option<(usize, usize)>,
    /// Standard deviation of the logarithm of foretold over true times.
    pub error: f64,
    /// Load at which jobs arrive; none: all are there at the begin.
    pub load: Option<f64>,
}

impl Eq for Trials {}

/// What is stated of a host that jobs are planned for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedHost {
    /// Its cores.
    pub cpus: Option<u32>,
    /// Its memory.
    pub memory: Option<Bytes>,
}

impl StatedHost {
    /// What is stated, and of another host what is not.
    #[must_use]
    pub fn over(self, other: HostRoom) -> HostRoom {
        HostRoom {
            cpus: self.cpus.unwrap_or(other.cpus),
            memory: self.memory.or(other.memory),
        }
    }
}
