//! The command line's grammar, for clap alone: raw words as the user gave them. `parse` checks them.

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use migfit_sizes::Limits;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Fits CUDA jobs to the tightest slice of a Multi-Instance GPU.
#[derive(Debug, Parser)]
#[command(name = "migfit", version, max_term_width = 100)]
#[command(
    after_help = "MIGFIT=off turns every part of migfit off, in builds and in runs.\n\
    Exit codes 80 to 99 are migfit's own; any other that is not 0 comes from your command or job."
)]
pub struct Flags {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run your own build; the CUDA programs that come out carry their need
    Build(BuildFlags),
    /// Say what a program needs and which slice fits
    Fit(FitFlags),
    /// Become a program whose writes go elsewhere
    #[command(hide = true)]
    InScratch(InScratchFlags),
    /// Run a program, or the jobs of a file, each on a slice that fits
    Run(RunFlags),
    /// Compare policies on a simulated clock, for jobs with measured times; no GPU is needed
    Simulate(SimulateFlags),
    /// Show the MIG profiles of a GPU model, or every layout it can take
    #[command(subcommand)]
    Layout(LayoutVerb),
    /// For machines: evaluate one command line of a program, an object, IR or a CUDA source
    #[command(hide = true)]
    Analyze(AnalyzeFlags),
    /// Say what works on this machine, what does not, and what mends it; changes nothing
    Doctor(DoctorFlags),
    /// The program of doctor's self-test
    #[command(hide = true)]
    SelfTest {
        /// Allocate a little
        #[arg(long)]
        allocate: bool,
    },
}

/// `migfit analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeFlags {
    /// A program, an object with IR, .ll, .bc, .cu, .cpp or .c; several of them but programs are linked
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The command line's words after the program's name, quoted as in a shell
    #[arg(
        long,
        value_name = "ARGS",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub args: String,
    /// Folder that relative paths start from
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// GPU model, or a TOML or JSON file that lists every property that a program can read
    #[arg(long, value_name = "MODEL|FILE", default_value = "h200-141gb")]
    pub device: String,
    /// What the evaluation cannot know, as for 'migfit fit'
    #[arg(long, value_name = "WHAT=VALUE")]
    pub assume: Vec<String>,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `migfit build`.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: that of the build command.")]
pub struct BuildFlags {
    /// Make programs for the virtual GPU (shared CUDA runtime, PTX inside)
    #[arg(long = "virtual")]
    pub for_virtual_gpu: bool,
    /// Who compiles nvcc's host code: your own compiler with a pass of clang beside it, or clang alone (quicker)
    #[arg(long, value_enum, value_name = "WHO", default_value_t = HostCompilerName::User)]
    pub host_compiler: HostCompilerName,
    /// The build command: make, nvcc ...; with CMake both steps: cmake -B build, then cmake --build build
    #[arg(required = true, last = true, value_names = ["COMMAND"])]
    pub command: Vec<OsString>,
}

/// Who compiles nvcc's host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HostCompilerName {
    /// The compiler that the build would have used: objects are what they would have been
    User,
    /// Clang, from the bitcode that is analysed
    Clang,
}

/// How long the evaluation of one command line may take; what it does not come to is told as unknown.
#[derive(Debug, Args)]
pub struct LimitFlags {
    /// Seconds of processor time after which an evaluation gives up
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::SECONDS, value_parser = value_parser!(u64).range(1..))]
    pub time_limit: u64,
    /// Steps of the program's host code after which an evaluation gives up
    #[arg(long, value_name = "STEPS", default_value_t = Limits::STEPS, value_parser = value_parser!(u64).range(1..))]
    pub step_limit: u64,
}

impl LimitFlags {
    /// As evaluations take them.
    pub fn limits(&self) -> Limits {
        Limits {
            steps: self.step_limit,
            time: Duration::from_secs(self.time_limit),
            ..Limits::default()
        }
    }
}

