//! Bytes laid over a virtual GPU's state file, at the place that the first two name -> the file is refused, or every
//! question and every change has an answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_vgpu_device::VirtualGpu;
use std::path::Path;

const MODEL: &str = "a100-40gb";

fuzz_target!(|data: &[u8]| {
    let Some((place, rest)) = data.split_first_chunk::<2>() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("gpu.state");
    busy(&path);
    let mut bytes = std::fs::read(&path).expect("it was made");
    let at = usize::from(u16::from_le_bytes(*place)) % bytes.len();
    for (to, from) in bytes.iter_mut().skip(at).zip(rest) {
        *to = *from;
    }
    std::fs::write(&path, bytes).expect("it can be written");
    if let Ok(gpu) = VirtualGpu::open(&path, None) {
        exercise(&gpu);
    }
});

/// A GPU with instances, so that there is something to damage.
fn busy(path: &Path) {
    let gpu = VirtualGpu::open(path, Some(MODEL)).expect("a new one");
    for profile in [9, 14] {
        let owner = gpu.create_gpu_instance(profile, None).expect("room").id;
        gpu.create_compute_instance(owner, 0, None).expect("room");
    }
}

fn exercise(gpu: &VirtualGpu) {
    let _ = (gpu.slices(), gpu.memory(None), gpu.set_mig_mode(false));
    let profiles: Vec<u32> = gpu
        .model()
        .profiles
        .iter()
        .map(|profile| profile.id)
        .collect();
    for profile in profiles {
        let free = gpu
            .free_placements(profile)
            .expect("it is one of the model's");
        assert_eq!(
            gpu.create_gpu_instance(profile, None).is_ok(),
            !free.is_empty() && mig_is_on(gpu)
        );
    }
    let state = gpu.snapshot().expect("it can be read");
    for one in &state.compute_instances {
        let _ = gpu.destroy_compute_instance(one.gpu_instance, one.id);
    }
    for one in &state.gpu_instances {
        let _ = gpu.destroy_gpu_instance(one.id);
    }
    let _ = gpu.reset();
}

fn mig_is_on(gpu: &VirtualGpu) -> bool {
    gpu.snapshot().expect("it can be read").mig_mode
}
