//! LLVM IR in, one normalised module out. Must not know the size program.

pub mod view;

pub mod load;

pub mod library;

pub mod returns;

pub mod stubs;

mod generated;

mod inlined;

pub mod handlers;

pub mod normalise;

pub mod places;

pub mod names;