/// `migfit fit`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without ARGS: the formulas, with their places in the source. With ARGS: the figures \
    for this command line. With --run: what a real run took.\nFlags of migfit come before PROGRAM; everything after it is the program's."
)]
pub struct FitFlags {
    /// GPU model to fit to, virtual:MODEL, or all; may be repeated [default: a100-40gb a100-80gb
    /// h100-80gb-sxm a30-24gb]
    #[arg(long = "gpu", value_name = "MODEL")]
    pub gpus: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Figures for the program run without arguments
    #[arg(long)]
    pub no_args: bool,
    /// Your word for what cannot be known before the run: a variable (n=4096), the most that an allocation asks for
    /// (file.cu:57=64MiB), a condition (file.cu:80=true), a loop (file.cu:90="100 turns"); may be repeated
    #[arg(long, value_name = "WHAT=VALUE")]
    pub assume: Vec<String>,
    /// Find out by running it, on a virtual GPU as large as need be; what it writes goes to a scratch layer
    #[arg(long, conflicts_with_all = ["no_args", "assume", "explain"])]
    pub run: bool,
    #[command(flatten)]
    pub trial: TrialFlags,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// Show where each size comes from, back to the program's inputs
    #[arg(long)]
    pub explain: bool,
    /// The program, built with 'migfit build', and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    pub command: Vec<OsString>,
}

/// How `migfit fit --run` runs a program.
#[derive(Debug, Args)]
pub struct TrialFlags {
    /// With --run: the program writes to your files as they are
    #[arg(long, requires = "run")]
    pub in_place: bool,
    /// With --run: launches are counted and not executed, which is quicker
    #[arg(long, requires = "run")]
    pub skip_kernels: bool,
    /// With --run: stop the program after this time, like "10 min"; what was seen by then is told
    #[arg(long, value_name = "TIME", requires = "run")]
    pub limit: Option<String>,
    /// With --run: draw the memory over time into this file
    #[arg(long, value_name = "FILE", requires = "run")]
    pub svg: Option<PathBuf>,
}

/// `migfit in-scratch`, which `migfit fit --run` starts.
#[derive(Debug, Args)]
pub struct InScratchFlags {
    /// Folder that takes what is written
    #[arg(long = "room")]
    pub room: Vec<PathBuf>,
    /// Folder that is written to as it is
    #[arg(long)]
    pub through: Vec<PathBuf>,
    /// Where to say why there is no layer
    #[arg(long)]
    pub failure: PathBuf,
    /// The program's file
    #[arg(long)]
    pub program: PathBuf,
    /// Its name and arguments
    #[arg(last = true)]
    pub words: Vec<OsString>,
}

/// `migfit run`.
#[derive(Debug, Args)]
#[command(
    override_usage = "migfit run [OPTIONS] PROGRAM [ARGS]...\n       migfit run [OPTIONS] -f FILE"
)]
#[command(
    after_help = "Jobs run at once where they fit the GPU, at most one for each core of the host.\n\
    Flags of migfit come before PROGRAM; everything after it is the program's."
)]
pub struct RunFlags {
    /// Job file (TOML); - reads standard input: commands, one a line, or a job file
    #[arg(short, long, value_name = "FILE", conflicts_with = "command")]
    pub file: Option<PathBuf>,
    /// virtual:MODEL, auto (the first that can be used), a GPU's number, or its UUID; mig: in front of these (mig:0)
    /// refuses a GPU that is not divided; with --plan MODEL or virtual:MODEL
    #[arg(long, value_name = "SELECTOR", default_value = "auto")]
    pub gpu: String,
    /// MIG-UUID: run PROGRAM on this slice, which is there already and stays as it is
    #[arg(long, value_name = "MIG-UUID", conflicts_with_all = ["file", "plan"])]
    pub slice: Option<String>,
    /// Who goes where, when: migfit plans batches with measured times and shares free slices else; or sequential, fifo,
    /// passing, sorted, far, static:best, static:LAYOUT, optimal
    #[arg(long, value_name = "POLICY", default_value = "migfit")]
    pub policy: String,
    /// Start nothing: print who would go where and why. Needs no GPU, only its model: --gpu MODEL
    #[arg(long, conflicts_with = "out")]
    pub plan: bool,
    /// The host that is planned for [default: this one]
    #[command(flatten)]
    pub host: HostFlags,
    /// Your word for what cannot be known before the run of PROGRAM, as for 'migfit fit'; in a job file: assume = [..]
    #[arg(long, value_name = "WHAT=VALUE", conflicts_with = "file")]
    pub assume: Vec<String>,
    /// Folder for the report, run records and the jobs' output; those of an earlier run there are removed first
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
    /// The program and its arguments
    #[arg(required_unless_present = "file", trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    pub command: Vec<OsString>,
}

