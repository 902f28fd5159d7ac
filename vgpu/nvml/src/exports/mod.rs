//! The functions of NVML that are defined, by what they are asked about.

pub mod system;

pub mod lookup;

pub mod facts;

pub mod memory;

pub mod modes;

pub mod mig_mode;

pub mod mig_device;

pub mod gpu_profile;

pub mod gpu_instance;

pub mod compute_profile;

pub mod compute_instance;

pub mod processes;
