//! Why the GPU could not be used, in the launcher's words.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use migfit_mig::Placed;
use std::path::PathBuf;

/// Why the GPU could not be used.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The driver's management library cannot be loaded.
    #[error("cannot load the NVIDIA management library {}: {reason}", library.display())]
    NoLibrary {
        /// What was to be loaded.
        library: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The library is there, no GPU answers.
    #[error("there is no GPU {which}: {reason}")]
    NoGpu {
        /// As asked for.
        which: String,
        /// What the driver says.
        reason: String,
    },
    /// A board that no built-in model describes.
    #[error("'{board}' is a GPU that migfit has no model of")]
    UnknownBoard {
        /// The driver's name for it.
        board: String,
    },
    /// The driver and our model tell different things.
    #[error("the driver contradicts our model of {board}: {what}")]
    Contradiction {
        /// The driver's name for the board.
        board: String,
        /// In which point.
        what: String,
    },
    /// MIG mode is off, or the GPU has none.
    #[error("MIG mode is off on {board}")]
    MigOff {
        /// The driver's name for the board.
        board: String,
    },
    /// The caller may not do it.
    #[error("{call}: no permission to change the MIG layout")]
    NoPermission {
        /// The driver's function.
        call: &'static str,
    },
    /// Somebody uses it.
    #[error("{call}: in use by another process")]
    InUse {
        /// The driver's function.
        call: &'static str,
    },
    /// The place is occupied.
    #[error("{call}: the place is occupied")]
    NoRoom {
        /// The driver's function.
        call: &'static str,
    },
    /// It is not there.
    #[error("{call}: not found")]
    NotFound {
        /// The driver's function.
        call: &'static str,
    },
    /// The driver is too old for this function.
    #[error("this driver has no {call}")]
    NoFunction {
        /// The driver's function.
        call: &'static str,
    },
    /// Any other answer.
    #[error("{call}: {reason}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// What it says.
        reason: String,
    },
    /// The driver said yes and did something else.
    #[error("asked for {asked}, the driver made {made}")]
    NotAsAsked {
        /// What was wanted.
        asked: Placed,
        /// What was read back.
        made: String,
    },
    /// Making failed, and so did taking it back.
    #[error(
        "{spec} could not be made ({cause}) nor taken back ({rollback}): GPU instance {gi} is left over"
    )]
    LeftOver {
        /// What was wanted.
        spec: Placed,
        /// Why it was not made.
        cause: Box<GpuError>,
        /// Why it was not taken back.
        rollback: Box<GpuError>,
        /// Id of the GPU instance that stays.
        gi: u32,
    },
    /// The driver said that it is destroyed and still lists it.
    #[error("GPU instance {gi} ({placed}) is still there after it was destroyed")]
    StillThere {
        /// Its id.
        gi: u32,
        /// What it is.
        placed: Placed,
    },
}

const VIRTUAL: &str = "run on the virtual GPU instead: --gpu virtual:a100-40gb";

impl Explain for GpuError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            GpuError::NoLibrary { .. } => format!("no NVIDIA driver here? {VIRTUAL}"),
            GpuError::NoGpu { .. } => format!("nvidia-smi -L lists the GPUs; or {VIRTUAL}"),
            GpuError::UnknownBoard { .. } | GpuError::Contradiction { .. } => {
                "please report the output of nvidia-smi mig -lgip and -lgipp".to_owned()
            }
            GpuError::MigOff { .. } => {
                "an administrator switches it on: nvidia-smi -i 0 -mig 1 (A100 and A30 need a reset)".to_owned()
            }
            GpuError::NoPermission { .. } => {
                "run as root, or ask for access to the driver's mig/config capability".to_owned()
            }
            GpuError::InUse { .. } | GpuError::StillThere { .. } => {
                "see who holds it: nvidia-smi, and open handles on /dev/nvidia*".to_owned()
            }
            GpuError::NoRoom { .. } | GpuError::NotFound { .. } | GpuError::NotAsAsked { .. } => {
                "something else changes this GPU's layout: keep the GPU to one of us".to_owned()
            }
            GpuError::NoFunction { .. } => "install a newer NVIDIA driver (R525 or later)".to_owned(),
            GpuError::Driver { .. } => "see dmesg and nvidia-smi for the GPU's state".to_owned(),
            GpuError::LeftOver { gi, .. } => {
                format!("destroy it by hand: nvidia-smi mig -dci -gi {gi}; nvidia-smi mig -dgi -gi {gi}")
            }
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            GpuError::NoLibrary { .. } | GpuError::NoGpu { .. } => ExitCode::NoGpu,
            GpuError::MigOff { .. } => ExitCode::MigOff,
            GpuError::NoPermission { .. } => ExitCode::NoPermission,
            GpuError::InUse { .. } | GpuError::NoRoom { .. } => ExitCode::GpuOccupied,
            GpuError::UnknownBoard { .. }
            | GpuError::Contradiction { .. }
            | GpuError::NotFound { .. }
            | GpuError::NoFunction { .. }
            | GpuError::Driver { .. }
            | GpuError::NotAsAsked { .. }
            | GpuError::LeftOver { .. }
            | GpuError::StillThere { .. } => ExitCode::GpuFailed,
        }
    }
}
