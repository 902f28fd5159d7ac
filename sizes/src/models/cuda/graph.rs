//! What graphs are made of: nodes in the order in which they were added, captured streams, instances. Knows how graphs
//! are kept, neither the calls that make them (`graph_calls`) nor how they run (`graph_run`).

use crate::machine::host::{Configuration, Host};
use crate::machine::value::Value;
use crate::models::Model;
use std::collections::{BTreeMap, BTreeSet};

/// What a node does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Launches a kernel.
    Launch {
        /// Mangled name; `None` where it is not known.
        symbol: Option<String>,
        /// Its shape.
        with: Configuration,
    },
    /// Makes a call whose effect on the host is known: a copy.
    Work(Model, Vec<Value>),
    /// Takes device memory.
    Allocate {
        /// Its address, the same at each run.
        address: u64,
        /// How much.
        bytes: Value,
    },
    /// Gives device memory back.
    Free(Value),
    /// Calls a function of the program.
    Call {
        /// The function.
        function: Value,
        /// What it is given.
        data: Value,
    },
    /// Runs another graph.
    Child(Vec<Node>),
    /// Nothing that sizes depend on; the number of its type.
    Nothing(i32),
}

impl Step {
    /// The number of the node's type (`cudaGraphNodeType`).
    pub fn number(&self) -> i32 {
        match self {
            Step::Launch { .. } => 0,
            Step::Work(..) => 1,
            Step::Call { .. } => 3,
            Step::Child(_) => 4,
            Step::Allocate { .. } => 10,
            Step::Free(_) => 11,
            Step::Nothing(number) => *number,
        }
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its handle; an instance keeps those of its graph.
    pub handle: u64,
    /// Nodes that come before it.
    pub after: Vec<u64>,
    /// False where the program switched it off.
    pub enabled: bool,
    /// What it does.
    pub step: Step,
}

/// Where a captured stream stands.
#[derive(Clone, Debug)]
struct Capture {
    graph: u64,
    tails: Vec<u64>,
}

/// All graphs, instances and captures.
#[derive(Debug, Default)]
pub struct Graphs {
    /// Nodes of graphs and instances by their handles.
    nodes: BTreeMap<u64, Vec<Node>>,
    /// Instances that free at a launch what the last one left.
    frees: BTreeSet<u64>,
    captures: BTreeMap<u64, Capture>,
    recorded: BTreeMap<u64, Capture>,
}

impl Graphs {
    /// Whether some stream is captured.
    pub fn is_capturing(&self) -> bool {
        !self.captures.is_empty()
    }

    /// A new graph or instance.
    pub fn add(&mut self, handle: u64, nodes: Vec<Node>, frees: bool) {
        self.nodes.insert(handle, nodes);
        if frees {
            self.frees.insert(handle);
        }
    }

    /// The nodes of a graph or an instance.
    pub fn nodes(&self, handle: u64) -> Option<&Vec<Node>> {
        self.nodes.get(&handle)
    }

    /// The same, to be changed.
    pub fn nodes_mut(&mut self, handle: u64) -> Option<&mut Vec<Node>> {
        self.nodes.get_mut(&handle)
    }

    /// Whether an instance frees what its last launch left.
    pub fn frees(&self, handle: u64) -> bool {
        self.frees.contains(&handle)
    }

    /// The node with a handle, in the graph that it was added to.
    pub fn node_mut(&mut self, handle: u64) -> Option<&mut Node> {
        // An instance's nodes have the same handles: the graph was there first.
        let mut all = self.nodes.values_mut().flatten();
        all.find(|node| node.handle == handle)
    }

    /// Takes a node out of its graph.
    pub fn remove(&mut self, handle: u64) {
        for nodes in self.nodes.values_mut() {
            if let Some(index) = nodes.iter().position(|node| node.handle == handle) {
                nodes.remove(index);
                return;
            }
        }
    }

    /// Begins to capture a stream into a graph, behind some of its nodes.
    pub fn begin(&mut self, stream: u64, graph: u64, tails: Vec<u64>) {
        self.nodes.entry(graph).or_default();
        self.captures.insert(stream, Capture { graph, tails });
    }

    /// Ends the capture that a stream belongs to and gives its graph.
    pub fn end(&mut self, stream: u64) -> Option<u64> {
        let graph = self.captures.get(&stream)?.graph;
        self.captures.retain(|_, capture| capture.graph != graph);
        self.recorded.retain(|_, capture| capture.graph != graph);
        Some(graph)
    }

