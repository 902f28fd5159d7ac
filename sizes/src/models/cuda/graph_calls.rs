//! The calls that capture streams, make and instantiate graphs, and list their nodes; of the runtime and the driver.

use super::graph::{Node, is_captured};
use super::query::success;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaStreamBeginCapture", begin),
    ("cuStreamBeginCapture", begin),
    ("cuStreamBeginCapture_v2", begin),
    ("cudaStreamBeginCaptureToGraph", begin_into),
    ("cudaStreamEndCapture", end),
    ("cuStreamEndCapture", end),
    ("cudaStreamIsCapturing", is_capturing),
    ("cudaEventRecord", record),
    ("cudaEventRecordWithFlags", record),
    ("cuEventRecord", record),
    ("cudaStreamWaitEvent", wait),
    ("cuStreamWaitEvent", wait),
    ("cudaGraphCreate", create),
    ("cuGraphCreate", create),
    ("cudaGraphClone", clone),
    ("cudaGraphNodeFindInClone", find_in_clone),
    ("cudaGraphInstantiate", instantiate),
    ("cudaGraphInstantiateWithFlags", instantiate),
    ("cuGraphInstantiateWithFlags", instantiate),
    ("cudaGraphInstantiateWithParams", instantiate_by_structure),
    ("cudaGraphAddDependencies", success),
    ("cudaGraphExecUpdate", update),
    ("cudaGraphGetNodes", |host, args| list(host, args, |_| true)),
    ("cudaGraphGetRootNodes", |host, args| {
        list(host, args, |node| node.after.is_empty())
    }),
    ("cudaGraphUpload", success),
    ("cudaGraphDestroy", success),
    ("cudaGraphExecDestroy", success),
    ("cuGraphDestroy", success),
    ("cuGraphExecDestroy", success),
    ("cudaGraphDebugDotPrint", success),
    ("cudaUserObjectCreate", super::query::new_handle),
    ("cudaUserObjectRelease", success),
    ("cudaUserObjectRetain", success),
    ("cudaGraphRetainUserObject", success),
    ("cudaGraphReleaseUserObject", success),
    ("cudaDeviceGraphMemTrim", success),
];

/// Flag of an instance that frees at a launch what the last one left.
const AUTO_FREE: u64 = 1;
/// cudaErrorGraphExecUpdateFailure.
const UPDATE_FAILURE: i32 = 910;

/// A new handle.
pub fn handle(host: &mut Host<'_>) -> Result<u64, Halt> {
    Ok(host.memory.add(Kind::Handle, 0, Mark::KNOWN)?)
}

/// Something about graphs is not known: then neither are the launches and allocations that hang on it.
pub fn unknown(host: &mut Host<'_>, what: &str, mark: Option<Mark>) {
    let reason = match mark {
        Some(mark) => host.explain(mark),
        None => "it was made in a way that is not followed".to_owned(),
    };
    let place = host.place;
    host.notes.unknown(place, what, reason);
    host.notes.missed_allocation = true;
}

fn begin(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match arg(args, 0).get() {
        Ok(stream) => {
            let graph = handle(host)?;
            host.graphs.begin(stream, graph, Vec::new());
        }
        Err(mark) => unknown(host, "stream of a capture", Some(mark)),
    }
    success(host, args)
}

/// (stream, graph, nodes, edges, count, mode).
fn begin_into(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match (arg(args, 0).get(), arg(args, 1).get()) {
        (Ok(stream), Ok(graph)) => {
            let after = handles(host, arg(args, 2), arg(args, 4));
            host.graphs.begin(stream, graph, after);
        }
        (Err(mark), _) | (_, Err(mark)) => unknown(host, "stream of a capture", Some(mark)),
    }
    success(host, args)
}

fn end(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let stream = arg(args, 0).get();
    match stream.ok().and_then(|stream| host.graphs.end(stream)) {
        Some(graph) => host.store(arg(args, 1), 8, Value::known(graph)),
        None => unknown(host, "graph of a capture", stream.err()),
    }
    success(host, args)
}

fn is_capturing(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let status = match arg(args, 0).get() {
        Ok(stream) => Value::int(i32::from(is_captured(host, stream))),
        Err(mark) => Value::unknown(mark),
    };
    host.store(arg(args, 1), 4, status);
    success(host, args)
}

fn record(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let (Ok(event), Ok(stream)) = (arg(args, 0).get(), arg(args, 1).get()) {
        host.graphs.record(event, stream);
    }
    success(host, args)
}

fn wait(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let (Ok(stream), Ok(event)) = (arg(args, 0).get(), arg(args, 1).get()) {
        host.graphs.wait(stream, event);
    }
    success(host, args)
}

