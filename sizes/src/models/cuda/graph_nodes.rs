//! The calls that add nodes to graphs, change them and ask for them.

use super::copy;
use super::graph::{Node, Step};
use super::graph_calls::{handle, handles, nodes_of, put, unknown, word};
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
    ("cudaGraphNodeGetType", node_type),
];

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

/// (out, graph, before, \[edges,\] count, parameters): type at 0, the rest from 16 on.
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

/// (node, out).
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
