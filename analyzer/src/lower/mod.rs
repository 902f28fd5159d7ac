//! A normalised module in, the size program out. Knows LLVM only through `ir::view`; must not know slicing or formulas.

pub mod lanes;
mod looseness;

pub mod program;

pub mod global;

mod constant;

mod function;

mod terminator;

mod unwind;
mod variadic;

mod leaving;

mod threads;

mod instruction;

mod aggregate;

mod arithmetic;

mod bits;

mod wide;

mod memory;

mod atomic;

mod call;

mod intrinsic;

mod overflow;

mod reduction;

pub mod print;
