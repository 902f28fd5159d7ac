//! The layout graph: all legal layouts of a model as states, create and destroy as edges, and for each state
//! how many full layouts can still be reached by only adding (fcr). Computed once; knows no busy or idle.

use crate::candidates::{Candidates, Set};
use crate::layout::{Layout, Placed};
use crate::model::Model;
use crate::profile_name::ProfileName;
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::HashMap;

/// A state of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    set: Set,
    /// Number of full layouts that contain this one.
    pub fcr: u32,
    /// Whether nothing can be added.
    pub full: bool,
}

/// One step between two layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A GPU instance is made.
    Create(Placed),
    /// A GPU instance is taken away.
    Destroy(Placed),
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The model does not offer it.
    #[error("{model} has no MIG profile {profile}; see `migfit layout show --gpu {model}`")]
    UnknownProfile {
        /// The model.
        model: String,
        /// The MIG profile.
        profile: ProfileName,
    },
    /// Too many placements for one set.
    #[error("{model} has more than 64 placements with these MIG profiles: choose fewer")]
    TooLarge {
        /// The model.
        model: String,
    },
}

/// All layouts of some MIG profiles of one model.
#[derive(Clone, Debug)]
pub struct LayoutGraph {
    model: Model,
    profiles: Vec<ProfileName>,
    candidates: Candidates,
    graph: DiGraph<State, Transition>,
    nodes: HashMap<Set, NodeIndex>,
}

impl LayoutGraph {
    /// The graph of a model with these MIG profiles (see `Model::basic_profiles` and its sisters).
    ///
    /// # Errors
    /// A MIG profile that the model lacks, or too many of them.
    pub fn new(model: &Model, profiles: &[ProfileName]) -> Result<LayoutGraph, GraphError> {
        let known = model.all_profiles();
        if let Some(&profile) = profiles.iter().find(|p| !known.contains(p)) {
            let model = model.name.clone();
            return Err(GraphError::UnknownProfile { model, profile });
        }
        let too_large = || GraphError::TooLarge {
            model: model.name.clone(),
        };
        let candidates = Candidates::of(model, profiles).ok_or_else(too_large)?;
        let mut graph = LayoutGraph {
            model: model.clone(),
            profiles: known.into_iter().filter(|p| profiles.contains(p)).collect(),
            candidates,
            graph: DiGraph::new(),
            nodes: HashMap::new(),
        };
        graph.explore();
        graph.count_full_layouts();
        Ok(graph)
    }

    /// Walks from the empty layout by adding; every legal layout is reached, because any part of a legal
    /// layout is legal.
    fn explore(&mut self) {
        self.node(0);
        let mut next = 0;
        while let Some((node, set)) = self.nth_state(next) {
            next += 1;
            let additions = self.candidates.additions(&self.model, set, &[]);
            if let Some(state) = self.graph.node_weight_mut(node) {
                state.full = additions == 0;
            }
            for index in (0..self.candidates.len()).filter(|i| additions & (1 << i) != 0) {
                let Some(placed) = self.candidates.get(index).map(|c| c.placed) else {
                    continue;
                };
                let larger = self.node(set | 1 << index);
                self.graph
                    .add_edge(node, larger, Transition::Create(placed));
                self.graph
                    .add_edge(larger, node, Transition::Destroy(placed));
            }
        }
    }

    fn nth_state(&self, n: usize) -> Option<(NodeIndex, Set)> {
        let node = NodeIndex::new(n);
        self.graph.node_weight(node).map(|s| (node, s.set))
    }

    fn node(&mut self, set: Set) -> NodeIndex {
        let graph = &mut self.graph;
        let new = State {
            set,
            fcr: 0,
            full: false,
        };
        *self.nodes.entry(set).or_insert_with(|| graph.add_node(new))
    }

    fn count_full_layouts(&mut self) {
        let states = self.graph.node_weights();
        let full: Vec<Set> = states.filter(|s| s.full).map(|s| s.set).collect();
        for state in self.graph.node_weights_mut() {
            let reached = full.iter().filter(|&f| f & state.set == state.set);
            state.fcr = u32::try_from(reached.count()).unwrap_or(u32::MAX);
        }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The MIG profiles, in the model's order.
    #[must_use]
    pub fn profiles(&self) -> &[ProfileName] {
        &self.profiles
    }

    /// Number of states, the empty layout included.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.graph.node_count()
    }

    /// Number of create edges; each has a destroy edge in the other direction.
    #[must_use]
    pub fn transition_count(&self) -> usize {
        self.graph.edge_count() / 2
    }

    /// The graph itself: states in order of discovery, the empty layout first.
    #[must_use]
    pub fn petgraph(&self) -> &DiGraph<State, Transition> {
        &self.graph
    }

    /// The layout of a state.
    #[must_use]
    pub fn layout(&self, state: &State) -> Layout {
        self.candidates.layout(&self.model, state.set)
    }

    /// Layouts to which nothing can be added, in order of their text.
    #[must_use]
    pub fn full_layouts(&self) -> Vec<Layout> {
        let full = self.graph.node_weights().filter(|s| s.full);
        let mut layouts: Vec<Layout> = full.map(|s| self.layout(s)).collect();
        layouts.sort();
        layouts
    }

