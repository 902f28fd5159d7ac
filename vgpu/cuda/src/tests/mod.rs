//! Driver calls as a C program makes them, on a slice of a virtual A100 that the whole test process shares.

mod contexts;
mod copies;
mod lab;
mod launches;
mod linked;
mod memory;
mod memory_kinds;
mod names;
mod variables;
