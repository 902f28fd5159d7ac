//! Functions, blocks, values and globals of the size program.

use crate::program::op::Op;
use serde::{Deserialize, Serialize};

/// Index of a register within its function. Each is written by exactly one instruction, phi or parameter.
pub type Reg = u32;
/// Index into `SizeProgram::functions`.
pub type FunctionId = u32;
/// Index into `SizeProgram::globals`.
pub type GlobalId = u32;
/// Index into `Function::blocks`.
pub type BlockId = u32;

/// The call by which a size program says that it goes past a check that it does not make; one argument: 1 where the
/// check asks for what the device computed.
pub const UNCHECKED: &str = "migfit.unchecked";

/// Host code of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeProgram {
    /// Source files that `Place::file` points into.
    pub files: Vec<String>,
    /// Functions with a body.
    pub functions: Vec<Function>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Static constructors in the order in which they run, before `main`.
    pub constructors: Vec<FunctionId>,
    /// `main`, when the program has one.
    pub main: Option<FunctionId>,
    /// Kernels, in the order in which `Op::Launch` names them: (mangled symbol, name for people).
    pub kernels: Vec<(String, String)>,
    /// Host functions that stand for kernels where a program hands kernels on by pointer: (mangled name of the host's,
    /// mangled symbol of the kernel), where they differ.
    pub kernel_names: Vec<(String, String)>,
    /// Functions outside the program whose code was not looked into and is none of the system's or CUDA's own
    /// libraries: they may do anything, take device memory too.
    pub opaque: Vec<String>,
    /// Work is captured from streams into graphs: what goes to which stream, and in which order, matters.
    pub captures: bool,
    /// Where exceptions are caught: what handlers do is not in this program.
    pub catches: Vec<Place>,
    /// Why floating-point results may differ in the last digit from what the evaluation computes
    /// (`-ffast-math`, fused multiply-add); `None`: they do not.
    pub loose_floats: Option<String>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Mangled name.
    pub name: String,
    /// Registers that hold the parameters at entry, flattened, in order.
    pub params: Vec<(Reg, Type)>,
    /// Flattened result types.
    pub results: Vec<Type>,
    /// Number of registers.
    pub registers: u32,
    /// Blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Source names of registers where debug information gave them, sorted by register.
    pub names: Vec<(Reg, String)>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Values chosen by the block that control came from; all are read before any is written.
    pub phis: Vec<Phi>,
    /// Instructions in order.
    pub ops: Vec<Instruction>,
    /// How the block ends.
    pub end: Terminator,
    /// Place of the terminator.
    pub end_place: Place,
}

/// A value chosen by the block that control came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phi {
    /// Register written.
    pub dst: Reg,
    /// Its type.
    pub ty: Type,
    /// (predecessor, value).
    pub incoming: Vec<(BlockId, Operand)>,
}

/// Where in the source, compactly: index into `SizeProgram::files` and line (0: unknown).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Place {
    /// Index into `SizeProgram::files`.
    pub file: u32,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
}

/// One instruction with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Where it stands.
    pub place: Place,
}

/// Type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// Integer of 1 to 64 bits; kept zero-extended in 64 bits.
    Int(u8),
    /// 32-bit float; bits kept zero-extended.
    F32,
    /// 64-bit float.
    F64,
    /// Pointer.
    Ptr,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// Bits of a constant, zero-extended (integers, floats by their bits, null as 0).
    Const(u64),
    /// Address of a global plus an offset in bytes.
    Global(GlobalId, i64),
    /// Address of a function.
    Function(FunctionId),
    /// `undef` or `poison`: any value does.
    Undef,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields are named after what the variant says")]
pub enum Terminator {
    /// Return with flattened results.
    Return(Vec<Operand>),
    /// Goes on at a block.
    Jump(BlockId),
    /// Two ways.
    Branch {
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
        unknown: OnUnknown,
    },
    /// Many ways.
    Switch {
        ty: Type,
        value: Operand,
        cases: Vec<(u64, BlockId)>,
        default: BlockId,
        unknown: OnUnknown,
    },
    /// Cannot be reached, or ends the process (after `exit`, `abort`).
    Unreachable,
}

/// What an evaluator does when a condition is unknown (SIZES.md, rule 7). Set by the slicer from the control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields are named after what the variant says")]
pub enum OnUnknown {
    /// Not analysed: stop with "unknown".
    Stop,
    /// The other side only leads to a failing exit: take this one; the answer is "assumed: the check passes".
    CheckPasses(BlockId),
    /// A loop that holds CUDA calls: `body` once, then `exit`; "assumed: the loop's body runs at least once".
    LoopOnce { body: BlockId, exit: BlockId },
    /// CUDA calls on one side only: take it; "assumed".
    TakeCuda(BlockId),
    /// No CUDA call on either side: go to where they join; values written meanwhile are unknown.
    Join(BlockId),
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Global {
    /// Mangled name.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Initial bytes; shorter than `size`: the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses in the initial bytes: (offset, what is stored there).
    pub addresses: Vec<(u64, Operand)>,
    /// Never written by the program.
    pub constant: bool,
    /// Defined outside the program (`stderr`, `optarg`).
    pub external: bool,
    /// Host shadow of a device variable (`__device__`, `__constant__`): bytes on the device.
    pub device_bytes: Option<u64>,
}
