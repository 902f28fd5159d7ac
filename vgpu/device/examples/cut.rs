//! Cuts a GPU instance with a full compute instance on the virtual GPU that the environment names, and prints the
//! UUID of its MIG device. For trying things by hand: `cargo run -p migfit-vgpu-device --example cut -- 1g.5gb`.

use migfit_vgpu_device::{StateError, VirtualGpu};

fn main() -> Result<(), StateError> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let gpu = VirtualGpu::from_env()?;
    let profile = gpu
        .model()
        .profiles
        .iter()
        .find(|profile| profile.name == name);
    let profile = profile.ok_or_else(|| {
        StateError::InvalidArgument(format!("no MIG profile is called \"{name}\""))
    })?;
    let made = gpu.create_gpu_instance(profile.id, None)?;
    let full = profile
        .compute
        .iter()
        .find(|compute| compute.sm_slices == profile.sm_slices);
    let full =
        full.ok_or_else(|| StateError::InvalidArgument(format!("{name} has no compute instance")))?;
    let compute = gpu.create_compute_instance(made.id, full.id, None)?;
    println!("{}", gpu.mig_uuid(made.id, compute.id));
    Ok(())
}
