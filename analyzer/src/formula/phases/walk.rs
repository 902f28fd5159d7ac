//! The walk from `main`'s start to its end, through calls, branches and loops. Checks that lead to a failing exit alone
//! are taken to pass, as in the slice.

use super::conditions::{ALWAYS, and, where_it_holds};
use super::held::State;
use super::sums::{is_open, sum, turns};
use crate::formula::expression::Builder;
use crate::formula::scene::Scene;
use crate::formula::sites::size;
use crate::formula::unknown::{has_unknown, unknown};
use crate::ir::stubs::people_name;
use crate::slice::control::exits_without_failing;
use crate::slice::event::is_event;
use crate::slice::eventful::Eventful;
use crate::slice::position::{Position, instruction, instructions};
use migfit_schema::formula::{Expr, LoopVar};
use migfit_schema::program::{BlockId, FunctionId, Op, Operand};
use migfit_schema::site::Site;
use std::collections::HashMap;

/// Blocks that are come to before the walk is given up.
const MOST_BLOCKS: usize = 20_000;
/// Regions within regions that are walked through; the machine's stack holds twice as many.
const MOST_NESTED: usize = 200;
/// Calls of calls deeper than this are not followed.
const DEEPEST: usize = 24;

/// What the walk tells of a program.
pub struct Story {
    /// The largest sum of bytes alive at once.
    pub peak: Expr,
    /// Of each allocation and each push of a launch's configuration: the visits.
    pub visits: HashMap<Position, Vec<Visit>>,
}

/// One visit of a call.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Where this is 0 the call is not come to.
    pub condition: Expr,
    /// Bytes that it takes in all turns of the loops around it.
    pub total: Expr,
}

/// What stands around a place on the way to it.
pub(super) enum Frame {
    /// A condition that holds.
    If(Expr),
    /// A loop, with its variable where it counts.
    Loop(Option<LoopVar>),
}

/// A part of a function that is walked through.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// Its first block.
    pub start: BlockId,
    /// Where it ends; at the end of the function.
    pub stop: Option<BlockId>,
    /// The head of the loop that it lies in.
    pub within: Option<BlockId>,
}

/// The walk on its way.
pub(super) struct Walker<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) eventful: Eventful,
    pub(super) path: Vec<Frame>,
    calls: Vec<Position>,
    inside: Vec<FunctionId>,
    visits: HashMap<Position, Vec<Visit>>,
    blocks: usize,
    /// Regions within regions that are walked through now.
    depth: usize,
}

/// Tells the story of a program.
pub fn story<'a>(scene: &'a Scene<'a>) -> Story {
    let mut walker = Walker {
        scene,
        eventful: Eventful::of(scene.program, scene.all_calls()),
        path: Vec::new(),
        calls: Vec::new(),
        inside: Vec::new(),
        visits: HashMap::new(),
        blocks: 0,
        depth: 0,
    };
    let mut state = State::new();
    let constructors = scene.program.constructors.iter().copied();
    for function in constructors.chain(scene.program.main) {
        if walker.eventful.function(function) {
            state = walker.function(function, state);
        }
    }
    let mut peak = state.peak();
    if !walker.has_come_everywhere() {
        peak = unknown(
            None,
            "a call that takes memory was not come to on the ways that were followed",
        );
    }
    if scene.all_calls().works_at_exit {
        peak = unknown(None, "something may be taken when the process ends");
    }
    if is_open(&peak, &mut Vec::new()) {
        peak = unknown(
            None,
            "a size changes in a loop in another way than by a fixed step",
        );
    }
    Story {
        peak,
        visits: walker.visits,
    }
}

impl<'a> Walker<'a> {
    /// Whether every call whose size has a formula was come to.
    fn has_come_everywhere(&self) -> bool {
        let scene = self.scene;
        instructions(scene.program).all(|(at, found)| {
            self.visits.contains_key(&at)
                || Scene::external(&found.op).is_none_or(|(name, args)| {
                    !is_event(scene.program, &found.op)
                        || size(scene, self.builder(at), at, name, &args).is_none()
                })
        })
    }

