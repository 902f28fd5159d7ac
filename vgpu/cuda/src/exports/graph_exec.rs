//! Executable graphs: made, launched, changed.

use super::graph_node::described;
use crate::border::{In, Out};
use crate::capture;
use crate::copying::Copy;
use crate::graphs;
use crate::graphs::parameters::{self, Host, Kernel, KernelV2, Memset, Node};
use crate::status::{Outcome, Status};
use crate::streams;
use crate::work::Work;
use std::sync::Arc;

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instantiation {
    flags: u64,
    stream: usize,
    node: usize,
    result: u32,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Updated {
    result: u32,
    node: usize,
    from: usize,
}

const _: () = assert!(size_of::<Instantiation>() == 32 && size_of::<Updated>() == 24);

exports! {
    fn cuGraphInstantiate(made: Out<usize>, graph: usize, node: Out<usize>, _text: usize, _room: usize) {
        node.offer(0);
        instantiate(made, graph, 0)
    }

    fn cuGraphInstantiate_v2(made: Out<usize>, graph: usize, node: Out<usize>, _text: usize, _room: usize) {
        node.offer(0);
        instantiate(made, graph, 0)
    }

    fn cuGraphInstantiateWithFlags(made: Out<usize>, graph: usize, flags: u64) {
        instantiate(made, graph, flags)
    }

    fn cuGraphInstantiateWithParams(made: Out<usize>, graph: usize, parameters: Out<Instantiation>) {
        // SAFETY: not null, as `room` checks, so by the C interface it is a whole structure.
        let given = unsafe { parameters.room()?.read_unaligned() };
        let outcome = instantiate(made, graph, given.flags);
        let result = u32::from(outcome.is_err());
        parameters.put(Instantiation { node: 0, result, ..given })?;
        outcome
    }

    fn cuGraphExecGetFlags(graph: usize, flags: Out<u64>) {
        flags.put(graphs::executable(graph)?.flags)
    }

    fn cuGraphExecGetId(graph: usize, id: Out<u32>) {
        id.put(graphs::executable(graph)?.source.id)
    }

    fn cuGraphExecDestroy(graph: usize) {
        graphs::remove_executable(graph)
    }

    /// Memory of nodes is given at the launch.
    fn cuGraphUpload(graph: usize, stream: usize) {
        streams::get(stream)?;
        graphs::executable(graph).map(drop)
    }

    fn cuGraphLaunch(graph: usize, stream: usize) {
        let (executable, stream) = (graphs::executable(graph)?, streams::get(stream)?);
        if let Some(capture) = capture::of(&stream)? {
            return capture.add(&stream, Work::Child(Arc::clone(&executable.source))).map(drop);
        }
        executable.launch(&stream)
    }

    fn cuGraphExecUpdate(graph: usize, new: usize, node: Out<usize>, result: Out<u32>) {
        let updated = update(graph, new)?;
        node.offer(updated.node);
        result.offer(updated.result);
        updated.outcome()
    }

    fn cuGraphExecUpdate_v2(graph: usize, new: usize, found: Out<Updated>) {
        let updated = update(graph, new)?;
        found.offer(updated);
        updated.outcome()
    }

    fn cuGraphNodeSetEnabled(graph: usize, node: usize, enabled: u32) {
        graphs::executable(graph)?.enable(node, enabled != 0)
    }

    fn cuGraphNodeGetEnabled(graph: usize, node: usize, enabled: Out<u32>) {
        enabled.put(graphs::executable(graph)?.is_enabled(node)?.into())
    }

    /// The nodes of the child take over the work of another graph of the same shape.
    fn cuGraphExecChildGraphNodeSetParams(graph: usize, node: usize, child: usize) {
        graphs::executable(graph)?.change_child(node, &*graphs::get(child)?)
    }

    fn cuGraphExecKernelNodeSetParams(graph: usize, node: usize, parameters: In<Kernel>) {
        graphs::executable(graph)?.change(node, parameters.get()?.work()?)
    }

    fn cuGraphExecKernelNodeSetParams_v2(graph: usize, node: usize, parameters: In<KernelV2>) {
        graphs::executable(graph)?.change(node, parameters.get()?.work()?)
    }

    fn cuGraphExecMemcpyNodeSetParams(graph: usize, node: usize, copy: In<Copy>, _context: usize) {
        graphs::executable(graph)?.change(node, Work::Copy(copy.get()?))
    }

    fn cuGraphExecMemsetNodeSetParams(graph: usize, node: usize, parameters: In<Memset>, _context: usize) {
        graphs::executable(graph)?.change(node, parameters.get()?.work()?)
    }

    fn cuGraphExecHostNodeSetParams(graph: usize, node: usize, parameters: In<Host>) {
        graphs::executable(graph)?.change(node, parameters.get()?.work()?)
    }

    fn cuGraphExecEventRecordNodeSetEvent(graph: usize, node: usize, event: usize) {
        graphs::executable(graph)?.change(node, parameters::event_work(event, true)?)
    }

    fn cuGraphExecEventWaitNodeSetEvent(graph: usize, node: usize, event: usize) {
        graphs::executable(graph)?.change(node, parameters::event_work(event, false)?)
    }

    fn cuGraphExecNodeSetParams(graph: usize, node: usize, parameters: Out<Node>) {
        graphs::executable(graph)?.change(node, described(parameters)?)
    }
}

fn instantiate(made: Out<usize>, graph: usize, flags: u64) -> Outcome {
    made.room()?;
    made.put(graphs::instantiate(&*graphs::get(graph)?, flags)?)
}

fn update(graph: usize, new: usize) -> Outcome<Updated> {
    let (executable, new) = (graphs::executable(graph)?, graphs::get(new)?);
    let differs = executable.update(&new).err();
    Ok(Updated {
        result: differs.map_or(0, |differs| differs.result),
        node: differs.map_or(0, |differs| differs.node),
        from: 0,
    })
}

impl Updated {
    fn outcome(&self) -> Outcome {
        match self.result {
            0 => Ok(()),
            _ => Err(Status::GRAPH_EXEC_UPDATE_FAILURE),
        }
    }
}
