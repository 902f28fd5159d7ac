//! Edges of graphs. Data of an edge (`CUgraphEdgeData`) tells of parts of a kernel; here an edge always means all of it.

use super::graph::list;
use crate::border::{In, Out};
use crate::graphs;
use crate::status::{Outcome, Status};

/// `CUgraphEdgeData`; all zero: the whole node comes before the whole other.
type EdgeData = u64;

exports! {
    fn cuGraphGetEdges(graph: usize, from: Out<usize>, to: Out<usize>, count: Out<usize>) {
        edges(graph, from, to, Out::null(), count)
    }

    fn cuGraphGetEdges_v2(graph: usize, from: Out<usize>, to: Out<usize>, data: Out<EdgeData>, count: Out<usize>) {
        edges(graph, from, to, data, count)
    }

    fn cuGraphNodeGetDependencies(node: usize, nodes: Out<usize>, count: Out<usize>) {
        neighbours(node, nodes, Out::null(), count, |(from, to)| (to, from))
    }

    fn cuGraphNodeGetDependencies_v2(node: usize, nodes: Out<usize>, data: Out<EdgeData>, count: Out<usize>) {
        neighbours(node, nodes, data, count, |(from, to)| (to, from))
    }

    fn cuGraphNodeGetDependentNodes(node: usize, nodes: Out<usize>, count: Out<usize>) {
        neighbours(node, nodes, Out::null(), count, |(from, to)| (from, to))
    }

    fn cuGraphNodeGetDependentNodes_v2(node: usize, nodes: Out<usize>, data: Out<EdgeData>, count: Out<usize>) {
        neighbours(node, nodes, data, count, |(from, to)| (from, to))
    }

    fn cuGraphAddDependencies(graph: usize, from: In<usize>, to: In<usize>, count: usize) {
        graphs::get(graph)?.connect(&pairs(&from, &to, In::null(), count)?)
    }

    fn cuGraphAddDependencies_v2(graph: usize, from: In<usize>, to: In<usize>, data: In<EdgeData>, count: usize) {
        graphs::get(graph)?.connect(&pairs(&from, &to, data, count)?)
    }

    fn cuGraphRemoveDependencies(graph: usize, from: In<usize>, to: In<usize>, count: usize) {
        graphs::get(graph)?.disconnect(&pairs(&from, &to, In::null(), count)?)
    }

    fn cuGraphRemoveDependencies_v2(graph: usize, from: In<usize>, to: In<usize>, data: In<EdgeData>, count: usize) {
        graphs::get(graph)?.disconnect(&pairs(&from, &to, data, count)?)
    }
}

/// Nodes that a caller lists with data of their edges.
pub fn behind(nodes: &In<usize>, data: In<EdgeData>, count: usize) -> Outcome<Vec<usize>> {
    (0..count)
        .map(|nth| {
            require_whole(data, nth)?;
            nodes.nth(nth)
        })
        .collect()
}

fn pairs(
    from: &In<usize>,
    to: &In<usize>,
    data: In<EdgeData>,
    count: usize,
) -> Outcome<Vec<(usize, usize)>> {
    (0..count)
        .map(|nth| {
            require_whole(data, nth)?;
            Ok((from.nth(nth)?, to.nth(nth)?))
        })
        .collect()
}

fn require_whole(data: In<EdgeData>, nth: usize) -> Outcome {
    if data.is_null() || data.nth(nth)? == 0 {
        return Ok(());
    }
    crate::log::unsupported("data of graph edges");
    Err(Status::NOT_SUPPORTED)
}

fn edges(
    graph: usize,
    from: Out<usize>,
    to: Out<usize>,
    data: Out<EdgeData>,
    count: Out<usize>,
) -> Outcome {
    let edges = graphs::get(graph)?.edges();
    let (froms, tos): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
    if from.is_null() != to.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    let room = count.first_word()?;
    list(&froms, from, count)?;
    if !to.is_null() {
        to.put_all(tos.into_iter().take(room as usize))?;
    }
    whole(data, froms.len().min(room as usize))
}

fn neighbours(
    node: usize,
    nodes: Out<usize>,
    data: Out<EdgeData>,
    count: Out<usize>,
    own_and_other: impl Fn((usize, usize)) -> (usize, usize),
) -> Outcome {
    let edges = graphs::node(node)?
        .graph()?
        .edges()
        .into_iter()
        .map(own_and_other);
    let found: Vec<_> = edges
        .filter(|(own, _)| *own == node)
        .map(|(_, other)| other)
        .collect();
    let room = if data.is_null() {
        0
    } else {
        count.first_word()?
    };
    list(&found, nodes, count)?;
    whole(data, found.len().min(room as usize))
}

/// Tells that so many edges have no data.
fn whole(data: Out<EdgeData>, count: usize) -> Outcome {
    if data.is_null() {
        return Ok(());
    }
    data.put_all(std::iter::repeat_n(0, count))
}
