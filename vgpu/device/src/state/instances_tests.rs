//! The driver's rules for instances, as sentences, on an A100 and an A30.

use super::error::StateError;
use super::gpu::VirtualGpu;
use crate::model::Placement;
use tempfile::TempDir;

const G1: u32 = 19;
const G1_MEDIA: u32 = 20;
const G2: u32 = 14;
const G3: u32 = 9;
const G4: u32 = 5;
const G7: u32 = 0;

fn gpu(model: &str) -> (TempDir, VirtualGpu) {
    let folder = tempfile::tempdir().unwrap();
    let gpu = VirtualGpu::open(&folder.path().join("state"), Some(model)).unwrap();
    (folder, gpu)
}

/// Creates GPU instances one after the other where the driver puts them: their starts and ids.
fn fill(gpu: &VirtualGpu, profiles: &[u32]) -> Vec<(u32, u32)> {
    let made = profiles
        .iter()
        .map(|profile| gpu.create_gpu_instance(*profile, None).unwrap());
    made.map(|made| (made.placement.start, made.id)).collect()
}

#[test]
fn an_a100_fills_in_the_order_seen_on_hardware() {
    let (_folder, gpu) = gpu("a100-40gb");
    let eighths = [(6, 13), (4, 11), (5, 12), (0, 7), (1, 8), (2, 9), (3, 10)];
    assert_eq!(fill(&gpu, &[G1; 7]), eighths);
    assert!(matches!(
        gpu.create_gpu_instance(G1, None),
        Err(StateError::InsufficientResources(_))
    ));
}

#[test]
fn halves_and_quarters_have_the_ids_of_an_unswapped_board() {
    let (_folder, first) = gpu("a100-40gb");
    assert_eq!(fill(&first, &[G3, G3]), [(4, 2), (0, 1)]);
    let (_folder, second) = gpu("a100-40gb");
    assert_eq!(
        fill(&second, &[G2, G2, G2, G1]),
        [(4, 5), (0, 3), (2, 4), (6, 13)]
    );
    let (_folder, third) = gpu("a100-40gb");
    assert_eq!(fill(&third, &[G7]), [(0, 0)]);
    assert!(third.free_placements(G1).unwrap().is_empty());
}

#[test]
fn an_a30_takes_the_lowest_start() {
    let (_folder, gpu) = gpu("a30-24gb");
    let profiles = gpu.model().profiles.clone();
    let id = |name: &str| {
        profiles
            .iter()
            .find(|profile| profile.name == name)
            .unwrap()
            .id
    };
    assert_eq!(
        fill(&gpu, &[id("1g.6gb"), id("1g.6gb"), id("2g.12gb")]),
        [(0, 3), (1, 4), (2, 2)]
    );
}

#[test]
fn an_occupied_place_is_a_lack_of_resources_and_an_illegal_one_a_wrong_argument() {
    let (_folder, gpu) = gpu("a100-40gb");
    let at = |start, size| Some(Placement { start, size });
    gpu.create_gpu_instance(G2, at(0, 2)).unwrap();
    assert!(matches!(
        gpu.create_gpu_instance(G2, at(0, 2)),
        Err(StateError::InsufficientResources(_))
    ));
    assert!(matches!(
        gpu.create_gpu_instance(G4, at(0, 4)),
        Err(StateError::InsufficientResources(_))
    ));
    assert!(matches!(
        gpu.create_gpu_instance(G2, at(1, 2)),
        Err(StateError::InvalidArgument(_))
    ));
    assert!(matches!(
        gpu.create_gpu_instance(G2, at(2, 1)),
        Err(StateError::InvalidArgument(_))
    ));
    assert!(matches!(
        gpu.create_gpu_instance(77, None),
        Err(StateError::InvalidArgument(_))
    ));
    gpu.create_gpu_instance(G3, at(4, 4)).unwrap();
}

#[test]
fn the_media_extensions_exist_once() {
    let (_folder, gpu) = gpu("a100-40gb");
    gpu.create_gpu_instance(G1_MEDIA, None).unwrap();
    assert!(matches!(
        gpu.create_gpu_instance(G1_MEDIA, None),
        Err(StateError::InsufficientResources(_))
    ));
    gpu.create_gpu_instance(G1, None).unwrap();
}

