//! Tests of layouts: legality, text form, what is free.

use super::*;
use crate::catalog::{builtin, find};
use proptest::prelude::*;

fn layout(gpu: &str, text: &str) -> Result<Layout, LayoutError> {
    Layout::parse(find(gpu).unwrap(), text)
}

#[test]
fn the_text_form_is_read_in_any_order_and_printed_by_place() {
    let two = layout("a100-40gb", "3g.20gb@4, 2g.10gb@0").unwrap();
    assert_eq!(two.to_string(), "2g.10gb@0 3g.20gb@4");
    assert_eq!(layout("a100-40gb", "empty").unwrap(), Layout::default());
    assert_eq!(Layout::default().to_string(), "empty");
}

#[test]
fn what_is_free_and_what_fits_there() {
    let a100 = find("a100-40gb").unwrap();
    let some = layout("a100-40gb", "4g.20gb@0 1g.5gb@4").unwrap();
    assert_eq!(some.free_slices(a100), [5, 6, 7]);
    let fits: Vec<String> = some
        .placeable(a100)
        .into_iter()
        .map(|(name, places)| format!("{name} {}", join(&places)))
        .collect();
    assert_eq!(fits, ["1g.5gb 5+1 6+1", "1g.5gb+me 5+1 6+1", "1g.10gb 6+2"]);
}

#[test]
fn each_kind_of_illegal_layout_is_named() {
    let message = |gpu, text| layout(gpu, text).unwrap_err().to_string();
    assert!(message("a100-40gb", "3g.20gb").contains("like 3g.20gb@4"));
    assert!(message("a100-40gb", "3g.20@1").contains("is no MIG profile"));
    assert!(message("a100-40gb", "3g.40gb@0").contains("has no MIG profile 3g.40gb"));
    assert!(message("a100-40gb", "3g.20gb@1").contains("may start at 0 4"));
    assert!(message("a100-40gb", "3g.20gb@0 1g.5gb@3").contains("share a memory slice"));
    assert!(message("a100-40gb", "1g.5gb+me@0 1g.5gb+me@1").contains("1 time(s)"));
    assert!(message("a30", "1g.6gb+me@0 2g.12gb+me@2").contains("(jpeg)"));
}

#[test]
fn beside_an_instance_with_all_media_engines_only_those_without_fit() {
    let text = "1g.24gb+me.all@0 1g.24gb-me@3 2g.48gb-me@6";
    assert!(layout("rtx-pro-6000-96gb", text).is_ok());
    let text = "1g.24gb+me.all@0 1g.24gb@3";
    let error = layout("rtx-pro-6000-96gb", text).unwrap_err().to_string();
    assert!(error.contains("media engines (decoder)"), "{error}");
}

#[test]
fn engines_never_limit_plain_mig_profiles() {
    for model in builtin().unwrap() {
        let mut loose = model.clone();
        loose.profiles.retain(|p| p.name.attribute.is_none());
        let tight = crate::LayoutGraph::new(&loose, &loose.plain_profiles()).unwrap();
        loose.profiles.iter_mut().for_each(|p| p.engines = None);
        let loose = crate::LayoutGraph::new(&loose, &loose.plain_profiles()).unwrap();
        assert_eq!(tight.state_count(), loose.state_count(), "{}", model.name);
    }
}

#[test]
fn max_count_of_the_data_is_what_the_placements_allow() {
    for model in builtin().unwrap() {
        for profile in &model.profiles {
            let mut layout = Layout::default();
            let added = profile.placements().filter(|&placement| {
                let profile = profile.name;
                layout.add(model, Placed { placement, profile }).is_ok()
            });
            assert_eq!(
                added.count(),
                profile.max_count as usize,
                "{} {}",
                model.name,
                profile.name
            );
        }
    }
}

proptest! {
    #[test]
    fn a_layout_survives_printing(gpu in 0usize..16, picks in proptest::collection::vec((0usize..20, 0usize..8), 0..20)) {
        let model = &builtin().unwrap()[gpu];
        let mut layout = Layout::default();
        for (profile, place) in picks {
            let profile = &model.profiles[profile % model.profiles.len()];
            let placement = profile.at(profile.starts[place % profile.starts.len()]);
            let _ = layout.add(model, Placed { placement, profile: profile.name });
        }
        let slices: u32 = layout.placed().iter().map(|p| p.placement.size).sum();
        prop_assert_eq!(slices, layout.occupied().count_ones(), "two overlap");
        prop_assert_eq!(Layout::parse(model, &layout.to_string()), Ok(layout));
    }
}
