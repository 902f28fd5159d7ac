//! Why a kernel cannot be compiled, and how one that runs can fail.

use migfit_ptx::text::{Place, PtxError};

/// Why a kernel cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The program has no kernel of this name.
    #[error("the program has no kernel '{0}'")]
    NoKernel(String),
    /// The kernel's text is wrong.
    #[error("kernel '{kernel}': {error}")]
    Text {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        error: PtxError,
    },
    /// The kernel does something that the virtual GPU cannot do.
    #[error(
        "kernel '{kernel}': '{what}' at PTX {at} in '{function}' is not done by the virtual GPU"
    )]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// The function that it is in.
        function: String,
        /// The instruction.
        what: String,
        /// Its place.
        at: Place,
    },
    /// The code generator cannot do it.
    #[error("kernel '{kernel}' cannot be compiled: {what}")]
    Generator {
        /// The kernel.
        kernel: String,
        /// What the code generator says.
        what: String,
    },
}

/// How a kernel failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access to memory that is not there.
    Address,
    /// A `trap` instruction.
    Trap,
    /// An `assert` that does not hold.
    Assert,
    /// Its threads wait for each other for ever.
    Deadlock,
    /// Its stack is full.
    Stack,
    /// An instruction that the processor refuses.
    Instruction,
}

/// A kernel's failure, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel '{kernel}' failed in block ({}, {}, {}), thread ({}, {}, {}): {}",
    block[0], block[1], block[2], thread[0], thread[1], thread[2], describe(*kind, *address)
)]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// How.
    pub kind: FaultKind,
    /// The address of an access.
    pub address: u64,
    /// The block.
    pub block: [u32; 3],
    /// The thread within it.
    pub thread: [u32; 3],
}

fn describe(kind: FaultKind, address: u64) -> String {
    match kind {
        FaultKind::Address => format!("no memory at address {address:#x}"),
        FaultKind::Trap => "a trap instruction".to_owned(),
        FaultKind::Assert => "an assertion does not hold".to_owned(),
        FaultKind::Deadlock => "its threads wait for each other for ever".to_owned(),
        FaultKind::Stack => "its stack is full".to_owned(),
        FaultKind::Instruction => "an illegal instruction".to_owned(),
    }
}
