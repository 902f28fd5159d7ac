//! GPU instances by the driver's rules: profiles, placements, ids, codes.

use super::lab::*;
use crate::border::{Out, version};
use crate::exports::gpu_instance::*;
use crate::exports::gpu_profile::*;
use crate::handle::GpuInstanceHandle;
use nvml_wrapper_sys::bindings as nvml;

const ONE: u32 = 19;
const TWO: u32 = 14;
const THREE: u32 = 9;
const FOUR: u32 = 5;
const SEVEN: u32 = 0;

fn profile_info(constant: u32) -> Result<nvml::nvmlGpuInstanceProfileInfo_t, u32> {
    // SAFETY: all fields are plain numbers.
    let blank = unsafe { std::mem::zeroed() };
    ask(blank, |out| {
        nvmlDeviceGetGpuInstanceProfileInfo(gpu(), constant, out)
    })
}

#[test]
fn constants_are_enumerated_until_invalid_argument() {
    let _lab = Lab::a100();
    let one = profile_info(0).unwrap();
    assert_eq!(
        (one.id, one.sliceCount, one.instanceCount, one.memorySizeMB),
        (ONE, 1, 7, 4864)
    );
    assert_eq!(profile_info(4).unwrap().multiprocessorCount, 98);
    let lacking: Vec<u32> = (0..18)
        .filter(|c| profile_info(*c).err() == Some(3))
        .collect();
    assert!(lacking.contains(&5) && lacking.contains(&17), "{lacking:?}");
    assert_eq!(profile_info(18).unwrap_err(), 2);
}

#[test]
fn the_versioned_structures_carry_the_name() {
    let _lab = Lab::a100();
    // SAFETY: all fields are plain numbers.
    let mut second: nvml::nvmlGpuInstanceProfileInfo_v2_t = unsafe { std::mem::zeroed() };
    let call = |info: &mut _| nvmlDeviceGetGpuInstanceProfileInfoV(gpu(), 2, Out::to(info));
    assert_eq!(call(&mut second), 2, "no version");
    second.version = version::<nvml::nvmlGpuInstanceProfileInfo_v2_t>(2);
    assert_eq!(call(&mut second), 0);
    let name: String = second
        .name
        .iter()
        .take_while(|c| **c != 0)
        .map(|c| char::from(c.cast_unsigned()))
        .collect();
    assert_eq!((second.id, name.as_str()), (THREE, "MIG 3g.20gb"));
    // SAFETY: all fields are plain numbers.
    let mut third: nvml::nvmlGpuInstanceProfileInfo_v3_t = unsafe { std::mem::zeroed() };
    third.version = version::<nvml::nvmlGpuInstanceProfileInfo_v3_t>(3);
    let room = Out::to(&mut third).seen_as();
    assert_eq!(
        nvmlDeviceGetGpuInstanceProfileInfoByIdV(gpu(), THREE, room),
        0
    );
    assert_eq!((third.id, third.name), (THREE, second.name));
}

#[test]
fn possible_placements_are_static_and_their_number_can_be_asked_first() {
    let _lab = Lab::a100();
    create(TWO, None).unwrap();
    let mut count = 0;
    let call = |out, count: &mut u32| {
        nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(), TWO, out, Out::to(count))
    };
    assert_eq!(call(Out::null(), &mut count), 0);
    assert_eq!(count, 3);
    let mut places = [nvml::nvmlGpuInstancePlacement_t { start: 9, size: 9 }; 3];
    assert_eq!(call(Out::to_all(&mut places), &mut count), 0);
    assert_eq!(places.map(|p| (p.start, p.size)), [(0, 2), (2, 2), (4, 2)]);
    let unknown = nvmlDeviceGetGpuInstancePossiblePlacements_v2(
        gpu(),
        1234,
        Out::null(),
        Out::to(&mut count),
    );
    assert_eq!(unknown, 2);
}

#[test]
fn the_default_places_and_ids_are_those_seen_on_hardware() {
    let _lab = Lab::a100();
    let made: Vec<(u32, u32)> = (0..7)
        .map(|_| info(create(ONE, None).unwrap()).unwrap())
        .map(|i| (i.placement.start, i.id))
        .collect();
    assert_eq!(
        made,
        [(6, 13), (4, 11), (5, 12), (0, 7), (1, 8), (2, 9), (3, 10)]
    );
    assert_eq!(create(ONE, None).unwrap_err(), 23);
}

#[test]
fn an_occupied_place_is_insufficient_resources_and_an_illegal_one_an_invalid_argument() {
    let _lab = Lab::a100();
    create(FOUR, Some((0, 4))).unwrap();
    assert_eq!(create(THREE, Some((0, 4))).unwrap_err(), 23);
    assert_eq!(create(THREE, Some((1, 4))).unwrap_err(), 2);
    assert_eq!(create(THREE, Some((4, 3))).unwrap_err(), 2);
    assert_eq!(create(SEVEN, None).unwrap_err(), 23);
    assert_eq!(create(4321, None).unwrap_err(), 2);
    create(THREE, Some((4, 4))).unwrap();
}

#[test]
fn what_still_fits_is_counted_over_free_places() {
    let _lab = Lab::a100();
    assert_eq!(
        [ONE, TWO, THREE, FOUR, SEVEN].map(|p| capacity(p).unwrap()),
        [7, 3, 2, 1, 1]
    );
    create(THREE, Some((4, 4))).unwrap();
    assert_eq!(
        [ONE, TWO, THREE, FOUR, SEVEN].map(|p| capacity(p).unwrap()),
        [4, 2, 1, 1, 0]
    );
}

#[test]
fn a_gpu_instance_made_again_has_its_id_and_a_destroyed_one_no_handle() {
    let _lab = Lab::a100();
    let first = create(THREE, None).unwrap();
    assert_eq!(nvmlGpuInstanceDestroy(first), 0);
    assert_eq!(info(first).unwrap_err(), 2);
    assert_eq!(nvmlGpuInstanceDestroy(first), 2);
    assert_eq!(create(THREE, None).unwrap(), first);
}

#[test]
fn gpu_instances_are_found_by_profile_and_by_id() {
    let _lab = Lab::a100();
    let (one, other) = (create(ONE, None).unwrap(), create(ONE, None).unwrap());
    let mut found = [GpuInstanceHandle::of(0, 0); 7];
    let mut count = 0;
    assert_eq!(
        nvmlDeviceGetGpuInstances(gpu(), ONE, Out::to_all(&mut found), Out::to(&mut count)),
        0
    );
    assert_eq!(found[..count as usize], [other, one], "by id");
    let by_id = |id| ask(one, |out| nvmlDeviceGetGpuInstanceById(gpu(), id, out));
    assert_eq!(by_id(13), Ok(one));
    assert_eq!(by_id(7), Err(6));
}

#[test]
fn a_handle_that_is_none_and_a_missing_pointer_are_invalid_arguments() {
    let _lab = Lab::a100();
    let stray = GpuInstanceHandle::of(0, 3);
    assert_eq!(nvmlGpuInstanceDestroy(stray), 2);
    assert_eq!(nvmlDeviceCreateGpuInstance(gpu(), ONE, Out::null()), 2);
    assert_eq!(
        capacity(ONE),
        Ok(7),
        "nothing was made that nobody can name"
    );
}
