//! Writes that another write surely covers before a read: `int n = 0; fscanf(file, "%d", &n);` leaves no zero.

use crate::formula::scene::Scene;
use crate::formula::spots::{Spot, spot};
use crate::formula::stored::same_size;
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{BlockId, Op, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The writes of one function that fill the whole of what is read, and the place of the read.
pub struct Last {
    read: Position,
    /// Per block the indices of such writes.
    writes: BTreeMap<BlockId, BTreeSet<u32>>,
}

impl Last {
    /// Finds them among the writers.
    pub fn of(
        scene: &Scene<'_>,
        read: Position,
        writers: &[Position],
        target: Spot,
        ty: Type,
    ) -> Last {
        let mut writes: BTreeMap<BlockId, BTreeSet<u32>> = BTreeMap::new();
        let same = writers.iter().filter(|at| at.function == read.function);
        for at in same.filter(|at| fills(scene, **at, target, ty)) {
            writes.entry(at.block).or_default().insert(at.index);
        }
        Last { read, writes }
    }

    /// Whether no way leads from a write to the read without another write that fills the whole. Adds to `visited`
    /// the blocks that it looks at.
    pub fn hides(&self, scene: &Scene<'_>, write: Position, visited: &mut usize) -> bool {
        if write.function != self.read.function {
            return false;
        }
        let flow = scene.graphs.flow(write.function);
        let mut seen = BTreeSet::new();
        // From where in which block: the write itself, then whole blocks.
        let mut waiting = vec![(write.block, write.index + 1)];
        while let Some((block, from)) = waiting.pop() {
            *visited += 1;
            let stop = self
                .writes
                .get(&block)
                .and_then(|all| all.range(from..).next().copied());
            let reads = block == self.read.block && self.read.index >= from;
            if reads && stop.is_none_or(|stop| self.read.index <= stop) {
                return false;
            }
            if stop.is_none() {
                let next = flow.after(block).iter().copied();
                waiting.extend(next.filter(|next| seen.insert(*next)).map(|next| (next, 0)));
            }
        }
        true
    }
}

/// A store of the whole, or a number read into it.
fn fills(scene: &Scene<'_>, at: Position, target: Spot, ty: Type) -> bool {
    match instruction(scene.program, at).map(|found| &found.op) {
        Some(Op::Store {
            ty: stored,
            address,
            ..
        }) => spot(scene, at.function, *address) == Some(target) && same_size(*stored, ty),
        Some(op) => Scene::external(op).is_some_and(|(name, args)| {
            let mut targets = args.iter().skip(2);
            name.ends_with("fscanf")
                && targets.any(|value| spot(scene, at.function, *value) == Some(target))
        }),
        None => false,
    }
}
