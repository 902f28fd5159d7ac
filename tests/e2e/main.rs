//! The whole way, with the real nvcc and no GPU: built, foretold, placed, run, recorded, reported. One file per idea;
//! builders and fixtures are in the library of this crate.

#![expect(
    clippy::expect_used,
    reason = "all of it runs in tests: a panic is how a test fails"
)]

mod build;

mod builds;

mod broken_builds;

mod own_compiler;

mod own_nvcc;

mod ccache;

mod cmake;

mod libraries;

mod copies;

mod sizes;

mod idioms;

mod trial;

mod runtime12;

mod unforeseen;

mod run;

mod order;

mod refusals;

mod crashes;

mod cuda;

mod device_code;

mod explain;

mod restarts;

mod limits;

mod disks;

mod slice;

mod stopped;

mod preload;

mod readme;

mod vgpu;

mod kernels;

mod assembler;

mod doctor;

mod gpus;

mod nvml_clients;

mod nvml_settings;