/// `migfit doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 when nothing is broken, else 99.")]
pub struct DoctorFlags {
    /// Only this GPU, as in 'migfit run': virtual:MODEL, a number, or its UUID [default: all of this machine]
    #[arg(long, value_name = "SELECTOR")]
    pub gpu: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A host that jobs are planned for.
#[derive(Debug, Args)]
pub struct HostFlags {
    /// Cores of the host that is planned or simulated for [default: a plan takes this host's, a simulation has no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cpus: Option<u32>,
    /// Memory of the host that is planned or simulated for, like "64 GiB" [default: as with --cpus]
    #[arg(long, value_name = "SIZE")]
    pub host_memory: Option<String>,
}

/// `migfit simulate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every job needs the key `times` in the job file: seconds on each MIG profile that holds it.\n\
    Nothing is run and nothing of this machine is looked at; the figures are the simulation's."
)]
pub struct SimulateFlags {
    /// Job file (TOML); - reads it from standard input
    #[arg(short, long, value_name = "FILE")]
    pub file: PathBuf,
    /// Policies to compare: sequential, fifo, sorted, far, static:best, static:LAYOUT, optimal, migfit; or all
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "sequential,fifo,static:best,migfit"
    )]
    pub policy: Vec<String>,
    /// GPU model that the times were measured on; MODELxN: N of them
    #[arg(long, value_name = "MODEL", default_value = "a100-40gb")]
    pub gpu: String,
    /// Trials, each with jobs and errors of its own drawn from the seed; the table then has means and spreads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,
    /// What all random numbers start from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Draw N jobs (or MIN-MAX) with replacement from the file for each trial; a job with iterations gets 100 to 2,000
    #[arg(long, value_name = "N")]
    pub draw: Option<String>,
    /// Foretell run times with errors of so many percent (lognormal, half of it shared by a job's slices)
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub error: f64,
    /// Let jobs arrive by chance (Poisson) so that the GPUs' joint area is loaded to this part, from 0 to 1
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// The host that is simulated for [default: one that bounds nothing]
    #[command(flatten)]
    pub host: HostFlags,
    /// Print JSON, with every job's slice and times
    #[arg(long)]
    pub json: bool,
}

/// `migfit layout`.
#[derive(Debug, Subcommand)]
pub enum LayoutVerb {
    /// The MIG profiles of a GPU model: sizes, counts, placements
    Show {
        /// GPU model
        #[arg(long, value_name = "MODEL")]
        gpu: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Every layout that a GPU model can take, and the moves between them
    Graph {
        /// GPU model
        #[arg(long, value_name = "MODEL")]
        gpu: String,
        /// How to print it
        #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
        format: GraphFormat,
        /// Only these MIG profiles, by size or in full: 1g,2g,3g or 1g.5gb,1g.10gb
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        profiles: Vec<String>,
    },
}

/// How the layout graph is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A summary and a list of full layouts
    Text,
    /// Every state and move
    Json,
    /// Graphviz
    Dot,
}
