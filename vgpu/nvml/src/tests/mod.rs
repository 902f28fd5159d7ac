//! Tests of the C interface: the exported functions are called as a C program would, on a GPU of the test's own.

mod agreement;

mod compute_instances;

mod faults;

mod gpu_instances;

mod lab;

mod mig_devices;

mod pointers;

mod several_gpus;

mod start;
mod structures;

mod whole_gpu;