    /// A builder of expressions for a place, which knows by which calls it was come to.
    pub(super) fn builder(&self, at: Position) -> Builder<'a> {
        Builder::at(self.scene, at).called_by(&self.calls)
    }

    pub(super) fn site_of(&self, function: FunctionId, block: BlockId) -> Option<Site> {
        let block = self.scene.body(function)?.blocks.get(block as usize)?;
        self.scene.site(block.end_place)
    }

    fn function(&mut self, function: FunctionId, mut state: State) -> State {
        if self.inside.contains(&function) {
            state.note_phase();
            state.lose(None, "a function that calls itself");
            state.phases.extend(state.lost.clone());
            return state;
        }
        if self.inside.len() > DEEPEST {
            state.lose(None, "calls are nested too deeply");
            state.phases.extend(state.lost.clone());
            return state;
        }
        self.inside.push(function);
        let all = Span {
            start: 0,
            stop: None,
            within: None,
        };
        let state = self.region(function, all, false, state);
        self.inside.pop();
        state
    }

    /// Walks through a part of a function; `enters`: its first block may be where it ends.
    pub(super) fn region(
        &mut self,
        function: FunctionId,
        span: Span,
        enters: bool,
        state: State,
    ) -> State {
        self.depth += 1;
        let state = self.along(function, span, enters, state);
        self.depth -= 1;
        state
    }

    fn along(&mut self, function: FunctionId, span: Span, enters: bool, mut state: State) -> State {
        let mut block = span.start;
        let mut first = enters;
        loop {
            if Some(block) == span.stop && !first {
                return state;
            }
            first = false;
            self.blocks += 1;
            if self.blocks > MOST_BLOCKS || self.depth > MOST_NESTED {
                state.lose(None, "a long computation");
                state.phases.extend(state.lost.clone());
                return state;
            }
            let is_head = self.scene.graphs.loops(function).blocks(block).is_some();
            let next;
            if is_head && span.within != Some(block) {
                (state, next) = self.turns_of(function, block, state);
            } else {
                state = self.block(function, block, state);
                (state, next) = self.branch(function, block, span, state);
            }
            match next {
                Some(next) => block = next,
                None => return state,
            }
        }
    }

    fn block(&mut self, function: FunctionId, block: BlockId, mut state: State) -> State {
        let scene = self.scene;
        let Some(found) = scene
            .body(function)
            .and_then(|body| body.blocks.get(block as usize))
        else {
            return state;
        };
        for (index, one) in (0u32..).zip(&found.ops) {
            let at = Position {
                function,
                block,
                index,
            };
            if exits_without_failing(one) {
                state.note_phase();
                state.runs = Expr::Int(0);
            }
            match Scene::external(&one.op) {
                Some((name, args)) => self.call(at, name, &args, &mut state),
                None => state = self.inner_call(at, &one.op, state),
            }
        }
        state
    }

    fn inner_call(&mut self, at: Position, op: &Op, mut state: State) -> State {
        let targets = self.scene.all_calls().targets(at);
        let works = |target: &&FunctionId| self.eventful.function(**target);
        if !matches!(op, Op::Call { .. }) || !targets.iter().any(|target| works(&target)) {
            return state;
        }
        match targets {
            [only] => {
                self.calls.push(at);
                state = self.function(*only, state);
                self.calls.pop();
            }
            _ => self.lose(at, &mut state, "a call of one of several functions"),
        }
        state
    }

    fn lose(&self, at: Position, state: &mut State, reason: &str) {
        let place = instruction(self.scene.program, at).map(|found| found.place);
        state.note_phase();
        state.lose(place.and_then(|place| self.scene.site(place)), reason);
        state.phases.extend(state.lost.clone());
    }

    /// What a call outside the program does to device memory.
    fn call(&mut self, at: Position, name: &str, args: &[Operand], state: &mut State) {
        let scene = self.scene;
        if let Some(bytes) = size(scene, self.builder(at), at, name, args) {
            self.visit(at, &state.runs, &bytes);
            state.take(scene.memory_made_by(at), bytes);
            return;
        }
        match name.strip_suffix("_ptsz").unwrap_or(name) {
            "__cudaPushCallConfiguration" => self.visit(at, &state.runs, &Expr::Int(0)),
            "cudaFree" | "cudaFreeAsync" | "cuMemFree_v2" | "cuMemFreeAsync" | "cudaFreeArray" => {
                let pointer = args.first().copied().unwrap_or(Operand::Const(0));
                if pointer != Operand::Const(0) {
                    self.free(at, pointer, state);
                }
            }
            "cudaDeviceReset" => state.clear(),
            _ if is_harmless(name) => {}
            _ => {
                let found = instruction(scene.program, at);
                let is_event = found.is_some_and(|found| is_event(scene.program, &found.op));
                let targets = scene.all_calls().targets(at);
                if is_event || targets.iter().any(|target| self.eventful.function(*target)) {
                    let reason = format!("what {} takes has no formula", people_name(name));
                    self.lose(at, state, &reason);
                }
            }
        }
    }

    fn free(&self, at: Position, pointer: Operand, state: &mut State) {
        let scene = self.scene;
        let all = scene.pointers.of(at.function, pointer).into_iter();
        let made: Vec<usize> = all
            .filter(|object| scene.made_at(*object).is_some())
            .collect();
        let place = instruction(scene.program, at).map(|found| found.place);
        let site = place.and_then(|place| scene.site(place));
        let mut around: Vec<Expr> = Vec::new();
        for frame in &self.path {
            match frame {
                Frame::Loop(Some(variable)) => around.extend(turns(variable)),
                Frame::Loop(None) => around.clear(),
                Frame::If(_) => {}
            }
        }
        let in_loop = self
            .path
            .iter()
            .any(|frame| matches!(frame, Frame::Loop(_)));
        let earlier = |object| in_loop && self.may_be_made_again(at, object);
        state.give_back(&made, &around, earlier, site);
    }

    /// Whether a call stands in a loop that an instruction stands in, too; one in another function may.
    fn may_be_made_again(&self, at: Position, object: usize) -> bool {
        let Some(made) = self.scene.made_at(object) else {
            return true;
        };
        let loops = self.scene.graphs.loops(at.function);
        let mut around = loops.around(at.block).iter();
        made.function != at.function
            || around.any(|head| {
                let blocks = loops.blocks(*head);
                blocks.is_some_and(|blocks| blocks.contains(&made.block))
            })
    }

    /// Notes under which conditions a call is come to, and what it takes in all turns of the loops around it.
    fn visit(&mut self, at: Position, runs: &Expr, bytes: &Expr) {
        let mut total = bytes.clone();
        for frame in self.path.iter().rev() {
            total = match frame {
                Frame::If(condition) if has_unknown(condition) && total != Expr::Int(0) => {
                    unknown(None, "a condition without a closed form")
                }
                Frame::If(condition) => where_it_holds(condition, total),
                Frame::Loop(Some(variable)) => sum(variable, total),
                Frame::Loop(None) => unknown(None, "a loop without a closed form"),
            };
        }
        if is_open(&total, &mut Vec::new()) {
            total = unknown(
                None,
                "a size changes in a loop in another way than by a fixed step",
            );
        }
        let outside = self.path.iter().map_while(|frame| match frame {
            Frame::If(condition) => Some(condition),
            Frame::Loop(_) => None,
        });
        let known = outside.filter(|condition| !has_unknown(condition));
        let mut condition = known.cloned().fold(ALWAYS, and);
        if !has_unknown(runs) && !is_open(runs, &mut Vec::new()) {
            condition = and(condition, runs.clone());
        }
        let visit = Visit {
            condition,
            total: where_it_holds(runs, total),
        };
        self.visits.entry(at).or_default().push(visit);
    }
}

/// Calls that count for other reasons than memory.
fn is_harmless(name: &str) -> bool {
    const STARTS: [&str; 13] = [
        "cudaLaunch",
        "cuLaunch",
        "cudaSetDevice",
        "cudaDeviceSetLimit",
        "cuCtxSetLimit",
        "cudaFuncSet",
        "cuFuncSet",
        "cudaEvent",
        "cudaStream",
        "cuStream",
        "cuEvent",
        "cudaMemcpy",
        "cudaMemset",
    ];
    STARTS.iter().any(|start| name.starts_with(start))
}
