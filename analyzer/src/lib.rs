//! Host IR in, job profile out: bitcode of a program's translation units is linked, brought into a plain form, lowered
//! to the size program, sliced, and summed up as formulas. Knows LLVM; must not know CUDA libraries, NVML or devices.

pub mod annotations;
pub mod device;
pub mod error;
pub mod formula;
pub mod ir;
pub mod lower;
pub mod outside;
pub mod pipeline;
pub mod slice;