    /// An event takes down where a stream stands.
    pub fn record(&mut self, event: u64, stream: u64) {
        match self.captures.get(&stream).cloned() {
            Some(capture) => self.recorded.insert(event, capture),
            None => self.recorded.remove(&event),
        };
    }

    /// A stream that waits for an event of a capture belongs to it from then on.
    pub fn wait(&mut self, stream: u64, event: u64) {
        let Some(recorded) = self.recorded.get(&event).cloned() else {
            return;
        };
        match self.captures.get_mut(&stream) {
            Some(capture) => capture.tails.extend(recorded.tails),
            None => {
                self.captures.insert(stream, recorded);
            }
        }
    }

    /// Adds a node behind what a captured stream did last.
    fn capture(&mut self, stream: u64, handle: u64, step: Step) {
        let Some(capture) = self.captures.get_mut(&stream) else {
            return;
        };
        let after = std::mem::replace(&mut capture.tails, vec![handle]);
        let node = Node {
            handle,
            after,
            enabled: true,
            step,
        };
        self.nodes.entry(capture.graph).or_default().push(node);
    }
}

/// The captured stream that a call belongs to. One that is not known is taken to be the one that is captured.
pub fn captured_stream(host: &mut Host<'_>, stream: Value) -> Option<u64> {
    let captures = &host.graphs.captures;
    let first = *captures.keys().next()?;
    match stream.get() {
        Ok(stream) => captures.contains_key(&stream).then_some(stream),
        Err(mark) => {
            let (place, reason) = (host.place, host.explain(mark));
            let reason = format!("it is taken to be the captured one: {reason}");
            host.notes.assume(place, "stream of a call", reason);
            Some(first)
        }
    }
}

/// Whether a stream is captured.
pub fn is_captured(host: &Host<'_>, stream: u64) -> bool {
    host.graphs.captures.contains_key(&stream)
}

/// Makes a node of a step where the stream is captured; gives the step back where it is not.
pub fn capture(host: &mut Host<'_>, stream: Value, step: Step) -> Option<Step> {
    let Some(stream) = captured_stream(host, stream) else {
        return Some(step);
    };
    let Ok(handle) = super::graph_calls::handle(host) else {
        return Some(step);
    };
    host.graphs.capture(stream, handle, step);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes_of(graphs: &Graphs, graph: u64) -> Vec<(u64, Vec<u64>)> {
        let nodes = graphs.nodes(graph).unwrap().iter();
        nodes
            .map(|node| (node.handle, node.after.clone()))
            .collect()
    }

    #[test]
    fn a_capture_forks_by_an_event_and_joins_again() {
        let (graph, first, second) = (100, 1, 2);
        let mut graphs = Graphs::default();
        graphs.begin(first, graph, Vec::new());
        graphs.capture(first, 10, Step::Nothing(2));
        graphs.record(7, first);
        graphs.wait(second, 7);
        graphs.capture(second, 11, Step::Nothing(5));
        graphs.capture(first, 12, Step::Nothing(5));
        graphs.record(8, second);
        graphs.wait(first, 8);
        graphs.capture(first, 13, Step::Nothing(5));
        assert_eq!(graphs.end(first), Some(graph));
        assert!(!graphs.is_capturing());
        let expected = [
            (10, vec![]),
            (11, vec![10]),
            (12, vec![10]),
            (13, vec![12, 11]),
        ];
        assert_eq!(nodes_of(&graphs, graph), expected);
    }

    #[test]
    fn an_event_recorded_after_the_capture_leads_nowhere() {
        let mut graphs = Graphs::default();
        graphs.begin(1, 100, Vec::new());
        graphs.record(7, 1);
        graphs.end(1);
        graphs.wait(2, 7);
        assert!(!graphs.is_capturing());
        assert_eq!(graphs.end(2), None);
    }

    #[test]
    fn a_node_that_is_taken_out_is_gone_from_its_graph_alone() {
        let mut graphs = Graphs::default();
        let node = |handle| Node {
            handle,
            after: Vec::new(),
            enabled: true,
            step: Step::Nothing(5),
        };
        graphs.add(100, vec![node(1), node(2)], false);
        let nodes = graphs.nodes(100).unwrap().clone();
        graphs.add(200, nodes, true);
        graphs.remove(1);
        assert_eq!(
            (nodes_of(&graphs, 100).len(), nodes_of(&graphs, 200).len()),
            (1, 2)
        );
        assert!(graphs.frees(200) && !graphs.frees(100));
    }
}
