//! A layout graph as a table for people and as serde values for programs. Pure strings and values.

use crate::graph::{LayoutGraph, Transition};
use crate::layout::{Layout, Placed};
use crate::profile_name::ProfileName;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// A graph for programs: every state and every create step (each can be undone by a destroy).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphSummary {
    /// GPU model.
    pub model: String,
    /// Whether the placements were read on that board.
    pub confirmed: bool,
    /// MIG profiles in play.
    pub mig_profiles: Vec<ProfileName>,
    /// Number of states, the empty layout included.
    pub states: usize,
    /// Number of full layouts.
    pub full_layouts: usize,
    /// The states; the empty layout first.
    pub layouts: Vec<StateSummary>,
    /// Create steps.
    pub creates: Vec<Create>,
}

/// A state for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateSummary {
    /// Its layout in text form.
    pub layout: String,
    /// Full layouts that can still be reached.
    pub fcr: u32,
    /// Whether nothing can be added.
    pub full: bool,
}

/// A create step for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Create {
    /// Index of the state before it.
    pub from: usize,
    /// Index of the state after it.
    pub to: usize,
    /// What is created.
    pub create: String,
}

/// Everything about a graph, ready for serde.
#[must_use]
pub fn summary(graph: &LayoutGraph) -> GraphSummary {
    let layouts: Vec<StateSummary> = graph
        .petgraph()
        .node_weights()
        .map(|state| StateSummary {
            layout: graph.layout(state).to_string(),
            fcr: state.fcr,
            full: state.full,
        })
        .collect();
    GraphSummary {
        model: graph.model().name.clone(),
        confirmed: graph.model().confirmed,
        mig_profiles: graph.profiles().to_vec(),
        states: layouts.len(),
        full_layouts: layouts.iter().filter(|l| l.full).count(),
        layouts,
        creates: creates(graph),
    }
}

fn creates(graph: &LayoutGraph) -> Vec<Create> {
    let edges = graph.petgraph().raw_edges().iter();
    let step = |edge: &petgraph::graph::Edge<Transition>| match edge.weight {
        Transition::Create(placed) => Some(Create {
            from: edge.source().index(),
            to: edge.target().index(),
            create: placed.to_string(),
        }),
        Transition::Destroy(_) => None,
    };
    edges.filter_map(step).collect()
}

/// The graph as a table: its size, what each first placement leaves open, and the full layouts.
#[must_use]
pub fn table(graph: &LayoutGraph) -> String {
    let model = graph.model();
    let full = graph.full_layouts();
    let mut text = format!(
        "{}: {} states, {} full layouts, {} create steps\n",
        model.name,
        graph.state_count(),
        full.len(),
        graph.transition_count(),
    );
    let profiles: Vec<String> = graph.profiles().iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "made of {}", profiles.join(" "));
    if !model.confirmed {
        text.push_str(
            "(placements not read on this board: those of the pattern it seems to follow)\n",
        );
    }
    text.push_str("\nfull layouts still reachable after one placement (by first memory slice)\n");
    for &name in graph.profiles() {
        let _ = writeln!(text, "  {name:<16} {}", after_one(graph, name));
    }
    text.push_str("\nfull layouts (number of placements: MIG profiles)\n");
    for (kinds, count) in grouped(&full) {
        let _ = writeln!(text, "  {count:>3}: {kinds}");
    }
    text
}

/// `0: 6  2: 6  4: 6`.
fn after_one(graph: &LayoutGraph, name: ProfileName) -> String {
    let Some(profile) = graph.model().profile(name) else {
        return String::new();
    };
    let cell = |placement: crate::model::Placement| {
        let profile = name;
        let fcr = graph.fcr(&[Placed { placement, profile }]);
        format!("{}: {fcr}", placement.start)
    };
    let cells: Vec<String> = profile.placements().map(cell).collect();
    cells.join("  ")
}

/// Full layouts that differ only in places, with how many there are; largest GPU instances first.
fn grouped(full: &[Layout]) -> Vec<(String, usize)> {
    let mut counts: HashMap<Vec<ProfileName>, usize> = HashMap::new();
    for layout in full {
        let mut kinds: Vec<ProfileName> = layout.placed().iter().map(|p| p.profile).collect();
        kinds.sort_by_key(|p| std::cmp::Reverse(*p));
        *counts.entry(kinds).or_default() += 1;
    }
    let mut groups: Vec<_> = counts.into_iter().collect();
    groups.sort_by(|a, b| b.0.cmp(&a.0));
    let text = |kinds: Vec<ProfileName>| {
        let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        names.join(" + ")
    };
    groups.into_iter().map(|(k, n)| (text(k), n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::find;

    fn basic(gpu: &str) -> LayoutGraph {
        let model = find(gpu).unwrap();
        LayoutGraph::new(model, &model.basic_profiles()).unwrap()
    }

    #[test]
    fn the_table_has_the_figures() {
        let text = table(&basic("a100-40gb"));
        assert!(
            text.starts_with("a100-40gb: 298 states, 19 full layouts"),
            "{text}"
        );
        assert!(
            text.contains("1g.5gb           0: 6  1: 6  2: 6  3: 6  4: 6  5: 6  6: 12"),
            "{text}"
        );
        assert!(text.contains("  1: 7g.40gb\n"), "{text}");
        assert!(!text.contains("not read on this board"));
        assert!(table(&basic("h20-96gb")).contains("not read on this board"));
    }

    #[test]
    fn the_groups_of_full_layouts_add_up() {
        let graph = basic("a100-40gb");
        let groups = grouped(&graph.full_layouts());
        // The 12 sets that are largest as sets, and 3+2+1 and 3+1+1+1, full only because the 3g lies at 0.
        assert_eq!(groups.len(), 14);
        assert_eq!(groups.iter().map(|g| g.1).sum::<usize>(), 19);
    }

    #[test]
    fn the_json_names_every_state_and_step() {
        let graph = basic("a30");
        let value = serde_json::to_value(summary(&graph)).unwrap();
        assert_eq!(value["states"], 26);
        assert_eq!(value["layouts"][0]["layout"], "empty");
        assert_eq!(value["layouts"][0]["fcr"], 5);
        let creates = value["creates"].as_array().unwrap();
        assert_eq!(creates.len(), graph.transition_count());
    }
}
