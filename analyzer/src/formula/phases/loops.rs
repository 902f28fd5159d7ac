//! A loop in the story: what it keeps in all of its turns, and the largest that is alive within one.

use super::conditions::where_it_holds;
use super::held::{Held, State};
use super::sums::{largest, mentions, runs, sum, turns};
use super::walk::{Frame, Span, Walker};
use crate::formula::simplify::binary;
use crate::formula::unknown::{first, unknown};
use crate::slice::position::Position;
use migfit_schema::formula::{BinaryOp, Expr, LoopVar};
use migfit_schema::program::{BlockId, FunctionId};
use migfit_schema::site::Site;
use std::collections::BTreeSet;

/// How a loop is left.
struct Exits {
    /// Edges out of it.
    edges: Vec<(BlockId, BlockId)>,
    /// Where control goes on.
    next: Option<BlockId>,
    /// Between the edges and there something happens to device memory.
    works: bool,
}

impl Walker<'_> {
    /// Goes through a loop; gives where control goes on behind it.
    pub(super) fn turns_of(
        &mut self,
        function: FunctionId,
        head: BlockId,
        mut state: State,
    ) -> (State, Option<BlockId>) {
        let scene = self.scene;
        let Some(blocks) = scene.graphs.loops(function).blocks(head) else {
            return (state, None);
        };
        let exits = self.exits(function, head, blocks);
        let works = blocks
            .iter()
            .any(|block| self.eventful.block(function, *block));
        if works {
            // What stands at the head itself runs before the check that ends the loop, once more than its body.
            let apart = !self.eventful.block(function, head);
            let variable = match exits.edges.as_slice() {
                [(from, _)] if *from == head && apart => self.counted(function, head),
                _ => None,
            };
            let at_least_once = exits.edges.iter().all(|(from, _)| *from != head);
            let before = State {
                phases: Vec::new(),
                grown: false,
                ..state.clone()
            };
            self.path.push(Frame::Loop(variable.clone()));
            let span = Span {
                start: head,
                stop: Some(head),
                within: Some(head),
            };
            let body = self.region(function, span, true, before);
            self.path.pop();
            let site = self.site_of(function, head);
            match variable {
                Some(variable) => after_counted(&mut state, body, &variable, site),
                None => after_uncounted(&mut state, body, at_least_once, site),
            }
        }
        if exits.works {
            let site = self.site_of(function, head);
            state.note_phase();
            state.lose(site, "a loop that is left in several ways");
        }
        (state, exits.next)
    }

    fn exits(&self, function: FunctionId, head: BlockId, blocks: &BTreeSet<BlockId>) -> Exits {
        let control = self.scene.graphs.control(function);
        let mut edges = Vec::new();
        for from in blocks {
            let ways = control.ways(*from).iter();
            let out = ways.filter(|to| !blocks.contains(to));
            edges.extend(out.map(|to| (*from, *to)));
        }
        let mut targets: BTreeSet<BlockId> = edges.iter().map(|(_, to)| *to).collect();
        if targets.len() > 1 && self.scene.program.main == Some(function) {
            // A way that only leads out of `main` gives up: that check is taken to pass.
            targets.retain(|target| self.works_between(function, *target, None));
        }
        if targets.len() < 2 {
            return Exits {
                next: targets.first().copied(),
                edges,
                works: false,
            };
        }
        let mut next = control.join(head);
        while let Some(inside) = next.filter(|block| blocks.contains(block)) {
            next = control.join(inside);
        }
        let works = targets
            .iter()
            .any(|target| self.works_between(function, *target, next));
        Exits { edges, next, works }
    }

    /// The variable that counts the turns of a loop which is left at its head alone.
    fn counted(&self, function: FunctionId, head: BlockId) -> Option<LoopVar> {
        let body = self.scene.body(function)?;
        let at = Position {
            function,
            block: head,
            index: 0,
        };
        let phis = &body.blocks.get(head as usize)?.phis;
        phis.iter().find_map(|phi| {
            let variable = self.builder(at).counted(at, phi)?;
            turns(&variable).is_some().then_some(variable)
        })
    }
}

/// What is there behind the body and was not before it, and the other way round.
fn changes(state: &State, body: &State) -> (Vec<Held>, Vec<Held>) {
    let without = |all: &[Held], others: &[Held]| {
        let own = all.iter().filter(|held| !others.contains(held));
        own.cloned().collect::<Vec<Held>>()
    };
    (
        without(&body.held, &state.held),
        without(&state.held, &body.held),
    )
}

fn after_counted(state: &mut State, body: State, variable: &LoopVar, site: Option<Site>) {
    let (lasting, gone) = changes(state, &body);
    // What a loop of as many turns took is given back in turn; anything else that was there before is not followed.
    let in_turn = gone.iter().all(|held| !held.loops.is_empty());
    let changed = lasting
        .iter()
        .any(|held| gone.iter().any(|other| other.object == held.object));
    if !gone.is_empty() {
        state.note_phase();
    }
    let may_end = body.runs != state.runs;
    state.lost = state.lost.take().or(body.lost);
    if !in_turn || changed || may_end {
        let reason = match may_end {
            true => "a loop in which the program may end",
            false => "a loop frees what was taken before it",
        };
        state.lose(site.clone(), reason);
        state.phases.extend(state.lost.clone());
    }
    state.held.retain(|held| !gone.contains(held));
    let constant = |expr: &Expr| !mentions(expr, variable);
    for phase in body.phases {
        let phase = match lasting.as_slice() {
            _ if first(&phase).is_some() => phase,
            [] => largest(variable, phase),
            kept if constant(&phase) && kept.iter().all(|held| constant(&held.bytes)) => {
                in_the_last_turn(variable, kept, phase)
            }
            _ => {
                let reason = "a loop keeps some of its memory and frees some";
                unknown(site.clone(), reason)
            }
        };
        state.phases.push(phase);
    }
    state.grown |= !lasting.is_empty();
    state.held.extend(lasting.into_iter().map(|held| {
        let bytes = sum(variable, held.bytes);
        let mut loops = held.loops;
        loops.insert(0, variable.clone());
        Held {
            bytes,
            loops,
            ..held
        }
    }));
}

/// A phase of a turn with what all turns before the last one kept.
fn in_the_last_turn(variable: &LoopVar, kept: &[Held], phase: Expr) -> Expr {
    let Some(turns) = turns(variable) else {
        return phase;
    };
    let before = binary(BinaryOp::Sub, turns.clone(), Expr::Int(1));
    let each = super::held::total(kept.iter().map(|held| &held.bytes));
    let all = binary(BinaryOp::Add, phase, binary(BinaryOp::Mul, before, each));
    where_it_holds(&runs(turns), all)
}

/// A loop whose turns have no closed form: what happens in each of them alone is known where it makes one.
fn after_uncounted(state: &mut State, body: State, at_least_once: bool, site: Option<Site>) {
    let (lasting, gone) = changes(state, &body);
    let same = lasting.is_empty() && gone.is_empty() && body.runs == state.runs;
    state.lost = state.lost.take().or(body.lost);
    if same && (body.phases.is_empty() || at_least_once) {
        state.phases.extend(body.phases);
        return;
    }
    let reason = "a loop without a closed form takes or frees memory";
    state.note_phase();
    state.lose(site, reason);
    if !lasting.is_empty() || !body.phases.is_empty() {
        state.phases.extend(state.lost.clone());
    }
}
