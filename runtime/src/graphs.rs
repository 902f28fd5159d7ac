//! What the executable graphs of a process launch. Comes in: nodes as they are made and changed. Goes out: the launches
//! of a graph. It must not know the driver.

use crate::kernels::Shape;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A kernel of an executable graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphKernel {
    /// The node that it came from.
    pub node: usize,
    /// Its mangled name.
    pub name: Arc<[u8]>,
    /// Its launch.
    pub shape: Shape,
    /// Whether it is launched with the graph.
    pub enabled: bool,
}

/// An executable graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executable {
    /// Its kernels, those of graphs within it too.
    pub kernels: Vec<GraphKernel>,
    /// Whether a node of it takes device memory.
    pub allocates: bool,
}

/// The executable graphs that live.
#[derive(Default)]
pub struct Graphs(BTreeMap<usize, Executable>);

impl Graphs {
    /// A graph was made executable, or has taken over another one's nodes.
    pub fn insert(&mut self, handle: usize, executable: Executable) {
        self.0.insert(handle, executable);
    }

    /// It is gone.
    pub fn remove(&mut self, handle: usize) {
        self.0.remove(&handle);
    }

    /// A kernel node of it launches otherwise from now on.
    pub fn change(&mut self, handle: usize, kernel: GraphKernel) {
        if let Some(there) = self.kernel(handle, kernel.node) {
            let enabled = there.enabled;
            *there = GraphKernel { enabled, ..kernel };
        }
    }

    /// A node of it is left out from now on, or not any more.
    pub fn enable(&mut self, handle: usize, node: usize, enabled: bool) {
        if let Some(there) = self.kernel(handle, node) {
            there.enabled = enabled;
        }
    }

    /// An executable graph as it is now.
    pub fn get(&self, handle: usize) -> Option<&Executable> {
        self.0.get(&handle)
    }

    fn kernel(&mut self, handle: usize, node: usize) -> Option<&mut GraphKernel> {
        let executable = self.0.get_mut(&handle)?;
        let mut kernels = executable.kernels.iter_mut();
        kernels.find(|kernel| kernel.node == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(node: usize, x: u32) -> GraphKernel {
        GraphKernel {
            node,
            name: b"k"[..].into(),
            shape: Shape {
                grid: x.into(),
                block: 32.into(),
                shared: 0,
            },
            enabled: true,
        }
    }

    #[test]
    fn a_graph_launches_what_its_nodes_are_now() {
        let mut graphs = Graphs::default();
        let kernels = vec![kernel(1, 10), kernel(2, 20)];
        let executable = Executable {
            kernels,
            allocates: true,
        };
        graphs.insert(7, executable);
        graphs.enable(7, 2, false);
        graphs.change(7, kernel(2, 30));
        graphs.change(7, kernel(3, 40));
        graphs.change(8, kernel(1, 50));
        let now = graphs.get(7).unwrap();
        let left_out = GraphKernel {
            enabled: false,
            ..kernel(2, 30)
        };
        assert_eq!(now.kernels, [kernel(1, 10), left_out]);
        graphs.remove(7);
        assert_eq!(graphs.get(7), None);
    }
}
