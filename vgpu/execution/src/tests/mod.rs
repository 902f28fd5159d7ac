//! Kernels as PTX texts, run on small grids.

mod block;
mod faults;
mod floats;
mod halves;
mod instructions;
mod lab;
mod rounding;
