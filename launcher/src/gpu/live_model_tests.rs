//! The driver's answers for every built-in model must give that model back, by whatever name its board goes.

use super::*;
use crate::gpu::scripted::{told_board, told_profiles};
use migfit_mig::LayoutGraph;
use migfit_schema::units::Bytes;
use proptest::prelude::*;

/// What a driver tells of a built-in model's MIG profiles, smallest constant first, as drivers list them.
fn offered(model: &Model, named: bool) -> Vec<Offered> {
    let mut told = told_profiles(model, named);
    told.sort_by_key(|told| told.index.0);
    let with_places = told.into_iter().map(|told| {
        let profile = model.profiles.iter().find(|p| p.id == told.id.0).unwrap();
        let places = profile.placements().collect();
        (told, places)
    });
    with_places.collect()
}

/// Models that say all of what a driver tells.
fn whole_models() -> impl Iterator<Item = &'static Model> {
    let models = migfit_mig::builtin().unwrap().iter();
    models.filter(|model| {
        model
            .profiles
            .iter()
            .all(|p| p.sms.is_some() && p.engines.is_some())
    })
}

/// The part of a MIG profile that a driver tells.
fn told_part(profile: &MigProfile) -> MigProfile {
    MigProfile {
        memory_from: MemorySource::Read,
        driver_order: Vec::new(),
        compute_instances: Vec::new(),
        ..profile.clone()
    }
}

#[test]
fn a_board_with_a_foreign_name_has_the_same_slices_and_layouts() {
    assert!(whole_models().count() >= 5);
    for model in whole_models() {
        for named in [true, false] {
            let board = ToldBoard {
                name: "NVIDIA Foreign 9000".to_owned(),
                ..told_board(model)
            };
            let live = live_model(&board, &offered(model, named)).unwrap();
            assert_eq!(live.name, "NVIDIA Foreign 9000");
            assert_eq!(
                (live.memory_slices, live.compute_slices, live.memory_mib),
                (model.memory_slices, model.compute_slices, model.memory_mib)
            );
            assert_eq!(live.profiles.len(), model.profiles.len(), "{}", model.name);
            for profile in &model.profiles {
                let found = live.profile(profile.name).unwrap_or_else(|| {
                    panic!("{} has no {} (named: {named})", model.name, profile.name)
                });
                assert_eq!(*found, told_part(profile), "{}", model.name);
            }
            assert_eq!(live.architecture, model.architecture);
            assert_eq!(live.sm_count, None, "no driver tells it while MIG is on");
        }
    }
}

#[test]
fn a_board_that_is_built_in_has_what_no_driver_tells_from_there() {
    for model in whole_models() {
        let live = live_model(&told_board(model), &offered(model, true)).unwrap();
        assert_eq!((&live.name, live.sm_count), (&model.name, model.sm_count));
        for profile in &model.profiles {
            let found = live.profile(profile.name).unwrap();
            assert_eq!(found.driver_order, profile.driver_order);
        }
    }
}

#[test]
fn what_this_driver_tells_goes_before_what_is_built_in() {
    let model = migfit_mig::find("a100-40gb").unwrap();
    let mut offered = offered(model, true);
    offered.retain(|(told, _)| told.index.0 != 9);
    let (small, places) = &mut offered[0];
    small.memory_mib = 4800;
    places.retain(|place| place.start != 6);
    let live = live_model(&told_board(model), &offered).unwrap();
    assert!(live.profile("1g.10gb".parse().unwrap()).is_none());
    let small = live.profile("1g.5gb".parse().unwrap()).unwrap();
    assert_eq!((small.memory_mib, small.starts.len()), (Mib(4800), 6));
    assert!(small.driver_order.is_empty(), "the order named place 6");
    assert!(LayoutGraph::new(&live, &live.plain_profiles()).is_ok());
}

#[test]
fn names_are_made_up_from_the_largest_slice_where_the_memory_is_hidden() {
    let model = migfit_mig::find("a100-40gb").unwrap();
    let board = ToldBoard {
        memory: None,
        ..told_board(model)
    };
    let live = live_model(&board, &offered(model, false)).unwrap();
    assert!(live.profile("1g.5gb+me".parse().unwrap()).is_some());
    assert_eq!(live.whole().unwrap().name.to_string(), "7g.40gb");
    assert_eq!(live.memory_mib, Mib(40_192));
}

