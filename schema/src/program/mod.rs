//! The size program: the host code that sizes and control flow around CUDA calls depend on, lowered from
//! LLVM IR to a small typed register code in SSA form. Aggregates are flattened: every register is one scalar.
//! The analyzer lowers and slices it; `sizes` evaluates it. Pointers are 64 bits, memory is byte-addressed.

mod code;
mod join;
mod op;
mod operands;
mod part;

pub use code::*;
pub use join::join;
pub use op::{BinaryOp, Callee, Cast, Compare, Op, Unary};
pub use part::Part;
