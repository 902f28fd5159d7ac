//! Functions whose form changed with CUDA 13, or that went with it: as CUDA 12 has them. The forms of CUDA 13 have a
//! number in their names there.

use crate::border::Out;
use crate::bound::{self, bound, require_device};
use crate::driver::driver;
use crate::error::checked;
use crate::exports::graph_any::{AnyNode, add_any};
use crate::older::{OlderProperties, read_older};
use crate::structures::Location;

forwards! {
    fn cudaMemPrefetchAsync_v2(address: u64, bytes: usize, place: Location, flags: u32, stream: usize) => prefetch;
    fn cudaMemAdvise_v2(address: u64, bytes: usize, advice: u32, place: Location) => advise;
    fn cudaStreamGetCaptureInfo_v3(stream: usize, status: usize, id: usize, graph: usize, nodes: usize, edges: usize, count: usize) => capture_info;
    fn cudaStreamUpdateCaptureDependencies_v2(stream: usize, nodes: usize, edges: usize, count: usize, flags: u32) => capture_update;
    fn cudaGraphGetEdges_v2(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_edges;
    fn cudaGraphAddDependencies_v2(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_connect;
    fn cudaGraphRemoveDependencies_v2(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_disconnect;
    fn cudaGraphNodeGetDependencies_v2(node: usize, nodes: usize, data: usize, count: usize) => node_before;
    fn cudaGraphNodeGetDependentNodes_v2(node: usize, nodes: usize, data: usize, count: usize) => node_behind;
    fn cudaThreadSetLimit(limit: u32, value: usize) => set_limit;
    fn cudaThreadSetCacheConfig(config: u32) => set_cache_config;
}

/// No data of edges is wanted, or none is given.
const NO_DATA: usize = 0;

/// A device's number as a place; -1 is the host.
fn place(device: i32) -> Location {
    match device {
        -1 => Location { kind: 2, id: 0 },
        id => Location { kind: 1, id },
    }
}

exports! {
    fn cudaMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: usize) {
        // SAFETY: plain values; the driver checks the range.
        checked(unsafe { (bound()?.prefetch)(address, bytes, place(device), 0, stream) })
    }

    fn cudaMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.advise)(address, bytes, advice, place(device)) })
    }

    /// The first form: it tells of no graph.
    fn cudaStreamGetCaptureInfo(stream: usize, status: usize, id: usize) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.capture_info)(stream, status, id, 0, 0, NO_DATA, 0) })
    }

    fn cudaStreamGetCaptureInfo_v2(
        stream: usize, status: usize, id: usize, graph: usize, nodes: usize, count: usize,
    ) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.capture_info)(stream, status, id, graph, nodes, NO_DATA, count) })
    }

    fn cudaStreamUpdateCaptureDependencies(stream: usize, nodes: usize, count: usize, flags: u32) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.capture_update)(stream, nodes, NO_DATA, count, flags) })
    }

    fn cudaGraphGetEdges(graph: usize, from: usize, to: usize, count: usize) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.graph_edges)(graph, from, to, NO_DATA, count) })
    }

    fn cudaGraphAddDependencies(graph: usize, from: usize, to: usize, count: usize) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.graph_connect)(graph, from, to, NO_DATA, count) })
    }

    fn cudaGraphRemoveDependencies(graph: usize, from: usize, to: usize, count: usize) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.graph_disconnect)(graph, from, to, NO_DATA, count) })
    }

    fn cudaGraphNodeGetDependencies(node: usize, nodes: usize, count: usize) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.node_before)(node, nodes, NO_DATA, count) })
    }

    fn cudaGraphNodeGetDependentNodes(node: usize, nodes: usize, count: usize) {
        // SAFETY: as above.
        checked(unsafe { (bound()?.node_behind)(node, nodes, NO_DATA, count) })
    }

    fn cudaGraphAddNode(node: usize, graph: usize, behind: usize, count: usize, given: Out<AnyNode>) {
        add_any(node, graph, (behind, NO_DATA, count), given)
    }

    fn cudaGraphAddNode_v2(
        node: usize, graph: usize, behind: usize, edges: usize, count: usize, given: Out<AnyNode>,
    ) {
        add_any(node, graph, (behind, edges, count), given)
    }

    fn cudaGetDeviceProperties_v2(found: Out<OlderProperties>, device: i32) {
        driver()?;
        require_device(device)?;
        found.put(read_older()?)
    }

    fn cudaThreadGetLimit(value: Out<usize>, limit: u32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.get_limit)(value.room()?, limit) })
    }

    fn cudaThreadGetCacheConfig(config: Out<u32>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.get_cache_config)(config.room()?) })
    }

    fn cudaThreadSynchronize() {
        bound::synchronize()
    }

    fn cudaThreadExit() {
        bound::reset()
    }
}
