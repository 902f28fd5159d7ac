//! Why the GPU could not be used, in the launcher's words. Texts beside the messages are in `explain`.

use crate::gpu::driver::MigMode;
use crate::gpu::holders::Holders;
use migfit_mig::{Placed, Placement};
use std::path::PathBuf;

/// Why the GPU could not be used.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The driver's management library is not there or cannot be loaded.
    #[error("cannot load the NVIDIA management library {}: {reason}", library.display())]
    NoLibrary {
        /// What was to be loaded.
        library: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The library is there, and no kernel driver.
    #[error("the NVIDIA management library is there, but the NVIDIA kernel driver is not loaded")]
    NoDriver,
    /// Library and kernel driver are of two versions.
    #[error("the NVIDIA management library {} and the kernel driver are of two versions", library.display())]
    Mismatch {
        /// The library.
        library: PathBuf,
        /// What the system tells of the kernel driver that runs.
        kernel: Option<String>,
    },
    /// No such GPU.
    #[error("there is no GPU {which}")]
    NoGpu {
        /// As asked for.
        which: String,
    },
    /// `auto` found several GPUs, and none to use.
    #[error("none of the {} GPUs can be used", passed.len())]
    NoneUsable {
        /// Each GPU with what is wrong with it, in the driver's order.
        passed: Vec<PassedOver>,
    },
    /// The driver tells what cannot be.
    #[error("the driver tells of {board} what cannot be: {what}")]
    Contradiction {
        /// The driver's name for the board.
        board: String,
        /// In which point.
        what: String,
    },
    /// Slices are wanted, and MIG mode is off, or the GPU has none.
    #[error("{board} has {}", if *has_mig { "its MIG mode off" } else { "no MIG" })]
    MigOff {
        /// The driver's name for the board.
        board: String,
        /// GPU UUID.
        gpu: String,
        /// Whether it could be switched on.
        has_mig: bool,
    },
    /// A change of MIG mode waits for a reset.
    #[error(
        "the MIG mode of {board} is about to change: {} now, {} after the next reset",
        if *on { "off" } else { "on" },
        if *on { "on" } else { "off" }
    )]
    ModePending {
        /// The driver's name for the board.
        board: String,
        /// GPU UUID.
        gpu: String,
        /// Whether it will be on.
        on: bool,
    },
    /// Every place on the GPU is taken by GPU instances of others.
    #[error("no place is left on {board}: others made {others}")]
    Full {
        /// The driver's name for the board.
        board: String,
        /// What is there.
        others: String,
    },
    /// Others run on a GPU that is not divided.
    #[error("others use {board}, which is not divided: {holders}")]
    Shared {
        /// The driver's name for the board.
        board: String,
        /// Who.
        holders: Holders,
    },
    /// The caller may not do it.
    #[error("{call}: no permission to look at or change the MIG layout")]
    NoPermission {
        /// The driver's function.
        call: &'static str,
    },
    /// This GPU, or its present state, does not have it.
    #[error("{call}: not supported on this GPU, or not in its present state")]
    NotSupported {
        /// The driver's function.
        call: &'static str,
    },
    /// The GPU must be reset first.
    #[error("{call}: the GPU must be reset before it can be used")]
    ResetRequired {
        /// The driver's function.
        call: &'static str,
    },
    /// The GPU no longer answers.
    #[error("{call}: the GPU is lost: it fell off the bus or no longer answers")]
    Lost {
        /// The driver's function.
        call: &'static str,
    },
    /// Somebody uses it; the answer to one attempt.
    #[error("{call}: in use by another process")]
    InUse {
        /// The driver's function.
        call: &'static str,
    },
    /// A GPU instance of ours stays in use, however often it was tried.
    #[error("GPU instance {gi} ({placed}) stays in use and could not be destroyed: {holders}")]
    StaysInUse {
        /// Its id.
        gi: u32,
        /// What it is.
        placed: Placed,
        /// GPU UUID.
        gpu: String,
        /// Who uses it.
        holders: Holders,
    },
    /// The GPU stays in use, so that no slice can be cut.
    #[error("{placed} could not be made, because the GPU stays in use: {holders}")]
    Held {
        /// What was wanted.
        placed: Placed,
        /// Who uses it.
        holders: Holders,
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
    /// No MIG device has this UUID.
    #[error("there is no MIG device {uuid}")]
    NoSlice {
        /// As asked for.
        uuid: String,
        /// UUIDs and names of those that there are.
        there: Vec<(String, Option<String>)>,
    },
    /// A process runs on a MIG device that was to be used.
    #[error("the MIG device {uuid} is in use: {holders}")]
    SliceInUse {
        /// Which.
        uuid: String,
        /// Who runs there.
        holders: Holders,
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
        /// GPU UUID.
        gpu: String,
    },
    /// A GPU instance was made, does not tell its id, and could not be taken back.
    #[error(
        "a GPU instance was made at {place} and does not tell what it is ({cause}), nor could it be taken back ({rollback}): it is left over"
    )]
    Unnamed {
        /// Where it lies.
        place: Placement,
        /// Why it does not tell.
        cause: Box<GpuError>,
        /// Why it was not taken back.
        rollback: Box<GpuError>,
    },
    /// Several things went wrong, one after the other.
    #[error("{first}")]
    Several {
        /// What went wrong first.
        first: Box<GpuError>,
        /// What went wrong after it.
        others: Vec<GpuError>,
    },
    /// The driver said that it is destroyed and still lists it.
    #[error("GPU instance {gi} ({placed}) is still there after it was destroyed")]
    StillThere {
        /// Its id.
        gi: u32,
        /// What it is.
        placed: Placed,
        /// GPU UUID.
        gpu: String,
    },
}

/// A GPU that `auto` did not take.
#[derive(Debug)]
pub struct PassedOver {
    /// Its number in the driver's order.
    pub index: u32,
    /// Why.
    pub why: GpuError,
}

impl std::fmt::Display for PassedOver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GPU {}: {}", self.index, self.why)
    }
}

impl GpuError {
    /// One error for all of these; none where there is none.
    #[must_use]
    pub fn of_all(errors: Vec<GpuError>) -> Option<GpuError> {
        let mut errors = errors.into_iter();
        let first = errors.next()?;
        let others: Vec<GpuError> = errors.collect();
        Some(match others.is_empty() {
            true => first,
            false => GpuError::Several {
                first: Box::new(first),
                others,
            },
        })
    }

    /// The error of a GPU that demands slices and is not divided, or is about to change.
    #[must_use]
    pub fn of_mode(mode: MigMode, board: &str, gpu: &str) -> GpuError {
        let (board, gpu) = (board.to_owned(), gpu.to_owned());
        match mode {
            MigMode::TurningOn | MigMode::TurningOff => GpuError::ModePending {
                board,
                gpu,
                on: mode == MigMode::TurningOn,
            },
            MigMode::Absent | MigMode::Off | MigMode::On => GpuError::MigOff {
                board,
                gpu,
                has_mig: mode != MigMode::Absent,
            },
        }
    }
}
