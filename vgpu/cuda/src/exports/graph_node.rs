//! Nodes of graphs, by kind: added, asked, changed.

use crate::border::{In, Out};
use crate::copying::Copy;
use crate::graphs;
use crate::graphs::parameters::{self, Allocation, Host, Kernel, KernelV2, Memset, Node};
use crate::handles::Object;
use crate::status::{Outcome, Status};
use crate::streams::AttributeValue;
use crate::work::Work;

exports! {
    fn cuGraphAddKernelNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: In<Kernel>) {
        add(node, graph, behind, count, || parameters.get()?.work())
    }

    fn cuGraphAddKernelNode_v2(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: In<KernelV2>) {
        add(node, graph, behind, count, || parameters.get()?.work())
    }

    fn cuGraphAddMemcpyNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, copy: In<Copy>, _context: usize) {
        add(node, graph, behind, count, || Ok(Work::Copy(copy.get()?)))
    }

    fn cuGraphAddMemsetNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: In<Memset>, _context: usize) {
        add(node, graph, behind, count, || parameters.get()?.work())
    }

    fn cuGraphAddHostNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: In<Host>) {
        add(node, graph, behind, count, || parameters.get()?.work())
    }

    fn cuGraphAddChildGraphNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, child: usize) {
        add(node, graph, behind, count, || Ok(Work::Child(graphs::get(child)?)))
    }

    fn cuGraphAddEmptyNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize) {
        add(node, graph, behind, count, || Ok(Work::Nothing))
    }

    fn cuGraphAddEventRecordNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, event: usize) {
        add(node, graph, behind, count, || parameters::event_work(event, true))
    }

    fn cuGraphAddEventWaitNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, event: usize) {
        add(node, graph, behind, count, || parameters::event_work(event, false))
    }

    fn cuGraphAddMemFreeNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, address: u64) {
        add(node, graph, behind, count, || Ok(Work::Free(address)))
    }

    fn cuGraphAddMemAllocNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: Out<Allocation>) {
        add(node, graph, behind, count, || allocation(parameters))
    }

    fn cuGraphAddNode(node: Out<usize>, graph: usize, behind: In<usize>, count: usize, parameters: Out<Node>) {
        add(node, graph, behind, count, || described(parameters))
    }

    fn cuGraphAddNode_v2(
        node: Out<usize>, graph: usize, behind: In<usize>, edges: In<u64>, count: usize, parameters: Out<Node>,
    ) {
        super::graph_edge::behind(&behind, edges, count)?;
        add(node, graph, behind, count, || described(parameters))
    }

    fn cuGraphAddNode_v3(
        node: Out<usize>, graph: usize, behind: In<usize>, edges: In<u64>, count: usize, parameters: Out<Node>,
    ) {
        super::graph_edge::behind(&behind, edges, count)?;
        add(node, graph, behind, count, || described(parameters))
    }

    fn cuGraphKernelNodeGetParams(node: usize, found: Out<Kernel>) {
        found.put(Kernel::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: usize, found: Out<KernelV2>) {
        found.put(KernelV2::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphMemcpyNodeGetParams(node: usize, found: Out<Copy>) {
        found.put(parameters::copied(&graphs::node(node)?.work())?)
    }

    fn cuGraphMemsetNodeGetParams(node: usize, found: Out<Memset>) {
        found.put(Memset::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphHostNodeGetParams(node: usize, found: Out<Host>) {
        found.put(Host::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphMemAllocNodeGetParams(node: usize, found: Out<Allocation>) {
        found.put(Allocation::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphMemFreeNodeGetParams(node: usize, found: Out<u64>) {
        found.put(parameters::freed(&graphs::node(node)?.work())?)
    }

    fn cuGraphNodeGetParams(node: usize, found: Out<Node>) {
        found.put(Node::of(&graphs::node(node)?.work())?)
    }

    fn cuGraphChildGraphNodeGetGraph(node: usize, graph: Out<usize>) {
        graph.put(parameters::child(&graphs::node(node)?.work())?.handle())
    }

    fn cuGraphEventRecordNodeGetEvent(node: usize, event: Out<usize>) {
        event.put(parameters::event(&graphs::node(node)?.work(), true)?)
    }

    fn cuGraphEventWaitNodeGetEvent(node: usize, event: Out<usize>) {
        event.put(parameters::event(&graphs::node(node)?.work(), false)?)
    }

    fn cuGraphKernelNodeSetParams(node: usize, parameters: In<Kernel>) {
        set(node, parameters.get()?.work()?)
    }

    fn cuGraphKernelNodeSetParams_v2(node: usize, parameters: In<KernelV2>) {
        set(node, parameters.get()?.work()?)
    }

    fn cuGraphMemcpyNodeSetParams(node: usize, copy: In<Copy>) {
        set(node, Work::Copy(copy.get()?))
    }

    fn cuGraphMemsetNodeSetParams(node: usize, parameters: In<Memset>) {
        set(node, parameters.get()?.work()?)
    }

    fn cuGraphHostNodeSetParams(node: usize, parameters: In<Host>) {
        set(node, parameters.get()?.work()?)
    }

    fn cuGraphEventRecordNodeSetEvent(node: usize, event: usize) {
        set(node, parameters::event_work(event, true)?)
    }

    fn cuGraphEventWaitNodeSetEvent(node: usize, event: usize) {
        set(node, parameters::event_work(event, false)?)
    }

    fn cuGraphNodeSetParams(node: usize, parameters: Out<Node>) {
        set(node, described(parameters)?)
    }

    fn cuGraphNodeSetParams_v2(node: usize, parameters: Out<Node>) {
        set(node, described(parameters)?)
    }

    fn cuGraphKernelNodeGetAttribute(node: usize, attribute: u32, value: Out<AttributeValue>) {
        match &*graphs::node(node)?.work() {
            Work::Launch(kernel) => value.put(kernel.attribute(attribute)?),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphKernelNodeSetAttribute(node: usize, attribute: u32, value: In<AttributeValue>) {
        match &mut *graphs::node(node)?.work() {
            Work::Launch(kernel) => kernel.set_attribute(attribute, value.get()?),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphKernelNodeCopyAttributes(to: usize, from: usize) {
        let source = graphs::node(from)?.work().clone();
        match (&mut *graphs::node(to)?.work(), &source) {
            (Work::Launch(to), Work::Launch(from)) => {
                to.copy_attributes(from);
                Ok(())
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

fn add(
    node: Out<usize>,
    graph: usize,
    behind: In<usize>,
    count: usize,
    work: impl FnOnce() -> Outcome<Work>,
) -> Outcome {
    node.room()?;
    let graph = graphs::get(graph)?;
    let behind = (0..count).map(|nth| behind.nth(nth));
    let behind = behind.collect::<Outcome<Vec<_>>>()?;
    node.put(graph.add(work()?, behind)?)
}

/// Gives a node other work of its kind. Memory cannot be changed.
fn set(node: usize, work: Work) -> Outcome {
    match work {
        Work::Allocate(_) | Work::Free(_) => Err(Status::INVALID_VALUE),
        work => graphs::node(node)?.work().replace(work),
    }
}

/// What a description means that the caller wants the address back in.
fn allocation(parameters: Out<Allocation>) -> Outcome<Work> {
    // SAFETY: not null, as `room` checks, so by the C interface it is a whole description.
    let mut given = unsafe { parameters.room()?.read_unaligned() };
    let work = given.work()?;
    parameters.put(given)?;
    Ok(work)
}

/// What a description of any kind means; of memory the caller wants the address back in it.
pub fn described(parameters: Out<Node>) -> Outcome<Work> {
    // SAFETY: as above.
    let mut given = unsafe { parameters.room()?.read_unaligned() };
    let work = given.work()?;
    parameters.put(given)?;
    Ok(work)
}
