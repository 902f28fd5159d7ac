//! A graph: nodes of work and the edges between them, which never make a circle.

use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::status::{Outcome, Status};
use crate::work::Work;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A `CUgraph`.
pub struct Graph {
    handle: usize,
    /// Unique in this process.
    pub id: u32,
    body: Mutex<Body>,
    own: Weak<Graph>,
}

#[derive(Default)]
struct Body {
    /// In the order of their making, which is that of their handles.
    nodes: BTreeMap<usize, Arc<Node>>,
    /// From, to.
    edges: BTreeSet<(usize, usize)>,
}

/// A `CUgraphNode`.
pub struct Node {
    handle: usize,
    graph: Weak<Graph>,
    work: Mutex<Work>,
    /// The node that it is a clone of.
    pub original: Option<usize>,
}

impl Object for Graph {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl Object for Node {
    fn handle(&self) -> usize {
        self.handle
    }
}

static GRAPHS: Handles<Graph> = Handles::new();
static NODES: Handles<Node> = Handles::new();

/// Makes an empty graph.
pub fn create() -> Arc<Graph> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let graph = Arc::new_cyclic(|own| Graph {
        handle: next_handle(),
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        body: Mutex::default(),
        own: Weak::clone(own),
    });
    GRAPHS.insert(Arc::clone(&graph));
    graph
}

