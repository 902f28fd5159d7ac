//! The calls that make and change graphs, of the runtime and the driver.

use super::copy;
use super::graph::{Node, Step, is_captured};
use super::kernel;
use super::query::success;
use crate::machine::host::{Configuration, Halt, Host};
use crate::machine::mark::{Mark, Source};
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
    ("cudaGraphAddKernelNode", add_kernel),
    ("cuGraphAddKernelNode_v2", add_kernel),
    ("cudaGraphAddMemsetNode", |host, args| {
        add(host, args, Step::Nothing(2))
    }),
    ("cudaGraphAddEmptyNode", |host, args| {
        add(host, args, Step::Nothing(5))
    }),
    ("cudaGraphAddEventWaitNode", |host, args| {
        add(host, args, Step::Nothing(6))
    }),
    ("cudaGraphAddEventRecordNode", |host, args| {
        add(host, args, Step::Nothing(7))
    }),
    ("cudaGraphAddMemcpyNodeToSymbol", |host, args| {
        add(host, args, Step::Nothing(1))
    }),
    ("cudaGraphAddMemcpyNode1D", add_copy),
    ("cudaGraphAddMemcpyNodeFromSymbol", add_copy_from_symbol),
    ("cudaGraphAddMemcpyNode", |host, args| {
        let step = copy_step(host, arg(args, 4));
        add(host, args, step)
    }),
    ("cudaGraphAddHostNode", |host, args| {
        let step = host_step(host, arg(args, 4));
        add(host, args, step)
    }),
    ("cudaGraphAddChildGraphNode", add_child),
    ("cudaGraphAddMemAllocNode", |host, args| {
        let step = allocate_step(host, arg(args, 4))?;
        add(host, args, step)
    }),
    ("cudaGraphAddMemFreeNode", |host, args| {
        add(host, args, Step::Free(arg(args, 4)))
    }),
    ("cudaGraphAddNode", add_any),
    ("cudaGraphAddNode_v2", add_any),
    ("cudaGraphAddDependencies", success),
    ("cudaGraphKernelNodeGetParams", get_kernel),
    ("cudaGraphKernelNodeSetParams", |host, args| {
        set(host, None, arg(args, 0), arg(args, 1))
    }),
    ("cudaGraphExecKernelNodeSetParams", |host, args| {
        set(host, Some(arg(args, 0)), arg(args, 1), arg(args, 2))
    }),
    ("cudaGraphNodeSetParams", |host, args| {
        set_any(host, None, arg(args, 0), arg(args, 1))
    }),
    ("cudaGraphExecNodeSetParams", |host, args| {
        set_any(host, Some(arg(args, 0)), arg(args, 1), arg(args, 2))
    }),
    ("cudaGraphExecChildGraphNodeSetParams", set_child),
    ("cudaGraphExecMemsetNodeSetParams", success),
    ("cudaGraphNodeSetEnabled", enable),
    ("cudaGraphDestroyNode", destroy_node),
    ("cudaGraphExecUpdate", update),
    ("cudaGraphGetNodes", |host, args| list(host, args, |_| true)),
    ("cudaGraphGetRootNodes", |host, args| {
        list(host, args, |node| node.after.is_empty())
    }),
    ("cudaGraphNodeGetType", node_type),
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
fn word(host: &Host<'_>, at: Value, offset: u64) -> Value {
    match at.get() {
        Ok(address) => host.memory.load(address.wrapping_add(offset), 8),
        Err(mark) => Value::unknown(mark),
    }
}

fn put(host: &mut Host<'_>, at: Value, offset: u64, size: usize, value: Value) {
    host.store(at.moved_to(at.bits.wrapping_add(offset)), size, value);
}

/// The handles in an array.
fn handles(host: &Host<'_>, array: Value, count: Value) -> Vec<u64> {
    /// More are not looked at: only their absence means something.
    const MOST: u64 = 256;
    let count = count.get().unwrap_or(0).min(MOST);
    (0..count)
        .map(|index| word(host, array, 8 * index).bits)
        .collect()
}

