//! `migfit layout`: a model's MIG profiles and its layout graph.

use crate::fixture::Sandbox;

fn layout(words: &[&str]) -> String {
    let outcome = Sandbox::new().migfit(&[&["layout"], words].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    outcome.stdout
}

#[test]
fn show_lists_every_mig_profile() {
    let text = layout(&["show", "--gpu", "a100-40gb"]);
    assert!(
        text.starts_with("a100-40gb: NVIDIA A100-SXM4-40GB (Ampere), 40960 MiB, 108 SMs"),
        "{text}"
    );
    for name in [
        "1g.5gb",
        "1g.5gb+me",
        "1g.10gb",
        "2g.10gb",
        "3g.20gb",
        "4g.20gb",
        "7g.40gb",
    ] {
        let row = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name));
        assert!(row.is_some(), "no {name} in {text}");
    }
}

#[test]
fn show_has_a_json_form() {
    let json: serde_json::Value =
        serde_json::from_str(&layout(&["show", "--gpu", "a30", "--json"])).unwrap();
    assert_eq!(
        (&json["version"], &json["model"]["name"]),
        (&1.into(), &"a30-24gb".into())
    );
}

#[test]
fn graph_of_an_a100_has_298_states_and_19_full_layouts() {
    let text = layout(&["graph", "--gpu", "a100-40gb"]);
    assert!(
        text.starts_with("a100-40gb: 298 states, 19 full layouts"),
        "{text}"
    );
    let json = layout(&["graph", "--gpu", "a100-40gb", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["version"], &json["states"]),
        (&1.into(), &298.into())
    );
    let dot = layout(&["graph", "--gpu", "a100-40gb", "--format", "dot"]);
    assert!(dot.starts_with("digraph \"a100-40gb\" {"), "{dot}");
}

#[test]
fn graph_of_chosen_mig_profiles_is_smaller() {
    let text = layout(&["graph", "--gpu", "a30", "--profiles", "2g,4g"]);
    assert!(
        text.starts_with("a30-24gb: 5 states, 2 full layouts"),
        "{text}"
    );
}

#[test]
fn names_that_do_not_exist_are_refused() {
    for (words, part) in [
        (
            &["layout", "show", "--gpu", "a10"][..],
            "did you mean 'a100-40gb'",
        ),
        (
            &["layout", "show", "--gpu", "a800-40gb"],
            "no built-in model of a800-40gb",
        ),
        (
            &["layout", "graph", "--gpu", "a30", "--profiles", "3g"],
            "a30-24gb has no MIG profile '3g'",
        ),
    ] {
        let outcome = Sandbox::new().migfit(words);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (85, ""),
            "{words:?}"
        );
        assert!(
            outcome.stderr.contains(part),
            "{words:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("hint: "),
            "{words:?}: {}",
            outcome.stderr
        );
    }
}
