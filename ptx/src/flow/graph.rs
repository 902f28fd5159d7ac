//! The control flow of a flat function: its straight pieces, and which follows which.

use super::flat::{Arg, Flat, Label, Op, Step};
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;
use std::ops::Range;

/// Control flow.
#[derive(Debug)]
pub struct Graph {
    /// Steps of each piece; the first piece is where the function begins.
    pub pieces: Vec<Range<usize>>,
    /// Pieces that may follow each.
    pub successors: Vec<Vec<usize>>,
    /// The piece that each step is in.
    pub piece_of: Vec<usize>,
}

impl Graph {
    /// The control flow of a function.
    #[must_use]
    pub fn of(flat: &Flat) -> Graph {
        let count = flat.steps.len();
        let mut starts: BTreeSet<usize> = flat.labels.iter().copied().collect();
        starts.insert(0);
        let leaving = flat
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| leaves(step));
        starts.extend(leaving.map(|(nth, _)| nth + 1));
        let starts: Vec<_> = starts.into_iter().filter(|start| *start < count).collect();
        let ends = starts.iter().skip(1).copied().chain([count]);
        let pieces: Vec<_> = starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
            .collect();
        let mut piece_of = vec![0; count];
        for (nth, piece) in pieces.iter().enumerate() {
            piece.clone().for_each(|step| piece_of[step] = nth);
        }
        let piece_at = |step: usize| piece_of.get(step).copied();
        let follow = |piece: &Range<usize>| {
            let mut next = Vec::new();
            if let Some(last) = flat.steps.get(piece.end.wrapping_sub(1)) {
                let targets = targets(flat, last);
                next.extend(
                    targets
                        .iter()
                        .filter_map(|label| piece_at(flat.labels[label.0 as usize])),
                );
                if falls_through(last) {
                    next.extend(piece_at(piece.end));
                }
            }
            next.sort_unstable();
            next.dedup();
            next
        };
        let successors = pieces.iter().map(follow).collect();
        Graph {
            pieces,
            successors,
            piece_of,
        }
    }

    /// The pieces that each piece can only be reached through.
    #[must_use]
    pub fn dominators(&self) -> Option<Dominators<NodeIndex>> {
        if self.pieces.is_empty() {
            return None;
        }
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = self.pieces.iter().map(|_| graph.add_node(())).collect();
        for (from, all) in self.successors.iter().enumerate() {
            for to in all {
                graph.add_edge(nodes[from], nodes[*to], ());
            }
        }
        Some(simple_fast(&graph, nodes[0]))
    }
}

/// Whether a step may go on elsewhere than at the next one.
fn leaves(step: &Step) -> bool {
    match step.op {
        Op::Given(instruction) => matches!(
            instruction.opcode.as_str(),
            "bra" | "brx" | "ret" | "exit" | "trap"
        ),
        Op::Jump => true,
        Op::Move => false,
    }
}

/// Whether the next step may follow.
fn falls_through(step: &Step) -> bool {
    !leaves(step) || step.guard.is_some()
}

/// Labels that a step may go on at.
fn targets(flat: &Flat, step: &Step) -> Vec<Label> {
    let of = |arg: &Arg| match arg {
        Arg::Label(label) => vec![*label],
        Arg::Targets(list) => flat.targets.get(*list).cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    if leaves(step) {
        step.args.iter().flat_map(of).collect()
    } else {
        Vec::new()
    }
}