/// (out, graph, nodes before, their number, ...).
fn add(host: &mut Host<'_>, args: &[Value], step: Step) -> Result<Value, Halt> {
    add_behind(
        host,
        [arg(args, 0), arg(args, 1), arg(args, 2), arg(args, 3)],
        step,
    )
}

fn add_behind(
    host: &mut Host<'_>,
    [out, graph, before, count]: [Value; 4],
    step: Step,
) -> Result<Value, Halt> {
    let new = handle(host)?;
    let node = Node {
        handle: new,
        after: handles(host, before, count),
        enabled: true,
        step,
    };
    let nodes = graph
        .get()
        .ok()
        .and_then(|graph| host.graphs.nodes_mut(graph));
    match nodes {
        Some(nodes) => nodes.push(node),
        None => unknown(host, "graph of a node", graph.get().err()),
    }
    host.store(out, 8, Value::known(new));
    success(host, &[])
}

fn add_kernel(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let step = kernel_step(host, arg(args, 4));
    add(host, args, step)
}

/// Kernel parameters: function at 0, grid at 8, block at 20, dynamic shared memory at 32.
fn kernel_step(host: &mut Host<'_>, at: Value) -> Step {
    let field = |offset: u64, size: usize| match at.get() {
        Ok(address) => host.memory.load(address.wrapping_add(offset), size),
        Err(mark) => Value::unknown(mark),
    };
    let with = Configuration {
        grid_xy: field(8, 8),
        grid_z: field(16, 4),
        block_xy: field(20, 8),
        block_z: field(28, 4),
        shared: field(32, 4),
        stream: Value::known(0),
        place: host.place,
    };
    let symbol = kernel::symbol(host, field(0, 8));
    Step::Launch { symbol, with }
}

/// Host node: function at 0, its data at 8.
fn host_step(host: &mut Host<'_>, at: Value) -> Step {
    Step::Call {
        function: word(host, at, 0),
        data: word(host, at, 8),
    }
}

/// A copy by `cudaMemcpy3DParms`: what its target points to at 96 becomes a device result when the graph runs.
fn copy_step(host: &mut Host<'_>, at: Value) -> Step {
    Step::Work(copy::arrives, vec![word(host, at, 96)])
}

/// Memory node: bytes at 104; its address goes to 112.
fn allocate_step(host: &mut Host<'_>, at: Value) -> Result<Step, Halt> {
    let bytes = word(host, at, 104);
    let size = bytes.get().unwrap_or(0);
    let address = host.memory.add(Kind::Device, size, Mark::DEVICE_MEMORY)?;
    put(host, at, 112, 8, Value::known(address));
    Ok(Step::Allocate { address, bytes })
}

/// (out, graph, before, count, to, from, bytes, kind).
fn add_copy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let given = args.get(4..8).unwrap_or_default().to_vec();
    add(host, args, Step::Work(copy::copy, given))
}

/// (out, graph, before, count, to, symbol, bytes, offset, kind).
fn add_copy_from_symbol(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    add(host, args, Step::Work(copy::arrives, vec![arg(args, 4)]))
}

fn add_child(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 4));
    add(host, args, Step::Child(nodes))
}

/// (out, graph, before, [edges,] count, parameters): type at 0, the rest from 16 on.
fn add_any(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (count, at) = match args.len() {
        5 => (arg(args, 3), arg(args, 4)),
        _ => (arg(args, 4), arg(args, 5)),
    };
    let step = any_step(host, at)?;
    add_behind(
        host,
        [arg(args, 0), arg(args, 1), arg(args, 2), count],
        step,
    )
}

