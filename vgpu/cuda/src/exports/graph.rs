//! Graphs as a whole, and what is common to all nodes.

use crate::border::Out;
use crate::graphs;
use crate::handles::Object;
use crate::status::{Outcome, Status};

exports! {
    fn cuGraphCreate(graph: Out<usize>, flags: u32) {
        crate::driver::driver()?;
        if graph.is_null() || flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        graph.put(graphs::create().handle())
    }

    fn cuGraphDestroy(graph: usize) {
        graphs::destroy(graph)
    }

    fn cuGraphClone(clone: Out<usize>, graph: usize) {
        clone.room()?;
        clone.put(graphs::get(graph)?.copy().handle())
    }

    fn cuGraphGetId(graph: usize, id: Out<u32>) {
        id.put(graphs::get(graph)?.id)
    }

    fn cuGraphGetNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) {
        list(&graphs::get(graph)?.nodes(), nodes, count)
    }

    fn cuGraphGetRootNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) {
        list(&graphs::get(graph)?.roots(), nodes, count)
    }

    fn cuGraphDestroyNode(node: usize) {
        graphs::destroy_node(node)
    }

    fn cuGraphNodeGetType(node: usize, kind: Out<u32>) {
        kind.put(graphs::node(node)?.work().kind())
    }

    fn cuGraphNodeGetContainingGraph(node: usize, graph: Out<usize>) {
        graph.put(graphs::node(node)?.graph()?.handle())
    }

    fn cuGraphNodeFindInClone(found: Out<usize>, original: usize, clone: usize) {
        found.put(graphs::get(clone)?.clone_of(original).ok_or(Status::INVALID_VALUE)?)
    }
}

/// Stores a list in an array with room for as many as `count` says, or only says how many there are. Where there is more
/// room the rest becomes null.
pub fn list(found: &[usize], room: Out<usize>, count: Out<usize>) -> Outcome {
    if room.is_null() {
        return count.put(found.len());
    }
    let most = count.first_word()? as usize;
    let filled = found.iter().copied().chain(std::iter::repeat(0));
    room.put_all(filled.take(most))?;
    count.put(found.len().min(most))
}
