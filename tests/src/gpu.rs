//! A virtual GPU of the test's own, looked at from outside: which instances and processes are on it.

use crate::sandbox::Sandbox;
use crate::stage::Stage;
use migfit_vgpu_device::{Snapshot, VirtualGpu};
use std::path::PathBuf;
use std::process::Command;

/// A virtual GPU of the test's own.
pub struct Gpu {
    folder: Sandbox,
    model: &'static str,
}

impl Gpu {
    /// A new A100 with 40 GB and no instances.
    #[must_use]
    pub fn a100() -> Gpu {
        Gpu::of("a100-40gb")
    }

    /// A new GPU of this model, without instances.
    #[must_use]
    pub fn of(model: &'static str) -> Gpu {
        Gpu {
            folder: Sandbox::new(),
            model,
        }
    }

    /// What `--gpu` calls it.
    #[must_use]
    pub fn selector(&self) -> String {
        format!("virtual:{}", self.model)
    }

    /// The file that holds its state.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.folder.path("gpu.state")
    }

    /// Everything on it at this moment.
    ///
    /// # Panics
    /// When its state cannot be read.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.open().snapshot().expect("the state can be read")
    }

    /// Fails unless it is as new: no instances, no processes.
    #[track_caller]
    pub fn expect_empty(&self) {
        let snapshot = self.snapshot();
        assert_eq!(snapshot.gpu_instances, [], "GPU instances were left");
        assert_eq!(
            snapshot.compute_instances,
            [],
            "compute instances were left"
        );
        assert_eq!(snapshot.processes, [], "processes were left");
    }

    /// Cuts a slice of this MIG profile by hand, as another user would; the UUID of its MIG device.
    ///
    /// # Panics
    /// When there is no room for it.
    #[must_use]
    pub fn cut(&self, mig_profile: &str) -> String {
        let gpu = self.open();
        let profiles = &gpu.model().profiles;
        let profile = profiles.iter().find(|one| one.name == mig_profile);
        let profile = profile.expect("the model has this MIG profile");
        let whole = |sm_slices| sm_slices == profile.sm_slices;
        let compute = profile.compute.iter().find(|one| whole(one.sm_slices));
        let gi = gpu
            .create_gpu_instance(profile.id, None)
            .expect("room for it");
        let full = compute.expect("a full compute instance").id;
        let ci = gpu
            .create_compute_instance(gi.id, full, None)
            .expect("room for it");
        gpu.mig_uuid(gi.id, ci.id)
    }

    /// Lets a command run on a slice of this GPU without migfit.
    pub fn put<'c>(&self, command: &'c mut Command, mig_uuid: &str) -> &'c mut Command {
        self.serve(command).env("CUDA_VISIBLE_DEVICES", mig_uuid)
    }

    /// Lets a command find this GPU where it looks for a driver.
    pub fn serve<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("LD_LIBRARY_PATH", Stage::ready().virtual_gpu())
            .env("MIGFIT_VGPU", self.model)
            .env("MIGFIT_VGPU_STATE", self.state())
    }

    fn open(&self) -> VirtualGpu {
        VirtualGpu::open(&self.state(), Some(self.model)).expect("the state can be opened")
    }
}