#[test]
fn instances_go_in_two_steps() {
    let (_folder, gpu) = gpu("a100-40gb");
    let owner = gpu.create_gpu_instance(G3, None).unwrap().id;
    let full = gpu.create_compute_instance(owner, 2, None).unwrap();
    assert!(matches!(
        gpu.create_compute_instance(owner, 2, None),
        Err(StateError::InsufficientResources(_))
    ));
    assert!(matches!(
        gpu.destroy_gpu_instance(owner),
        Err(StateError::InUse(_))
    ));
    gpu.destroy_compute_instance(owner, full.id).unwrap();
    assert!(matches!(
        gpu.destroy_compute_instance(owner, full.id),
        Err(StateError::NotFound(_))
    ));
    gpu.destroy_gpu_instance(owner).unwrap();
    assert!(matches!(
        gpu.destroy_gpu_instance(owner),
        Err(StateError::NotFound(_))
    ));
    assert!(gpu.slices().unwrap().is_empty());
}

#[test]
fn compute_instances_share_the_sm_slices_of_their_gpu_instance() {
    let (_folder, gpu) = gpu("a100-40gb");
    let owner = gpu.create_gpu_instance(G4, None).unwrap().id;
    let one = gpu.create_compute_instance(owner, 0, None).unwrap();
    let two = gpu.create_compute_instance(owner, 1, None).unwrap();
    assert_eq!(
        (one.id, one.placement.start, two.id, two.placement.start),
        (0, 0, 1, 1)
    );
    assert!(matches!(
        gpu.create_compute_instance(owner, 1, None),
        Err(StateError::InsufficientResources(_))
    ));
    let beyond = Some(Placement { start: 3, size: 2 });
    assert!(matches!(
        gpu.create_compute_instance(owner, 1, beyond),
        Err(StateError::InvalidArgument(_))
    ));
    // A 4g offers no 3c.
    assert!(matches!(
        gpu.create_compute_instance(owner, 2, None),
        Err(StateError::InvalidArgument(_))
    ));
    let names: Vec<_> = gpu
        .slices()
        .unwrap()
        .into_iter()
        .map(|slice| (slice.name, slice.sms))
        .collect();
    let board = "NVIDIA A100-SXM4-40GB MIG";
    assert_eq!(
        names,
        [
            (format!("{board} 1c.4g.20gb"), 14),
            (format!("{board} 2c.4g.20gb"), 28)
        ]
    );
}

#[test]
fn an_instance_made_again_keeps_its_uuid() {
    let (_folder, gpu) = gpu("a100-40gb");
    let make = || {
        let owner = gpu.create_gpu_instance(G1, None).unwrap().id;
        gpu.create_compute_instance(owner, 0, None).unwrap();
        gpu.slices().unwrap()[0].uuid.clone()
    };
    let first = make();
    gpu.destroy_compute_instance(13, 0).unwrap();
    gpu.destroy_gpu_instance(13).unwrap();
    assert_eq!(make(), first);
    assert!(first.starts_with("MIG-") && gpu.uuid().starts_with("GPU-"));
}

#[test]
fn mig_mode_is_on_from_the_start_and_only_an_unused_gpu_switches() {
    let (_folder, gpu) = gpu("a100-40gb");
    gpu.create_gpu_instance(G1, None).unwrap();
    assert!(matches!(gpu.set_mig_mode(false), Err(StateError::InUse(_))));
    gpu.destroy_gpu_instance(13).unwrap();
    assert!(matches!(
        gpu.set_mig_mode(false),
        Err(StateError::ResetRequired)
    ));
    let state = gpu.snapshot().unwrap();
    assert_eq!((state.mig_mode, state.mig_pending), (true, false));
    gpu.reset().unwrap();
    assert!(matches!(
        gpu.create_gpu_instance(G1, None),
        Err(StateError::MigOff)
    ));
    let whole = gpu.slices().unwrap();
    assert_eq!(
        (whole.len(), whole[0].sms, whole[0].memory.0),
        (1, 108, 40960)
    );
}
