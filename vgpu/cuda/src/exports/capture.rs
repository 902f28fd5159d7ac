//! Capture of streams into graphs.

use crate::border::{In, Out};
use crate::capture::{self, Capture};
use crate::graphs::{self, Graph};
use crate::handles::Object;
use crate::status::{Outcome, Status};
use crate::streams::{self, Stream};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::sync::Arc;

const NONE: u32 = 0;
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

exports! {
    fn cuStreamBeginCapture(stream: usize) {
        begin(stream, capture::GLOBAL)
    }

    fn cuStreamBeginCapture_v2(stream: usize, mode: u32) {
        begin(stream, mode)
    }

    fn cuStreamBeginCaptureToGraph(
        stream: usize, graph: usize, behind: In<usize>, _edges: usize, count: usize, mode: u32,
    ) {
        let nodes = (0..count).map(|nth| behind.nth(nth)).collect::<Outcome<BTreeSet<_>>>()?;
        let graph = graphs::get(graph)?;
        if !nodes.iter().all(|node| graph.nodes().contains(node)) {
            return Err(Status::INVALID_VALUE);
        }
        capture::begin(stream, graph, nodes, mode)
    }

    fn cuStreamEndCapture(stream: usize, graph: Out<usize>) {
        graph.room()?;
        match capture::end(stream) {
            Ok(made) => graph.put(made.handle()),
            Err(status) => {
                graph.put(0)?;
                Err(status)
            }
        }
    }

    fn cuStreamIsCapturing(stream: usize, status: Out<u32>) {
        status.put(describe(&*streams::get(stream)?).0)
    }

    fn cuStreamGetCaptureInfo(stream: usize, status: Out<u32>, id: Out<u64>) {
        info(stream, &status, &id, Out::null()).map(drop)
    }

    fn cuStreamGetCaptureInfo_v2(
        stream: usize, status: Out<u32>, id: Out<u64>, graph: Out<usize>, nodes: Out<usize>, count: Out<usize>,
    ) {
        tell_ends(info(stream, &status, &id, graph)?, &nodes, &count);
        Ok(())
    }

    fn cuStreamGetCaptureInfo_v3(
        stream: usize, status: Out<u32>, id: Out<u64>, graph: Out<usize>, nodes: Out<usize>, edges: Out<usize>,
        count: Out<usize>,
    ) {
        edges.offer(0);
        tell_ends(info(stream, &status, &id, graph)?, &nodes, &count);
        Ok(())
    }

    fn cuStreamUpdateCaptureDependencies(stream: usize, nodes: In<usize>, count: usize, flags: u32) {
        update(stream, &nodes, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2(
        stream: usize, nodes: In<usize>, _edges: usize, count: usize, flags: u32,
    ) {
        update(stream, &nodes, count, flags)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        let before = capture::exchange_mode(mode.first_word()?)?;
        mode.put(before)
    }
}

fn begin(stream: usize, mode: u32) -> Outcome {
    let graph = graphs::create();
    let begun = capture::begin(stream, Arc::clone(&graph), BTreeSet::new(), mode);
    match begun {
        Ok(()) => Ok(()),
        Err(status) => graphs::destroy(graph.handle()).and(Err(status)),
    }
}

/// Its status in the interface's numbers, and the capture that it is part of.
fn describe(stream: &Stream) -> (u32, Option<Arc<Capture>>) {
    match capture::state(stream) {
        None => (NONE, None),
        Some((capture, true)) => (ACTIVE, Some(capture)),
        Some((capture, false)) => (INVALIDATED, Some(capture)),
    }
}

/// Tells of a capture, and gives the nodes that what comes next depends on.
fn info(stream: usize, status: &Out<u32>, id: &Out<u64>, graph: Out<usize>) -> Outcome<Vec<usize>> {
    let stream = streams::get(stream)?;
    let (state, capture) = describe(&stream);
    status.put(state)?;
    let Some(capture) = capture.filter(|_| state == ACTIVE) else {
        return Ok(Vec::new());
    };
    id.offer(capture.id);
    graph.offer(Graph::handle(&capture.graph));
    Ok(capture.ends(&stream).into_iter().collect())
}

/// The list lives until the thread asks again, as the interface says it does until the next call on the stream.
fn tell_ends(ends: Vec<usize>, nodes: &Out<usize>, count: &Out<usize>) {
    thread_local! {
        static TOLD: RefCell<ManuallyDrop<Vec<usize>>> =
            const { RefCell::new(ManuallyDrop::new(Vec::new())) };
    }
    count.offer(ends.len());
    TOLD.with_borrow_mut(|told| {
        **told = ends;
        nodes.offer(told.as_ptr().expose_provenance());
    });
}

fn update(stream: usize, nodes: &In<usize>, count: usize, flags: u32) -> Outcome {
    const SET: u32 = 1;
    let stream = streams::get(stream)?;
    let capture = capture::of(&stream)?.ok_or(Status::ILLEGAL_STATE)?;
    let nodes = (0..count)
        .map(|nth| nodes.nth(nth))
        .collect::<Outcome<BTreeSet<_>>>()?;
    if !nodes
        .iter()
        .all(|node| capture.graph.nodes().contains(node))
    {
        return Err(Status::INVALID_VALUE);
    }
    capture.set_ends(&stream, nodes, flags != SET);
    Ok(())
}