#[test]
fn a_kind_that_is_newer_than_we_are_is_left_out() {
    let model = migfit_mig::find("a100-40gb").unwrap();
    let mut offered = offered(model, true);
    offered[1].0.name = Some("MIG 1g.5gb+quantum".to_owned());
    let live = live_model(&told_board(model), &offered).unwrap();
    assert_eq!(live.profiles.len(), model.profiles.len() - 1);
    offered[0].0.name = None;
    offered[0].0.index.0 = 40;
    let live = live_model(&told_board(model), &offered).unwrap();
    assert_eq!(live.profiles.len(), model.profiles.len() - 2);
}

#[test]
fn placements_that_cannot_be_are_a_contradiction() {
    let model = migfit_mig::find("a100-40gb").unwrap();
    for (at, size) in [(30, 4), (0, 0), (u32::MAX, 2)] {
        let mut offered = offered(model, true);
        offered[0].1 = vec![Placement { start: at, size }];
        let error = live_model(&told_board(model), &offered).unwrap_err();
        assert!(
            error.to_string().contains("1g.5gb has the placements"),
            "{error}"
        );
    }
    let mut offered = offered(model, true);
    offered[0].1 = vec![
        Placement { start: 0, size: 1 },
        Placement { start: 2, size: 2 },
    ];
    assert!(live_model(&told_board(model), &offered).is_err());
    let error = live_model(&told_board(model), &[]).unwrap_err();
    assert!(error.to_string().contains("no MIG profile has a place"));
}

#[test]
fn an_undivided_gpu_is_one_slice_with_what_is_free() {
    let board = ToldBoard {
        name: "NVIDIA GeForce RTX 4090".to_owned(),
        compute_capability: (8, 9),
        memory: Some(crate::gpu::driver::ToldMemory {
            total: Bytes(24_564 << 20),
            free: Bytes(23_000 << 20),
        }),
        cores: Some(16_384),
        pci_device_id: None,
    };
    let live = undivided(&board).unwrap();
    let whole = live.whole().unwrap();
    assert_eq!(whole.name, ProfileName::WHOLE_GPU);
    assert_eq!((whole.memory_mib, whole.sms), (Mib(23_000), Some(128)));
    assert_eq!(
        (live.memory_mib, live.architecture.as_str()),
        (Mib(24_564), "Ada")
    );
    let graph = LayoutGraph::new(&live, &live.plain_profiles()).unwrap();
    assert!(migfit_mig::place(&graph, &[], ProfileName::WHOLE_GPU).is_ok());
    let hidden = ToldBoard {
        memory: None,
        ..board
    };
    assert!(undivided(&hidden).is_err());
}

/// Anything that a driver could tell of a MIG profile.
fn any_offer() -> impl Strategy<Value = Offered> {
    let place = (0u32..40, 0u32..12).prop_map(|(start, size)| Placement { start, size });
    let name = proptest::option::of("(MIG )?[0-9]{1,2}g\\.[0-9]{1,3}gb([+-][a-z.]{0,6})?");
    let numbers = (
        0u32..24,
        0u32..70,
        0u32..9,
        any::<u32>(),
        0u32..9,
        any::<u64>(),
    );
    let places = proptest::collection::vec(place, 0..5);
    (numbers, name, places).prop_map(
        |((index, id, sm_slices, sms, count, memory_mib), name, places)| {
            let told = ToldProfile {
                index: crate::gpu::driver::ProfileIndex(index),
                id: crate::gpu::driver::ProfileId(id),
                name,
                sm_slices,
                sms,
                count,
                memory_mib,
                engines: migfit_mig::Engines::default(),
            };
            (told, places)
        },
    )
}

proptest! {
    #[test]
    fn whatever_a_driver_tells_is_a_model_or_a_refusal(
        offered in proptest::collection::vec(any_offer(), 0..8), total in any::<u64>(), told in any::<bool>(),
    ) {
        let memory = crate::gpu::driver::ToldMemory { total: Bytes(total), free: Bytes(total / 2) };
        let board = ToldBoard {
            memory: told.then_some(memory),
            ..told_board(migfit_mig::find("a100-40gb").unwrap())
        };
        let Ok(model) = live_model(&board, &offered) else {
            return Ok(());
        };
        prop_assert!(!model.profiles.is_empty() && model.memory_slices <= MOST_SLICES);
        for profile in &model.profiles {
            prop_assert!(profile.placements().all(|place| place.mask() != 0));
            let same = model.profiles.iter().filter(|other| other.name == profile.name);
            prop_assert_eq!(same.count(), 1);
            // The names stand in job files, reports and flags.
            prop_assert_eq!(profile.name.to_string().parse(), Ok(profile.name));
        }
    }
}
