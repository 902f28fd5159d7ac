//! Why a run did not begin, or could not be carried through.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::gpu::GpuError;
use crate::gpu::virtual_gpu::STATE_VARIABLE;
use crate::jobs::JobFileError;
use crate::policy::names::PolicyError;
use crate::program::ProgramError;
use crate::run::need::TooLarge;
use crate::sizing::measured::ForeignTimes;
use crate::sizing::word::MisplacedWord;
use std::path::PathBuf;

/// Why a run did not begin, or could not be carried through.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The job file.
    #[error(transparent)]
    JobFile(#[from] JobFileError),
    /// The times in it, which a plan goes by.
    #[error(transparent)]
    Times(#[from] Box<ForeignTimes>),
    /// The one program of `migfit run PROGRAM`.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program of a job file's job.
    #[error("job '{job}': {error}; nothing was started")]
    JobProgram {
        /// The job.
        job: String,
        /// Where the job file states its command.
        stated_at: String,
        /// What is wrong with the program.
        error: ProgramError,
    },
    /// The user's word is about something that a program has not.
    #[error("{}{error}; nothing was started", in_job(job, stated_at.is_some()))]
    Word {
        /// The job.
        job: String,
        /// Where the job file states its command.
        stated_at: Option<String>,
        /// What is wrong.
        error: MisplacedWord,
    },
    /// It holds the static CUDA runtime.
    #[error("'{}' holds the static CUDA runtime, which works on a real GPU only", .0.display())]
    StaticRuntime(PathBuf),
    /// It needs libraries of NVIDIA's that hold machine code only.
    #[error("'{}' needs {}, which the virtual GPU cannot run; nothing was started", program.display(), libraries.join(", "))]
    ClosedLibraries {
        /// The program.
        program: PathBuf,
        /// Which, as people call them, with their file names.
        libraries: Vec<String>,
    },
    /// Jobs that no slice holds; nothing was started.
    #[error(
        "{} of {} more memory than {} has; nothing was started",
        too_large.len(),
        if *of == 1 { "1 job needs".to_owned() } else { format!("{of} jobs need") },
        if *slice_is_named { "the slice that --slice names" } else { "the largest slice" }
    )]
    TooLarge {
        /// Which, with the numbers.
        too_large: Vec<TooLarge>,
        /// Number of jobs.
        of: usize,
        /// Whether only the slice that `--slice` names was to be used.
        slice_is_named: bool,
    },
    /// GPU instances of others leave no place; nothing was started.
    #[error("no slice for job '{job}' beside what others made on this GPU; nothing was started")]
    NoSlice {
        /// The first such job.
        job: String,
        /// MIG profiles that would do.
        wanted: String,
        /// GPU instances that migfit did not make.
        others: String,
        /// State file of the virtual GPU; none on a real one.
        state: Option<PathBuf>,
        /// Whether it wants the whole GPU only because its need is not known.
        is_unknown: bool,
    },
    /// The model lacks figures that a GPU must know of itself.
    #[error("too little is known of {0} to run on a virtual one: no source has all its SMs")]
    TooLittleKnown(String),
    /// A part of migfit is not where it should be.
    #[error("the virtual GPU's library {} {reason}", library.display())]
    NoVirtualGpu {
        /// Which.
        library: PathBuf,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// The virtual GPU of this run alone does not start, and its folder can be written.
    #[error("the virtual GPU does not start: {reason}")]
    VirtualGpuFails {
        /// What its library says.
        reason: String,
    },
    /// `MIGFIT_VGPU_STATE` names no state file.
    #[error("{STATE_VARIABLE}: '{}' {reason}", path.display())]
    BadState {
        /// As named.
        path: PathBuf,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// A folder or file of results.
    #[error("cannot write '{}': {source}", path.display())]
    CannotWrite {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder of results holds other things.
    #[error("'{}' is not empty and holds no earlier run", .0.display())]
    ForeignFolder(PathBuf),
    /// Another run writes there.
    #[error("another migfit run writes to '{}'", .0.display())]
    FolderInUse(PathBuf),
    /// Signals cannot be listened for.
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
    /// The GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A plan has no JSON form.
    #[error("cannot print the plan as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The layout graph cannot be made.
    #[error(transparent)]
    Graph(#[from] migfit_mig::graph::GraphError),
    /// The policy that was asked for.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// What the driver lists contradicts the model.
    #[error(transparent)]
    Placement(#[from] migfit_mig::NoPlacement),
}

/// Says which job of a file is meant.
fn in_job(job: &str, of_a_file: bool) -> String {
    match of_a_file {
        true => format!("job '{job}': "),
        false => String::new(),
    }
}

impl Explain for RunError {
    fn place(&self) -> Option<String> {
        match self {
            RunError::JobFile(error) => error.place(),
            RunError::Times(error) => error.place(),
            RunError::Program(error) => error.place(),
            RunError::JobProgram { stated_at, .. } => Some(stated_at.clone()),
            RunError::Word { stated_at, .. } => stated_at.clone(),
            RunError::TooLarge { too_large, .. } => {
                let lines: Vec<String> = too_large.iter().map(ToString::to_string).collect();
                Some(lines.join("\n"))
            }
            RunError::NoSlice {
                wanted,
                others,
                is_unknown,
                ..
            } => {
                let unknown = match is_unknown {
                    true => {
                        "its need is unknown, so it wants the whole GPU: memory = \"...\" in a job file lets it use \
                         what is free\n"
                    }
                    false => "",
                };
                Some(format!(
                    "{unknown}it would fit {wanted}\nothers made {others}"
                ))
            }
            RunError::Gpu(error) => error.place(),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            RunError::Policy(error) => return error.hint(),
            RunError::JobFile(error) => return error.hint(),
            RunError::Times(error) => return error.hint(),
            RunError::Program(error) | RunError::JobProgram { error, .. } => return error.hint(),
            RunError::Word { error, .. } => return error.hint(),
            RunError::Gpu(error) => return error.hint(),
            RunError::ClosedLibraries { .. } => {
                "migfit fit PROGRAM ARGS sizes it without running it, and migfit run --gpu auto runs and records it on \
                 a real GPU"
                    .to_owned()
            }
            RunError::StaticRuntime(_) => "build it for the virtual GPU: migfit build --virtual -- make".to_owned(),
            RunError::TooLarge { slice_is_named: true, .. } => {
                "leave --slice out: migfit then makes one that holds it (migfit fit PROGRAM ARGS shows which); or name a \
                 larger one"
                    .to_owned()
            }
            RunError::TooLarge { .. } => {
                "take a larger GPU (migfit fit PROGRAM ARGS shows which), smaller inputs, or those jobs out; if the program \
                 takes what it gets, declare `memory` in the job file"
                    .to_owned()
            }
            RunError::NoSlice { state: None, .. } => {
                "if an earlier migfit was killed, they are its own: nvidia-smi mig -lgi lists them, nvidia-smi mig \
                 -dci -gi ID and then nvidia-smi mig -dgi -gi ID destroy one; or use another GPU"
                    .to_owned()
            }
            RunError::NoSlice { state: Some(state), .. } => format!(
                "if an earlier migfit was killed, they are its own: remove {} when nobody uses that virtual GPU; or \
                 name another state file in {STATE_VARIABLE}",
                state.display()
            ),
            RunError::TooLittleKnown(_) => {
                "take another model: virtual:a100-40gb; migfit fit sizes for this one all the same".to_owned()
            }
            RunError::NoVirtualGpu { .. } => {
                "run cargo xtask stage, then target/migfit/bin/migfit; or install migfit again".to_owned()
            }
            RunError::VirtualGpuFails { .. } => {
                "are variables set that change it? env | grep MIGFIT_VGPU shows them".to_owned()
            }
            RunError::BadState { .. } => {
                "name a virtual GPU's state file, or a file that is not there yet in a folder that is; unset: each \
                 run has its own"
                    .to_owned()
            }
            RunError::CannotWrite { .. } => {
                "name a folder on a disk with room that you may write to: --out DIR".to_owned()
            }
            RunError::ForeignFolder(_) | RunError::FolderInUse(_) => "name another folder: --out DIR".to_owned(),
            RunError::Signals(_) | RunError::Json(_) | RunError::Graph(_) | RunError::Placement(_) => {
                "please report this, with the output of migfit layout show --gpu MODEL".to_owned()
            }
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            RunError::Policy(error) => error.exit_code(),
            RunError::JobFile(error) => error.exit_code(),
            RunError::Times(error) => error.exit_code(),
            RunError::Program(error) | RunError::JobProgram { error, .. } => error.exit_code(),
            RunError::Word { error, .. } => error.exit_code(),
            RunError::StaticRuntime(_) | RunError::ClosedLibraries { .. } => {
                ExitCode::NotForVirtualGpu
            }
            RunError::TooLarge { .. } => ExitCode::TooLarge,
            RunError::NoSlice { .. } => ExitCode::GpuOccupied,
            RunError::TooLittleKnown(_) => ExitCode::UnknownName,
            RunError::NoVirtualGpu { .. } => ExitCode::Incomplete,
            RunError::CannotWrite { .. }
            | RunError::BadState { .. }
            | RunError::ForeignFolder(_)
            | RunError::FolderInUse(_) => ExitCode::CannotWrite,
            RunError::Gpu(error) => error.exit_code(),
            RunError::Json(_) => ExitCode::CannotWrite,
            RunError::Signals(_)
            | RunError::Graph(_)
            | RunError::Placement(_)
            | RunError::VirtualGpuFails { .. } => ExitCode::GpuFailed,
        }
    }
}
