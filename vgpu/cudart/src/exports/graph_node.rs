//! Nodes of graphs whose description is another in the runtime: kernels by their host stubs, copies by regions.

use crate::border::{In, Out};
use crate::bound::bound;
use crate::code;
use crate::error::{Outcome, Status, checked};
use crate::exports::copy::part_of;
use crate::regions::{self, Copy3D, CopyEnd, RegionCopy};
use crate::structures::{KernelNode, NodeLaunch};

exports! {
    fn cudaGraphAddKernelNode(node: usize, graph: usize, behind: usize, count: usize, launch: In<NodeLaunch>) {
        let described = by_function(launch.get()?)?;
        // SAFETY: the driver checks the pointers; the description lives through the call.
        checked(unsafe { (bound()?.add_kernel)(node, graph, behind, count, &raw const described) })
    }

    fn cudaGraphKernelNodeGetParams(node: usize, launch: Out<NodeLaunch>) {
        let mut found = KernelNode::default();
        // SAFETY: room for the description.
        checked(unsafe { (bound()?.kernel_parameters)(node, &raw mut found) })?;
        let function = code::stub_of(found.launch.function).unwrap_or(found.launch.function);
        launch.put(NodeLaunch { function, ..found.launch })
    }

    fn cudaGraphKernelNodeSetParams(node: usize, launch: In<NodeLaunch>) {
        let described = by_function(launch.get()?)?;
        // SAFETY: the description lives through the call.
        checked(unsafe { (bound()?.set_kernel_parameters)(node, &raw const described) })
    }

    fn cudaGraphExecKernelNodeSetParams(graph: usize, node: usize, launch: In<NodeLaunch>) {
        let described = by_function(launch.get()?)?;
        // SAFETY: the description lives through the call.
        checked(unsafe { (bound()?.executable_kernel)(graph, node, &raw const described) })
    }

    fn cudaGraphAddMemcpyNode(node: usize, graph: usize, behind: usize, count: usize, copy: In<RegionCopy>) {
        add(node, graph, behind, count, &copy.get()?.described()?)
    }

    fn cudaGraphAddMemcpyNode1D(
        node: usize, graph: usize, behind: usize, count: usize, to: u64, from: u64, bytes: usize, kind: u32,
    ) {
        add(node, graph, behind, count, &line(to, from, bytes, kind)?)
    }

    fn cudaGraphAddMemcpyNodeToSymbol(
        node: usize, graph: usize, behind: usize, count: usize, symbol: usize, from: u64, bytes: usize, offset: usize,
        kind: u32,
    ) {
        add(node, graph, behind, count, &line(part_of(symbol, offset, bytes)?, from, bytes, kind)?)
    }

    fn cudaGraphAddMemcpyNodeFromSymbol(
        node: usize, graph: usize, behind: usize, count: usize, to: u64, symbol: usize, bytes: usize, offset: usize,
        kind: u32,
    ) {
        add(node, graph, behind, count, &line(to, part_of(symbol, offset, bytes)?, bytes, kind)?)
    }

    fn cudaGraphMemcpyNodeGetParams(node: usize, copy: Out<RegionCopy>) {
        let mut found = Copy3D::default();
        // SAFETY: room for the description.
        checked(unsafe { (bound()?.copy_parameters)(node, &raw mut found) })?;
        copy.put(RegionCopy::of(&found)?)
    }

    fn cudaGraphMemcpyNodeSetParams(node: usize, copy: In<RegionCopy>) {
        set(node, &copy.get()?.described()?)
    }

    fn cudaGraphMemcpyNodeSetParams1D(node: usize, to: u64, from: u64, bytes: usize, kind: u32) {
        set(node, &line(to, from, bytes, kind)?)
    }

    fn cudaGraphMemcpyNodeSetParamsToSymbol(
        node: usize, symbol: usize, from: u64, bytes: usize, offset: usize, kind: u32,
    ) {
        set(node, &line(part_of(symbol, offset, bytes)?, from, bytes, kind)?)
    }

    fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        node: usize, to: u64, symbol: usize, bytes: usize, offset: usize, kind: u32,
    ) {
        set(node, &line(to, part_of(symbol, offset, bytes)?, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams(graph: usize, node: usize, copy: In<RegionCopy>) {
        change(graph, node, &copy.get()?.described()?)
    }

    fn cudaGraphExecMemcpyNodeSetParams1D(graph: usize, node: usize, to: u64, from: u64, bytes: usize, kind: u32) {
        change(graph, node, &line(to, from, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        graph: usize, node: usize, symbol: usize, from: u64, bytes: usize, offset: usize, kind: u32,
    ) {
        change(graph, node, &line(part_of(symbol, offset, bytes)?, from, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        graph: usize, node: usize, to: u64, symbol: usize, bytes: usize, offset: usize, kind: u32,
    ) {
        change(graph, node, &line(to, part_of(symbol, offset, bytes)?, bytes, kind)?)
    }

    fn cudaGraphAddMemsetNode(node: usize, graph: usize, behind: usize, count: usize, parameters: usize) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.add_memset)(node, graph, behind, count, parameters, 0) })
    }

    fn cudaGraphExecMemsetNodeSetParams(graph: usize, node: usize, parameters: usize) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.executable_memset)(graph, node, parameters, 0) })
    }
}

/// The driver's description of a launch.
pub fn by_function(launch: NodeLaunch) -> Outcome<KernelNode> {
    let function = code::function(launch.function)?;
    Ok(KernelNode {
        launch: NodeLaunch { function, ..launch },
        kernel: 0,
        context: 0,
    })
}

/// A copy of bytes in a row.
fn line(to: u64, from: u64, bytes: usize, kind: u32) -> Outcome<Copy3D> {
    let (to_kind, from_kind) = regions::kinds(kind)?;
    if bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    Ok(Copy3D {
        from: CopyEnd::rows(from_kind, from, bytes),
        to: CopyEnd::rows(to_kind, to, bytes),
        width: bytes,
        height: 1,
        depth: 1,
    })
}

fn add(node: usize, graph: usize, behind: usize, count: usize, copy: &Copy3D) -> Outcome {
    // SAFETY: the driver checks the pointers; the description lives through the call.
    checked(unsafe { (bound()?.add_copy)(node, graph, behind, count, copy, 0) })
}

fn set(node: usize, copy: &Copy3D) -> Outcome {
    // SAFETY: the description lives through the call.
    checked(unsafe { (bound()?.set_copy_parameters)(node, copy) })
}

fn change(graph: usize, node: usize, copy: &Copy3D) -> Outcome {
    // SAFETY: the description lives through the call.
    checked(unsafe { (bound()?.executable_copy)(graph, node, copy, 0) })
}