    /// What one step leads to from a layout of this graph; nothing for a layout that is none of its states.
    pub fn transitions(&self, layout: &Layout) -> impl Iterator<Item = (Transition, &State)> {
        let (set, foreign) = self.candidates.split(layout.placed());
        let node = self.nodes.get(&set).filter(|_| foreign.is_empty());
        let edges = node.map(|&n| self.graph.edges_directed(n, Direction::Outgoing));
        edges.into_iter().flatten().filter_map(|edge| {
            let state = self.graph.node_weight(edge.target())?;
            Some((*edge.weight(), state))
        })
    }

    /// Number of full layouts that can still be reached from these GPU instances by only adding. Those of a
    /// MIG profile outside this graph stay where they are, and "full" means: full around them.
    #[must_use]
    pub fn fcr(&self, placed: &[Placed]) -> u32 {
        let (set, foreign) = self.candidates.split(placed);
        if foreign.is_empty() {
            let state = self
                .nodes
                .get(&set)
                .and_then(|&n| self.graph.node_weight(n));
            return state.map_or(0, |s| s.fcr);
        }
        let mut reached = HashMap::new();
        self.full_around(set, &foreign, &mut reached);
        u32::try_from(reached.values().filter(|full| **full).count()).unwrap_or(u32::MAX)
    }

    fn full_around(&self, set: Set, foreign: &[Placed], seen: &mut HashMap<Set, bool>) {
        if seen.contains_key(&set) {
            return;
        }
        let additions = self.candidates.additions(&self.model, set, foreign);
        seen.insert(set, additions == 0);
        for index in (0..self.candidates.len()).filter(|i| additions & (1 << i) != 0) {
            self.full_around(set | 1 << index, foreign, seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{builtin, find};
    use crate::model::MigProfile;
    use std::time::{Duration, Instant};

    fn basic(gpu: &str) -> LayoutGraph {
        let model = find(gpu).unwrap();
        LayoutGraph::new(model, &model.basic_profiles()).unwrap()
    }

    #[test]
    fn the_a100_has_298_states_and_19_full_layouts() {
        let graph = basic("a100-40gb");
        let names: Vec<String> = graph.profiles().iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            ["1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"]
        );
        assert_eq!((graph.state_count(), graph.full_layouts().len()), (298, 19));
    }

    #[test]
    fn the_a30_has_26_states_and_5_full_layouts() {
        let graph = basic("a30");
        assert_eq!((graph.state_count(), graph.full_layouts().len()), (26, 5));
    }

    #[test]
    fn drivers_before_r510_refused_4g_beside_3g() {
        let graph = basic("a100-40gb");
        let both = Layout::parse(graph.model(), "4g.20gb@0 3g.20gb@4").unwrap();
        assert!(graph.full_layouts().contains(&both));
        assert_eq!(graph.fcr(both.placed()), 1);
    }

    #[test]
    fn fcr_after_one_placement() {
        let graph = basic("a100-40gb");
        let model = graph.model();
        let after = |p: &MigProfile| -> Vec<u32> {
            let profile = p.name;
            let placed = p
                .placements()
                .map(|placement| Placed { placement, profile });
            placed.map(|p| graph.fcr(&[p])).collect()
        };
        let table: Vec<Vec<u32>> = graph
            .profiles()
            .iter()
            .map(|&name| after(model.profile(name).unwrap()))
            .collect();
        assert_eq!(table[0], [6, 6, 6, 6, 6, 6, 12]);
        assert_eq!(table[1], [6, 6, 6]);
        assert_eq!(table[2], [3, 6]);
        assert_eq!(table[3], [3]);
        assert_eq!(table[4], [1]);
        assert_eq!(graph.fcr(&[]), 19);
    }

    #[test]
    fn a_gpu_instance_outside_the_graph_blocks_its_slices() {
        let graph = basic("a100-40gb");
        let foreign = Layout::parse(graph.model(), "1g.10gb@6").unwrap();
        // Around it: each full layout of slices 0 to 5 with 1g and 2g everywhere, 3g and 4g at 0.
        assert_eq!(graph.fcr(foreign.placed()), 12);
        let both = Layout::parse(graph.model(), "1g.10gb@6 4g.20gb@0").unwrap();
        assert_eq!(graph.fcr(both.placed()), 2);
    }

    #[test]
    fn every_transition_changes_one_gpu_instance_and_has_its_reverse() {
        let graph = basic("a30");
        let mut steps = 0;
        for state in graph.petgraph().node_weights() {
            let from = graph.layout(state);
            for (transition, next) in graph.transitions(&from) {
                let mut expected = from.clone();
                match transition {
                    Transition::Create(p) => expected.add(graph.model(), p).unwrap(),
                    Transition::Destroy(p) => assert!(expected.remove(p)),
                }
                assert_eq!(graph.layout(next), expected);
                steps += 1;
            }
        }
        assert_eq!(steps, 2 * graph.transition_count());
    }

    #[test]
    fn a_graph_of_all_mig_profiles_exists_for_every_model() {
        for model in builtin().unwrap() {
            let graph = LayoutGraph::new(model, &model.all_profiles()).unwrap();
            assert!(graph.full_layouts().len() >= 5, "{}", model.name);
        }
    }

    #[test]
    fn the_a100_graph_takes_far_less_than_50_ms() {
        let fastest = (0..5).map(|_| {
            let start = Instant::now();
            basic("a100-40gb");
            start.elapsed()
        });
        assert!(fastest.min().unwrap() < Duration::from_millis(50));
    }

    #[test]
    fn a_mig_profile_that_the_model_lacks_is_refused() {
        let model = find("a30").unwrap();
        let error = LayoutGraph::new(model, &["1g.5gb".parse().unwrap()]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("a30-24gb has no MIG profile 1g.5gb")
        );
    }
}
