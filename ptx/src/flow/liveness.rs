//! Which registers still matter at a step: those whose value is read later on.

use super::flat::{Flat, Reg, Step};
use super::graph::Graph;

/// Live registers at the end of each piece.
pub struct Liveness<'a> {
    flat: &'a Flat<'a>,
    graph: &'a Graph,
    ends: Vec<RegSet>,
}

/// A set of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegSet(Vec<u64>);

impl RegSet {
    fn empty(registers: usize) -> RegSet {
        RegSet(vec![0; registers.div_ceil(64)])
    }

    fn insert(&mut self, reg: Reg) {
        self.0[reg.0 as usize / 64] |= 1 << (reg.0 % 64);
    }

    fn remove(&mut self, reg: Reg) {
        self.0[reg.0 as usize / 64] &= !(1 << (reg.0 % 64));
    }

    fn unite(&mut self, other: &RegSet) {
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Its registers in order.
    pub fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        let bits = |(word, bits): (usize, &u64)| {
            let bits = *bits;
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| Reg(u32::try_from(word * 64 + bit).unwrap_or(u32::MAX)))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

impl<'a> Liveness<'a> {
    /// Of a function.
    #[must_use]
    pub fn of(flat: &'a Flat<'a>, graph: &'a Graph) -> Liveness<'a> {
        let registers = flat.registers.len();
        let mut starts = vec![RegSet::empty(registers); graph.pieces.len()];
        let mut ends = starts.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for piece in (0..graph.pieces.len()).rev() {
                let mut live = RegSet::empty(registers);
                for next in &graph.successors[piece] {
                    live.unite(&starts[*next]);
                }
                ends[piece] = live.clone();
                for step in flat.steps[graph.pieces[piece].clone()].iter().rev() {
                    before(step, &mut live);
                }
                if live != starts[piece] {
                    starts[piece] = live;
                    changed = true;
                }
            }
        }
        Liveness { flat, graph, ends }
    }

    /// Registers that are live behind a step.
    #[must_use]
    pub fn behind(&self, step: usize) -> RegSet {
        let piece = self.graph.piece_of[step];
        let mut live = self.ends[piece].clone();
        let end = self.graph.pieces[piece].end;
        for later in self.flat.steps[step + 1..end].iter().rev() {
            before(later, &mut live);
        }
        live
    }

    /// Registers that are live before a step.
    #[must_use]
    pub fn before(&self, step: usize) -> RegSet {
        let mut live = self.behind(step);
        before(&self.flat.steps[step], &mut live);
        live
    }
}

/// What is live before a step, given what is live behind it.
fn before(step: &Step, live: &mut RegSet) {
    let mut written = Vec::new();
    let mut read = Vec::new();
    step.access(&mut |reg| read.push(reg), &mut |reg| written.push(reg));
    // What is written under a predicate may keep its old value.
    if step.guard.is_none() {
        written.iter().for_each(|reg| live.remove(*reg));
    }
    read.iter().for_each(|reg| live.insert(*reg));
}