fn create(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_graph(host, arg(args, 0), Vec::new(), false)
}

fn new_graph(host: &mut Host<'_>, to: Value, nodes: Vec<Node>, frees: bool) -> Result<Value, Halt> {
    let graph = handle(host)?;
    host.graphs.add(graph, nodes, frees);
    host.store(to, 8, Value::known(graph));
    success(host, &[])
}

/// The nodes of a graph, or none with a note.
pub fn nodes_of(host: &mut Host<'_>, graph: Value) -> Vec<Node> {
    let found = graph
        .get()
        .ok()
        .and_then(|graph| host.graphs.nodes(graph).cloned());
    found.unwrap_or_else(|| {
        unknown(host, "nodes of a graph", graph.get().err());
        Vec::new()
    })
}

fn clone(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 1));
    new_graph(host, arg(args, 0), nodes, false)
}

/// (out, node, clone): a clone's nodes have the handles of the original's.
fn find_in_clone(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 8, arg(args, 1));
    success(host, args)
}

/// (out, graph, flags); before CUDA 12 (out, graph, error node, text, room).
fn instantiate(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 1));
    let flags = if args.len() == 3 {
        arg(args, 2).bits
    } else {
        0
    };
    new_graph(host, arg(args, 0), nodes, flags & AUTO_FREE != 0)
}

/// (out, graph, parameters: flags at 0, error node at 16, result at 24).
fn instantiate_by_structure(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 1));
    let flags = word(host, arg(args, 2), 0);
    put(host, arg(args, 2), 16, 8, Value::known(0));
    put(host, arg(args, 2), 24, 4, Value::known(0));
    new_graph(host, arg(args, 0), nodes, flags.bits & AUTO_FREE != 0)
}

/// Eight bytes of a structure.
pub fn word(host: &Host<'_>, at: Value, offset: u64) -> Value {
    match at.get() {
        Ok(address) => host.memory.load(address.wrapping_add(offset), 8),
        Err(mark) => Value::unknown(mark),
    }
}

/// Writes a field of a structure.
pub fn put(host: &mut Host<'_>, at: Value, offset: u64, size: usize, value: Value) {
    host.store(at.moved_to(at.bits.wrapping_add(offset)), size, value);
}

/// The handles in an array.
pub fn handles(host: &Host<'_>, array: Value, count: Value) -> Vec<u64> {
    /// More are not looked at: only their absence means something.
    const MOST: u64 = 256;
    let count = count.get().unwrap_or(0).min(MOST);
    (0..count)
        .map(|index| word(host, array, 8 * index).bits)
        .collect()
}

/// (instance, graph, result): works where the graph has the instance's nodes, in type and order.
fn update(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let new = nodes_of(host, arg(args, 1));
    let instance = arg(args, 0).get()?;
    let Some(nodes) = host.graphs.nodes_mut(instance) else {
        unknown(host, "nodes of a graph", None);
        return success(host, args);
    };
    let alike = |(old, new): (&Node, &Node)| {
        old.step.number() == new.step.number() && old.after.len() == new.after.len()
    };
    let same = nodes.len() == new.len() && nodes.iter().zip(&new).all(alike);
    if same {
        for (old, new) in nodes.iter_mut().zip(new) {
            old.step = new.step;
        }
    }
    // Before CUDA 12: (instance, graph, error node, result). The result is 0, or 2 for another topology.
    let result = Value::int(if same { 0 } else { 2 });
    let place = if args.len() == 4 { 3 } else { 2 };
    if arg(args, place) != Value::known(0) {
        host.store(arg(args, place), 4, result);
    }
    host.notes.cuda_calls += 1;
    if !same {
        host.call_fails(UPDATE_FAILURE);
        return Ok(Value::int(UPDATE_FAILURE));
    }
    Ok(Value::int(0))
}

/// (graph, nodes, their number): without an array only the number is asked for.
fn list(host: &mut Host<'_>, args: &[Value], wanted: fn(&Node) -> bool) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 0));
    let found: Vec<u64> = nodes
        .iter()
        .filter(|node| wanted(node))
        .map(|node| node.handle)
        .collect();
    let (array, number) = (arg(args, 1), arg(args, 2));
    let mut count = found.len() as u64;
    if array != Value::known(0) {
        let room = word(host, number, 0).get()?;
        for index in 0..room.min(4 * count) {
            let handle = found.get(index as usize).copied().unwrap_or(0);
            put(host, array, 8 * index, 8, Value::known(handle));
        }
        count = count.min(room);
    }
    host.store(number, 8, Value::known(count));
    success(host, args)
}
