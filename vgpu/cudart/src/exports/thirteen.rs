//! Functions whose form changed with CUDA 13: as CUDA 13 has them.

use crate::border::Out;
use crate::bound::require_device;
use crate::driver::driver;
use crate::exports::graph_any::{AnyNode, add_any};
use crate::properties::{self, Properties};
use crate::structures::Location;

forwards! {
    fn cudaMemPrefetchAsync(address: u64, bytes: usize, place: Location, flags: u32, stream: usize) => prefetch;
    fn cudaMemAdvise(address: u64, bytes: usize, advice: u32, place: Location) => advise;
    fn cudaStreamGetCaptureInfo(stream: usize, status: usize, id: usize, graph: usize, nodes: usize, edges: usize, count: usize) => capture_info;
    fn cudaStreamUpdateCaptureDependencies(stream: usize, nodes: usize, edges: usize, count: usize, flags: u32) => capture_update;
    fn cudaGraphGetEdges(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_edges;
    fn cudaGraphAddDependencies(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_connect;
    fn cudaGraphRemoveDependencies(graph: usize, from: usize, to: usize, data: usize, count: usize) => graph_disconnect;
    fn cudaGraphNodeGetDependencies(node: usize, nodes: usize, data: usize, count: usize) => node_before;
    fn cudaGraphNodeGetDependentNodes(node: usize, nodes: usize, data: usize, count: usize) => node_behind;
}

exports! {
    fn cudaGraphAddNode(
        node: usize, graph: usize, behind: usize, edges: usize, count: usize, given: Out<AnyNode>,
    ) {
        add_any(node, graph, (behind, edges, count), given)
    }

    fn cudaGetDeviceProperties(found: Out<Properties>, device: i32) {
        driver()?;
        require_device(device)?;
        found.put(properties::read()?)
    }
}
