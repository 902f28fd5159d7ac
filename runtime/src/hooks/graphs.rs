//! Graphs: their kernels are counted at each launch, and the memory that their nodes take is the driver's to tell.

use super::contexts;
use super::memory::read;
use super::names;
use crate::graphs::{Executable, GraphKernel};
use crate::kernels::Shape;
use crate::ledger::{Block, Living};
use crate::real::ask::{self, NodeLaunch};
use crate::real::driver::{self, Code, OUT_OF_MEMORY, SUCCESS};
use crate::session::Session;
use cust::sys::CUstream;
use std::ffi::{c_char, c_int, c_uint};

/// A handle of a graph, an executable graph or a node.
pub type Handle = usize;

/// `CUgraphNodeType` of the nodes that matter here.
const KERNEL: c_uint = 0;
const CHILD: c_uint = 4;
const ALLOCATION: c_uint = 10;

/// `cuGraphInstantiate`, the older forms.
pub fn instantiate(
    session: &Session,
    out: *mut Handle,
    graph: Handle,
    _node: *mut Handle,
    _text: *mut c_char,
    _room: usize,
) -> impl FnOnce(Code) {
    made(session, out, graph)
}

/// `cuGraphInstantiateWithFlags`.
pub fn instantiate_with_flags(
    session: &Session,
    out: *mut Handle,
    graph: Handle,
    _flags: u64,
) -> impl FnOnce(Code) {
    made(session, out, graph)
}

/// `cuGraphInstantiateWithParams`.
pub fn instantiate_with_parameters(
    session: &Session,
    out: *mut Handle,
    graph: Handle,
    _parameters: *mut u64,
) -> impl FnOnce(Code) {
    made(session, out, graph)
}

fn made(session: &Session, out: *mut Handle, graph: Handle) -> impl FnOnce(Code) {
    move |code| {
        if let (SUCCESS, Some(executable)) = (code, read(out)) {
            let content = content(session, graph);
            session.graphs().insert(executable, content);
        }
    }
}

/// `cuGraphExecDestroy`.
pub fn destroy(session: &Session, executable: Handle) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.graphs().remove(executable);
        }
    }
}

/// `cuGraphExecUpdate`, the first form.
pub fn update_first(
    session: &Session,
    executable: Handle,
    graph: Handle,
    _node: *mut Handle,
    _result: *mut c_uint,
) -> impl FnOnce(Code) {
    updated(session, executable, graph)
}

/// `cuGraphExecUpdate_v2`.
pub fn update(
    session: &Session,
    executable: Handle,
    graph: Handle,
    _found: *mut u64,
) -> impl FnOnce(Code) {
    updated(session, executable, graph)
}

fn updated(session: &Session, executable: Handle, graph: Handle) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            let content = content(session, graph);
            session.graphs().insert(executable, content);
        }
    }
}

/// `cuGraphExecKernelNodeSetParams`; the second form begins as the first does.
pub fn set_kernel(
    session: &Session,
    executable: Handle,
    node: Handle,
    launch: *const NodeLaunch,
) -> impl FnOnce(Code) {
    let launch = read(launch);
    move |code| {
        if let (SUCCESS, Some(launch)) = (code, launch) {
            let kernel = kernel(session, node, &launch);
            session.graphs().change(executable, kernel);
        }
    }
}

/// The beginning of `CUgraphNodeParams`: a kind, and where that is a kernel its launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyNode {
    kind: c_uint,
    reserved: [c_int; 3],
    launch: NodeLaunch,
}

/// `cuGraphExecNodeSetParams`.
pub fn set_any(
    session: &Session,
    executable: Handle,
    node: Handle,
    description: *mut AnyNode,
) -> impl FnOnce(Code) {
    let described = read(description).filter(|described| described.kind == KERNEL);
    move |code| {
        if let (SUCCESS, Some(described)) = (code, described) {
            let kernel = kernel(session, node, &described.launch);
            session.graphs().change(executable, kernel);
        }
    }
}

/// `cuGraphExecChildGraphNodeSetParams`: the nodes of one graph launch as those of another of the same shape do, each in
/// the order of its making.
pub fn set_child(
    session: &Session,
    executable: Handle,
    node: Handle,
    graph: Handle,
) -> impl FnOnce(Code) {
    move |code| {
        if code != SUCCESS {
            return;
        }
        let old =
            ask::child(node).map_or_else(Executable::default, |child| content(session, child));
        let new = content(session, graph);
        for (old, new) in old.kernels.into_iter().zip(new.kernels) {
            let changed = GraphKernel {
                node: old.node,
                ..new
            };
            session.graphs().change(executable, changed);
        }
    }
}

/// `cuGraphNodeSetEnabled`.
pub fn enable(
    session: &Session,
    executable: Handle,
    node: Handle,
    enabled: c_uint,
) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.graphs().enable(executable, node, enabled != 0);
        }
    }
}

/// `cuGraphLaunch`: into a captured stream it only becomes part of another graph.
pub fn launch(session: &Session, executable: Handle, stream: CUstream) -> impl FnOnce(Code) {
    let captured = ask::captures(stream.addr());
    move |code| {
        let content = session.graphs().get(executable).cloned();
        let Some(content) = content.filter(|_| !captured) else {
            return;
        };
        if content.allocates {
            held_now(session);
            if code == OUT_OF_MEMORY {
                session.failed(0, code);
            }
        }
        for kernel in content.kernels.iter().filter(|kernel| kernel.enabled) {
            match code {
                SUCCESS => session.launched(&kernel.name, kernel.shape, !driver::skips_kernels()),
                _ => session.refused(),
            }
        }
    }
}

/// `cuDeviceGraphMemTrim`.
pub fn trim(session: &Session, _device: c_int) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            held_now(session);
        }
    }
}

/// Notes what graphs hold of the device now, used or kept.
fn held_now(session: &Session) {
    let held = ask::device().and_then(|device| Some((device, ask::held_by_graphs(device)?)));
    if let Some((device, bytes)) = held {
        let living = Living {
            bytes,
            context: contexts::current(),
            pool: 0,
        };
        session.holds(Block::Graphs(device), living);
    }
}

/// Kernels and allocations of a graph and of those within it.
fn content(session: &Session, graph: Handle) -> Executable {
    let mut found = Executable::default();
    let mut open = vec![graph];
    while let Some(graph) = open.pop() {
        for node in ask::nodes(graph) {
            match ask::kind(node) {
                Some(KERNEL) => {
                    let launch = ask::launch(node);
                    found
                        .kernels
                        .extend(launch.map(|launch| kernel(session, node, &launch)));
                }
                Some(CHILD) => open.extend(ask::child(node)),
                Some(ALLOCATION) => found.allocates = true,
                _ => {}
            }
        }
    }
    found
}

fn kernel(session: &Session, node: Handle, launch: &NodeLaunch) -> GraphKernel {
    let function = std::ptr::without_provenance_mut(launch.function);
    GraphKernel {
        node,
        name: names::of_launched(session, function),
        shape: Shape::new(launch.grid, launch.block, launch.shared),
        enabled: true,
    }
}
