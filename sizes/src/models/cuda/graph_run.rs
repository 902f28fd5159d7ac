//! Graphs at work: a launch runs the nodes in the order in which they were added; host functions are called back.

use super::graph::{self, Node, Step};
use super::graph_calls::{nodes_of, unknown};
use super::launch::{launch_now, note_unknown_kernel};
use crate::machine::host::{Configuration, Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::run::Machine;
use crate::machine::value::Value;
use crate::models::Model;
use crate::models::number::arg;

/// (instance, stream).
pub fn launch(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let host = &mut machine.host;
    host.notes.cuda_calls += 1;
    let nodes = nodes_of(host, arg(args, 0));
    let frees = arg(args, 0).get().is_ok_and(|one| host.graphs.frees(one));
    if let Some(Step::Child(nodes)) = graph::capture(host, arg(args, 1), Step::Child(nodes)) {
        run(machine, &nodes, frees)?;
    }
    Ok(Value::int(0))
}

/// (stream, function, data): the function runs in its turn.
pub fn host_function(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (function, data) = (arg(args, 1), arg(args, 2));
    machine.host.notes.cuda_calls += 1;
    let step = Step::Call { function, data };
    if graph::capture(&mut machine.host, arg(args, 0), step).is_some() {
        machine.call_back(function, &[data])?;
    }
    Ok(Value::int(0))
}

/// (stream, function, data, flags): the function is given stream, status and data.
pub fn callback(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    machine.host.notes.cuda_calls += 1;
    let given = [arg(args, 0), Value::int(0), arg(args, 2)];
    machine.call_back(arg(args, 1), &given)?;
    Ok(Value::int(0))
}

fn run(machine: &mut Machine<'_>, nodes: &[Node], frees: bool) -> Result<(), Halt> {
    for node in nodes.iter().filter(|node| node.enabled) {
        machine.host.steps += 1;
        let host = &mut machine.host;
        match &node.step {
            Step::Launch { symbol, with } => launch_node(host, symbol.as_deref(), with),
            Step::Work(model, given) => {
                model(host, given)?;
            }
            Step::Allocate { address, bytes } => allocate(host, *address, *bytes, frees),
            Step::Free(pointer) => free(host, *pointer),
            Step::Call { function, data } => {
                machine.call_back(*function, &[*data])?;
            }
            Step::Child(nodes) => run(machine, nodes, frees)?,
            Step::Nothing(_) => {}
        }
    }
    Ok(())
}

fn launch_node(host: &mut Host<'_>, symbol: Option<&str>, with: &Configuration) {
    let here = host.place;
    // People look for a launch where they wrote it, not where its graph is launched.
    if with.place.line > 0 {
        host.place = with.place;
    }
    if symbol.is_none() {
        note_unknown_kernel(host, Value::known(0));
    }
    launch_now(host, symbol.unwrap_or("?"), with);
    host.place = here;
}

/// Memory that is still alive makes the launch fail, unless the instance frees it first.
fn allocate(host: &mut Host<'_>, address: u64, bytes: Value, frees: bool) {
    const API: &str = "cudaGraphAddMemAllocNode";
    let place = host.place;
    if frees {
        host.ledger.free(address);
    }
    if host.ledger.is_alive(address) {
        unknown(
            host,
            "second launch of a graph whose memory is not freed",
            None,
        );
        return;
    }
    if let Err(mark) = bytes.get() {
        unknown(host, "size of a graph's memory", Some(mark));
    }
    host.ledger.allocate(place, API, address, bytes.get().ok());
}

/// The address stays good: the next launch takes the memory again.
fn free(host: &mut Host<'_>, pointer: Value) {
    match pointer.get() {
        Ok(address) => {
            host.ledger.free(address);
        }
        Err(mark) => {
            let (place, reason) = (host.place, host.explain(mark));
            host.notes
                .unknown(place, "pointer of a graph's free", reason);
            host.notes.missed_free = true;
        }
    }
}

/// What a call does where its stream is captured; `None`: it is made now.
pub fn captured(
    host: &mut Host<'_>,
    name: &str,
    model: Model,
    args: &[Value],
) -> Option<Result<Value, Halt>> {
    let index = stream_argument(name)?;
    let stream = arg(args, index);
    graph::captured_stream(host, stream)?;
    let step = match name {
        "cudaMallocAsync" | "cudaMallocFromPoolAsync" | "cuMemAllocAsync" => {
            match new_memory(host, args) {
                Ok(step) => step,
                Err(halt) => return Some(Err(halt)),
            }
        }
        "cudaFreeAsync" | "cuMemFreeAsync" => Step::Free(arg(args, 0)),
        "cudaMemsetAsync" | "cudaMemset2DAsync" => Step::Nothing(2),
        _ => Step::Work(model, args.to_vec()),
    };
    graph::capture(host, stream, step);
    host.notes.cuda_calls += 1;
    Some(Ok(Value::int(0)))
}

fn new_memory(host: &mut Host<'_>, args: &[Value]) -> Result<Step, Halt> {
    let bytes = arg(args, 1);
    let size = bytes.get().unwrap_or(0);
    let address = host.memory.add(Kind::Device, size, Mark::DEVICE_MEMORY)?;
    host.store(arg(args, 0), 8, Value::known(address));
    Ok(Step::Allocate { address, bytes })
}

/// Which argument of a call is its stream.
fn stream_argument(name: &str) -> Option<usize> {
    Some(match name.strip_suffix("_ptsz").unwrap_or(name) {
        "cudaFreeAsync" | "cuMemFreeAsync" => 1,
        "cudaMallocAsync" | "cuMemAllocAsync" => 2,
        "cudaMallocFromPoolAsync" | "cudaMemsetAsync" | "cuMemcpyDtoHAsync_v2" => 3,
        "cudaMemcpyAsync" => 4,
        "cudaMemset2DAsync" | "cudaMemcpyFromSymbolAsync" => 5,
        "cudaMemcpy2DAsync" => 7,
        _ => return None,
    })
}