/// The graph of a handle.
pub fn get(handle: usize) -> Outcome<Arc<Graph>> {
    driver()?;
    GRAPHS.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// The node of a handle.
pub fn node(handle: usize) -> Outcome<Arc<Node>> {
    driver()?;
    NODES.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// Ends a graph with its nodes.
pub fn destroy(handle: usize) -> Outcome {
    let graph = get(handle)?;
    GRAPHS.remove(handle)?;
    graph.forget_nodes();
    Ok(())
}

/// Takes a node, and the edges to it and from it, out of its graph.
pub fn destroy_node(handle: usize) -> Outcome {
    let graph = node(handle)?.graph()?;
    NODES.remove(handle)?;
    let mut body = graph.body();
    body.nodes.remove(&handle);
    body.edges
        .retain(|(from, to)| *from != handle && *to != handle);
    Ok(())
}

impl Node {
    /// The graph that it is in.
    pub fn graph(&self) -> Outcome<Arc<Graph>> {
        self.graph.upgrade().ok_or(Status::INVALID_VALUE)
    }

    /// Its work.
    pub fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Graph {
    /// Adds a node behind others of this graph.
    pub fn add(&self, work: Work, behind: impl IntoIterator<Item = usize>) -> Outcome<usize> {
        let mut body = self.body();
        let behind: BTreeSet<usize> = behind.into_iter().collect();
        if !behind.iter().all(|node| body.nodes.contains_key(node)) {
            return Err(Status::INVALID_VALUE);
        }
        let node = self.node(work, None);
        let handle = node.handle;
        body.nodes.insert(handle, node);
        body.edges
            .extend(behind.into_iter().map(|from| (from, handle)));
        Ok(handle)
    }

    fn node(&self, work: Work, original: Option<usize>) -> Arc<Node> {
        let work = match work {
            // What becomes of the graph that was handed in must not concern this one.
            Work::Child(child) => Work::Child(child.copy()),
            work => work,
        };
        let node = Arc::new(Node {
            handle: next_handle(),
            graph: Weak::clone(&self.own),
            work: Mutex::new(work),
            original,
        });
        NODES.insert(Arc::clone(&node));
        node
    }

    /// Adds edges, each from one node to another.
    pub fn connect(&self, edges: &[(usize, usize)]) -> Outcome {
        let mut body = self.body();
        for edge in edges {
            let known = body.nodes.contains_key(&edge.0) && body.nodes.contains_key(&edge.1);
            if !known || edge.0 == edge.1 || body.edges.contains(edge) || body.leads(edge.1, edge.0)
            {
                return Err(Status::INVALID_VALUE);
            }
            body.edges.insert(*edge);
        }
        Ok(())
    }

    /// Takes edges out.
    pub fn disconnect(&self, edges: &[(usize, usize)]) -> Outcome {
        let mut body = self.body();
        if !edges.iter().all(|edge| body.edges.contains(edge)) {
            return Err(Status::INVALID_VALUE);
        }
        body.edges.retain(|edge| !edges.contains(edge));
        Ok(())
    }

    /// Handles of all nodes, in the order of their making.
    pub fn nodes(&self) -> Vec<usize> {
        self.body().nodes.keys().copied().collect()
    }

    /// All edges, from and to.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        self.body().edges.iter().copied().collect()
    }

    /// Handles of the nodes that no other comes before.
    pub fn roots(&self) -> Vec<usize> {
        let body = self.body();
        let behind: BTreeSet<usize> = body.edges.iter().map(|(_, to)| *to).collect();
        body.nodes
            .keys()
            .copied()
            .filter(|node| !behind.contains(node))
            .collect()
    }

    /// Handles of the nodes that come before no other.
    pub fn leaves(&self) -> BTreeSet<usize> {
        let body = self.body();
        let before: BTreeSet<usize> = body.edges.iter().map(|(from, _)| *from).collect();
        body.nodes
            .keys()
            .copied()
            .filter(|node| !before.contains(node))
            .collect()
    }

    /// All nodes, each behind those that come before it.
    pub fn in_order(&self) -> Vec<Arc<Node>> {
        let body = self.body();
        let mut waits: BTreeMap<usize, usize> = body.nodes.keys().map(|node| (*node, 0)).collect();
        for (_, to) in &body.edges {
            *waits.entry(*to).or_default() += 1;
        }
        let mut ready: BTreeSet<usize> = waits
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(node, _)| *node)
            .collect();
        let mut order = Vec::new();
        while let Some(next) = ready.pop_first() {
            order.extend(body.nodes.get(&next).cloned());
            for (_, to) in body.edges.range((next, 0)..=(next, usize::MAX)) {
                if let Some(count) = waits.get_mut(to) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(*to);
                    }
                }
            }
        }
        order
    }

    /// A graph of its own with the same nodes and edges.
    pub fn copy(&self) -> Arc<Graph> {
        let copy = create();
        let body = self.body();
        let mut made = copy.body();
        let mut named = BTreeMap::new();
        for (handle, node) in &body.nodes {
            let clone = copy.node(node.work().clone(), Some(*handle));
            named.insert(*handle, clone.handle);
            made.nodes.insert(clone.handle, clone);
        }
        let renamed = body
            .edges
            .iter()
            .filter_map(|(from, to)| Some((*named.get(from)?, *named.get(to)?)));
        made.edges = renamed.collect();
        drop(made);
        copy
    }

    /// The node of this graph that is the clone of another.
    pub fn clone_of(&self, original: usize) -> Option<usize> {
        let body = self.body();
        let found = body
            .nodes
            .values()
            .find(|node| node.original == Some(original));
        found.map(|node| node.handle)
    }

    fn forget_nodes(&self) {
        for (handle, node) in std::mem::take(&mut self.body().nodes) {
            // A node's handle goes with its graph; so do the graphs within.
            let _ = NODES.remove(handle);
            if let Work::Child(child) = &*node.work() {
                let _ = GRAPHS.remove(child.handle);
                child.forget_nodes();
            }
        }
    }

    fn body(&self) -> MutexGuard<'_, Body> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Body {
    /// Whether edges lead from one node to another.
    fn leads(&self, from: usize, to: usize) -> bool {
        let mut open = vec![from];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if node == to {
                return true;
            }
            if seen.insert(node) {
                let next = self.edges.range((node, 0)..=(node, usize::MAX));
                open.extend(next.map(|(_, to)| *to));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node_of(handle: usize) -> Arc<Node> {
        NODES.get(handle).unwrap()
    }

    fn handles(nodes: &[Arc<Node>]) -> Vec<usize> {
        nodes.iter().map(|node| node.handle).collect()
    }

    #[test]
    fn nodes_come_behind_those_that_they_depend_on_and_edges_make_no_circle() {
        let graph = create();
        let last = graph.add(Work::Nothing, []).unwrap();
        let first = graph.add(Work::Nothing, []).unwrap();
        let middle = graph.add(Work::Nothing, [first]).unwrap();
        graph.connect(&[(middle, last)]).unwrap();
        assert_eq!(handles(&graph.in_order()), [first, middle, last]);
        assert_eq!(
            (graph.roots(), graph.leaves()),
            (vec![first], BTreeSet::from([last]))
        );
        for wrong in [(last, first), (first, first), (first, middle), (first, 1)] {
            assert_eq!(
                graph.connect(&[wrong]),
                Err(Status::INVALID_VALUE),
                "{wrong:?}"
            );
        }
        assert!(graph.add(Work::Nothing, [1]).is_err());
        graph.disconnect(&[(middle, last)]).unwrap();
        assert!(graph.disconnect(&[(middle, last)]).is_err());
    }

    #[test]
    fn a_copy_has_nodes_of_its_own_that_know_their_originals() {
        let child = create();
        child.add(Work::Nothing, []).unwrap();
        let graph = create();
        let first = graph.add(Work::Child(Arc::clone(&child)), []).unwrap();
        let second = graph.add(Work::Nothing, [first]).unwrap();
        let copy = graph.copy();
        let clones = [first, second].map(|node| copy.clone_of(node).unwrap());
        assert_eq!(handles(&copy.in_order()), clones);
        assert_eq!(graph.clone_of(first), None);
        child.add(Work::Nothing, []).unwrap();
        let clone = node_of(clones[0]);
        let Work::Child(inner) = clone.work().clone() else {
            panic!("a child graph")
        };
        assert_eq!(inner.nodes().len(), 1, "as it was when it was added");
    }
}