fn any_step(host: &mut Host<'_>, at: Value) -> Result<Step, Halt> {
    let kind = match at.get() {
        Ok(address) => host.memory.load(address, 4).as_int().ok(),
        Err(_) => None,
    };
    let inner = at.moved_to(at.bits.wrapping_add(16));
    Ok(match kind {
        Some(0) => kernel_step(host, inner),
        Some(1) => copy_step(host, inner.moved_to(inner.bits.wrapping_add(16))),
        Some(3) => host_step(host, inner),
        Some(4) => {
            let graph = word(host, inner, 0);
            Step::Child(nodes_of(host, graph))
        }
        Some(10) => allocate_step(host, inner)?,
        Some(11) => Step::Free(word(host, inner, 0)),
        Some(number @ (2 | 5 | 6 | 7)) => Step::Nothing(number),
        _ => {
            unknown(host, "node of a graph", None);
            Step::Nothing(-1)
        }
    })
}

/// (node, parameters): the function is told by a handle that names the kernel.
fn get_kernel(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let node = arg(args, 0).get()?;
    let step = host.graphs.node_mut(node).map(|node| node.step.clone());
    let Some(Step::Launch { symbol, with }) = step else {
        return Err(host
            .mark(Source::Undefined("a node that launches nothing".to_owned()))
            .into());
    };
    let function = handle(host)?;
    if let Some(symbol) = symbol {
        host.handle_names.insert(function, symbol);
    }
    let fields = [
        (0, 8, Value::known(function)),
        (8, 8, with.grid_xy),
        (16, 4, with.grid_z),
        (20, 8, with.block_xy),
        (28, 4, with.block_z),
        (32, 4, with.shared),
        (40, 8, Value::known(0)),
        (48, 8, Value::known(0)),
    ];
    for (offset, size, value) in fields {
        put(host, arg(args, 1), offset, size, value);
    }
    success(host, args)
}

/// The node with a handle: in an instance, or in the graph that it was added to.
fn node_in<'h>(
    host: &'h mut Host<'_>,
    instance: Option<Value>,
    node: Value,
) -> Option<&'h mut Node> {
    let node = node.get().ok()?;
    match instance {
        None => host.graphs.node_mut(node),
        Some(instance) => {
            let nodes = host.graphs.nodes_mut(instance.get().ok()?)?;
            nodes.iter_mut().find(|one| one.handle == node)
        }
    }
}

fn replace(
    host: &mut Host<'_>,
    instance: Option<Value>,
    node: Value,
    step: Step,
) -> Result<Value, Halt> {
    match node_in(host, instance, node) {
        Some(found) => found.step = step,
        None => unknown(host, "node of a graph", node.get().err()),
    }
    success(host, &[])
}

fn set(
    host: &mut Host<'_>,
    instance: Option<Value>,
    node: Value,
    at: Value,
) -> Result<Value, Halt> {
    let step = kernel_step(host, at);
    replace(host, instance, node, step)
}

fn set_any(
    host: &mut Host<'_>,
    instance: Option<Value>,
    node: Value,
    at: Value,
) -> Result<Value, Halt> {
    let step = any_step(host, at)?;
    replace(host, instance, node, step)
}

/// (instance, node, graph).
fn set_child(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let nodes = nodes_of(host, arg(args, 2));
    replace(host, Some(arg(args, 0)), arg(args, 1), Step::Child(nodes))
}

/// (instance, node, 0 or 1).
fn enable(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let on = arg(args, 2).get()? != 0;
    match node_in(host, Some(arg(args, 0)), arg(args, 1)) {
        Some(node) => node.enabled = on,
        None => unknown(host, "node of a graph", arg(args, 1).get().err()),
    }
    success(host, args)
}

fn destroy_node(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let node = arg(args, 0).get()?;
    host.graphs.remove(node);
    success(host, args)
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
        host.last_error = UPDATE_FAILURE;
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

fn node_type(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let node = arg(args, 0).get()?;
    let number = host.graphs.node_mut(node).map(|node| node.step.number());
    let number = match number {
        Some(number) => Value::int(number),
        None => host.unknown(Source::Undefined("a node that is not known".to_owned())),
    };
    host.store(arg(args, 1), 4, number);
    success(host, args)
}
