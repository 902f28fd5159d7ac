//! Why an operation on the virtual GPU failed. NVML and CUDA map these to their own codes.

use std::path::PathBuf;

/// Why an operation on the virtual GPU failed.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Neither a model nor a state file is named.
    #[error("no virtual GPU is configured; set MIGFIT_VGPU to a GPU model such as a100-40gb")]
    NotConfigured,
    /// No built-in model has that name, or too little is known of it for a virtual GPU.
    #[error("{0}")]
    UnknownModel(String),
    /// An environment variable has a value that is none.
    #[error("{variable}={value} is not usable: {reason}")]
    Setting {
        /// The variable.
        variable: &'static str,
        /// Its value, or the part of it that is meant.
        value: String,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// The file is another model's state.
    #[error(
        "{path} is the state of GPU model {stored}, not of {wanted}; name another file in MIGFIT_VGPU_STATE or remove this one"
    )]
    OtherModel {
        /// The state file.
        path: PathBuf,
        /// Model that the file was made for.
        stored: String,
        /// Model that was asked for.
        wanted: String,
    },
    /// The file is not a state file of this version.
    #[error(
        "{path} is not usable as the state of a virtual GPU: {reason}; name another file in MIGFIT_VGPU_STATE or remove this one if a virtual GPU made it"
    )]
    Foreign {
        /// The state file.
        path: PathBuf,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// The file is not there, and neither is the folder that it would be made in.
    #[error(
        "the state file {path} could not be made: there is no folder {folder}; make the folder, or name another file in MIGFIT_VGPU_STATE"
    )]
    NoFolder {
        /// The state file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The file could not be made, opened, mapped or locked.
    #[error(
        "the state file {path} could not be {what}: {source}; check its folder, its owner and the room on its disk"
    )]
    File {
        /// The state file.
        path: PathBuf,
        /// What was tried: "opened".
        what: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The caller may not do this.
    #[error("no permission to {0}; ask the owner of the state file")]
    NoPermission(&'static str),
    /// MIG mode is off, or the model has no MIG.
    #[error("MIG is off on this GPU; switch MIG mode on first")]
    MigOff,
    /// The board switches MIG mode at a reset only.
    #[error("MIG mode changes at the next reset of this GPU; reset it, or remove its state file")]
    ResetRequired,
    /// An argument that names no MIG profile or no legal placement.
    #[error("{0}")]
    InvalidArgument(String),
    /// No place, or the chosen one is occupied.
    #[error("insufficient resources: {0}; destroy an idle instance that is in the way")]
    InsufficientResources(String),
    /// It still has compute instances or processes.
    #[error("{0} is in use; end its processes and destroy its compute instances first")]
    InUse(String),
    /// No such instance or process.
    #[error("there is no {0}; read the layout again")]
    NotFound(String),
    /// The slice's memory does not hold it.
    #[error("out of memory: {wanted} bytes asked for, {free} bytes free")]
    OutOfMemory {
        /// Bytes that were asked for, after rounding.
        wanted: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// A table of the state file is full.
    #[error("the state file's table of {0} is full; end some of them")]
    TableFull(&'static str),
}
