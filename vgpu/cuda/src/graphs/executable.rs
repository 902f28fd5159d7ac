//! An executable graph: the work of a graph's nodes in order, those of child graphs in their place, as it was when it was
//! instantiated; and changes that keep its shape.

use super::graph::{Graph, Node};
use super::memory;
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::status::{Outcome, Status};
use crate::streams::Stream;
use crate::work::Work;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A `CUgraphExec`.
pub struct Executable {
    handle: usize,
    /// Flags that it was made with.
    pub flags: u64,
    /// The graph as it was then: what a capture of a launch holds.
    pub source: Arc<Graph>,
    steps: Mutex<Vec<Step>>,
}

struct Step {
    /// Handle of the node of the graph that it was made of.
    node: usize,
    work: Work,
    enabled: bool,
}

/// Why a graph cannot take the place of another: `CUgraphExecUpdateResult`, and the node concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The interface's number.
    pub result: u32,
    /// The node of the new graph; 0: none in particular.
    pub node: usize,
}

impl Object for Executable {
    fn handle(&self) -> usize {
        self.handle
    }
}

/// Memory that the graph did not free is freed at its next launch.
const AUTO_FREE: u64 = 1;

static EXECUTABLES: Handles<Executable> = Handles::new();

/// Makes a graph executable.
pub fn instantiate(graph: &Graph, flags: u64) -> Outcome<usize> {
    const KNOWN: u64 = 1 | 2 | 8;
    driver()?;
    if flags & !KNOWN != 0 {
        // Launches from device code need kernels that run.
        return Err(Status::NOT_SUPPORTED);
    }
    let executable = Executable {
        handle: next_handle(),
        flags,
        source: graph.copy(),
        steps: Mutex::new(steps(graph)),
    };
    Ok(EXECUTABLES.insert(Arc::new(executable)))
}

/// The executable graph of a handle.
pub fn executable(handle: usize) -> Outcome<Arc<Executable>> {
    driver()?;
    EXECUTABLES.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// Ends an executable graph.
pub fn remove_executable(handle: usize) -> Outcome {
    let executable = executable(handle)?;
    super::destroy(executable.source.handle())?;
    EXECUTABLES.remove(handle).map(drop)
}

fn steps(graph: &Graph) -> Vec<Step> {
    let step = |node: Arc<Node>| {
        let work = node.work().clone();
        let inner = match &work {
            Work::Child(child) => steps(child),
            _ => Vec::new(),
        };
        let own = Step {
            node: node.handle(),
            work,
            enabled: true,
        };
        std::iter::once(own).chain(inner)
    };
    graph.in_order().into_iter().flat_map(step).collect()
}

impl Executable {
    /// Does all of its work in a stream.
    pub fn launch(&self, stream: &Stream) -> Outcome {
        let steps = self.steps();
        for step in steps.iter() {
            let Work::Allocate(block) = &step.work else {
                continue;
            };
            if block.is_live() {
                if self.flags & AUTO_FREE == 0 {
                    return Err(Status::INVALID_VALUE);
                }
                memory::free(block.address)?;
            }
        }
        for step in steps.iter().filter(|step| step.enabled) {
            stream.settle();
            step.work.perform(stream)?;
        }
        Ok(())
    }

    /// Gives a node other work of the same kind, in this executable graph only.
    pub fn change(&self, node: usize, work: Work) -> Outcome {
        self.with(node, |step| step.work.replace(work))
    }

    /// Whether a node is done.
    pub fn is_enabled(&self, node: usize) -> Outcome<bool> {
        self.with(node, |step| Ok(step.enabled))
    }

    /// Says whether a node is done: kernels, copies and fills can be left out.
    pub fn enable(&self, node: usize, enabled: bool) -> Outcome {
        self.with(node, |step| match step.work {
            Work::Launch(_) | Work::Copy(_) | Work::Fill(_) => {
                step.enabled = enabled;
                Ok(())
            }
            _ => Err(Status::INVALID_VALUE),
        })
    }

    /// Takes over the work of a graph of the same shape; nothing where it differs.
    pub fn update(&self, graph: &Graph) -> Result<(), Difference> {
        const TOPOLOGY_CHANGED: u32 = 2;
        const TYPE_CHANGED: u32 = 3;
        let new = steps(graph);
        let mut steps = self.steps();
        if new.len() != steps.len() || !same_edges(&self.source, graph) {
            return Err(Difference {
                result: TOPOLOGY_CHANGED,
                node: 0,
            });
        }
        let pairs = steps.iter().zip(&new);
        let differs = pairs
            .into_iter()
            .find(|(old, new)| old.work.kind() != new.work.kind());
        if let Some((_, new)) = differs {
            return Err(Difference {
                result: TYPE_CHANGED,
                node: new.node,
            });
        }
        for (step, new) in steps.iter_mut().zip(new) {
            step.work = new.work;
        }
        Ok(())
    }

    /// Has the nodes of a child graph take over the work of another graph of the same shape.
    pub fn change_child(&self, node: usize, graph: &Graph) -> Outcome {
        let new = steps(graph);
        let mut steps = self.steps();
        let at = steps.iter().position(|step| step.node == node);
        let at = at.ok_or(Status::INVALID_VALUE)?;
        let same_shape = match steps.get(at).map(|step| &step.work) {
            Some(Work::Child(child)) => same_edges(child, graph),
            _ => false,
        };
        let inner = steps
            .get_mut(at + 1..)
            .and_then(|rest| rest.get_mut(..new.len()));
        let inner = inner.filter(|inner| {
            let mut pairs = inner.iter().zip(&new);
            same_shape && pairs.all(|(old, new)| old.work.kind() == new.work.kind())
        });
        for (step, new) in inner.ok_or(Status::INVALID_VALUE)?.iter_mut().zip(new) {
            step.work = new.work;
        }
        Ok(())
    }

    fn with<T>(&self, node: usize, act: impl FnOnce(&mut Step) -> Outcome<T>) -> Outcome<T> {
        let mut steps = self.steps();
        let step = steps.iter_mut().find(|step| step.node == node);
        act(step.ok_or(Status::INVALID_VALUE)?)
    }

    fn steps(&self) -> MutexGuard<'_, Vec<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two graphs have the same edges between their nodes in order.
fn same_edges(one: &Graph, other: &Graph) -> bool {
    let numbered = |graph: &Graph| {
        let order: Vec<usize> = graph.in_order().iter().map(|node| node.handle()).collect();
        let at = |node: usize| order.iter().position(|one| *one == node);
        let edges = graph.edges();
        let mut edges: Vec<_> = edges
            .into_iter()
            .map(|(from, to)| (at(from), at(to)))
            .collect();
        edges.sort_unstable();
        edges
    };
    numbered(one) == numbered(other)
}
