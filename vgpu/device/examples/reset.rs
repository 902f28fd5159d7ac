//! Resets the virtual GPU that the environment names, as `nvidia-smi --gpu-reset` does a real one: its instances are gone,
//! and MIG mode is as it was last asked for. For trying things by hand: `cargo run -p migfit-vgpu-device --example reset`.

use migfit_vgpu_device::{StateError, VirtualGpu};

fn main() -> Result<(), StateError> {
    let gpu = VirtualGpu::from_env()?;
    gpu.reset()?;
    let mode = if gpu.snapshot()?.mig_mode {
        "on"
    } else {
        "off"
    };
    println!("{}: MIG mode is {mode}", gpu.uuid());
    Ok(())
}
