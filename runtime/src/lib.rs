//! The library inside the user's process: preloaded, it sees allocations, frees and launches on their way to the CUDA
//! driver and keeps the run record. It must not know placement, and no failure of its own may change the program.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("migfit-runtime knows the calling convention of x86-64 Linux only");

#[macro_use]
mod declare;
mod dl;
mod entry;
mod graphs;
mod guard;
mod hooks;
mod kernels;
mod ledger;
mod physical;
mod real;
mod record;
mod rounding;
mod session;
mod sites;
mod switch;
mod symbols;
mod work;
