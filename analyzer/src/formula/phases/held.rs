//! Device memory alive at one point of the program, by the calls that took it, and the sums at which it was freed.

use super::conditions::{ALWAYS, and, not, or, where_it_holds};
use super::sums::turns;
use crate::formula::simplify::binary;
use crate::formula::unknown::{first, has_unknown, unknown};
use crate::slice::objects::ObjectId;
use migfit_schema::formula::{BinaryOp, Expr, LoopVar};
use migfit_schema::site::Site;

/// No bytes.
const NOTHING: Expr = Expr::Int(0);

/// Memory of one call, or of all turns of one in a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// What the call made.
    pub object: Option<ObjectId>,
    /// How many bytes, 0 where there is nothing of it.
    pub bytes: Expr,
    /// The loops that made it, the outermost first.
    pub loops: Vec<LoopVar>,
}

/// What is alive.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// In the order in which it was taken.
    pub held: Vec<Held>,
    /// Sums alive before something was freed, each 0 where that was not come to.
    pub phases: Vec<Expr>,
    /// Something was taken since the last of them.
    pub grown: bool,
    /// The process still runs where this holds.
    pub runs: Expr,
    /// Why it is not known any more what is alive.
    pub lost: Option<Expr>,
}

impl State {
    /// At the start of the program.
    pub fn new() -> State {
        State {
            held: Vec::new(),
            phases: Vec::new(),
            grown: false,
            runs: ALWAYS,
            lost: None,
        }
    }

    /// What happens from here on is not followed.
    pub fn lose(&mut self, site: Option<Site>, reason: &str) {
        self.lost.get_or_insert_with(|| unknown(site, reason));
    }

    /// Takes memory.
    pub fn take(&mut self, object: Option<ObjectId>, bytes: Expr) {
        if let Some(lost) = &self.lost {
            self.phases.push(lost.clone());
        }
        let bytes = where_it_holds(&self.runs, bytes);
        self.grown = true;
        self.held.push(Held {
            object,
            bytes,
            loops: Vec::new(),
        });
    }

    /// Gives back what the only call that may have made it did, or notes that this is not told. `around`: the turns of
    /// the loops around, the outermost first; `earlier`: whether what an object's call made in an earlier turn of a loop
    /// around may be meant.
    pub fn give_back(
        &mut self,
        objects: &[ObjectId],
        around: &[Expr],
        earlier: impl Fn(ObjectId) -> bool,
        site: Option<Site>,
    ) {
        let is_held = |object: &ObjectId| self.held.iter().any(|held| held.object == Some(*object));
        let from_earlier = objects
            .iter()
            .any(|object| !is_held(object) && earlier(*object));
        let of = |held: &&Held| held.object.is_some_and(|made| objects.contains(&made));
        let mut found = self.held.iter().filter(of);
        let (first, second) = (found.next(), found.next());
        let reason = match (first, second) {
            _ if objects.is_empty() => "what is freed has no closed form",
            _ if from_earlier => "memory of an earlier turn of a loop is freed",
            (_, Some(_)) => "which of several allocations is freed has no closed form",
            // What was freed before is not there any more.
            (None, _) => return,
            (Some(one), None) if one.is_made_in_turns(around) => {
                let object = one.object;
                self.note_phase();
                self.held.retain(|held| held.object != object);
                return;
            }
            (Some(_), None) => "a part of what a loop took is freed",
        };
        self.note_phase();
        self.lose(site, reason);
    }

    /// Gives everything back.
    pub fn clear(&mut self) {
        self.note_phase();
        self.held.clear();
    }

    /// Before something is freed, and at the end: the sum that was reached.
    pub fn note_phase(&mut self) {
        if self.grown {
            let live = where_it_holds(&self.runs, self.live());
            self.phases.push(live);
            self.grown = false;
        }
    }

    /// All that is alive.
    pub fn live(&self) -> Expr {
        total(self.held.iter().map(|held| &held.bytes))
    }

    /// What comes of two ways, the first taken where the condition holds, from where they were one.
    pub fn joined(condition: &Expr, before: &State, mut yes: State, mut no: State) -> State {
        if has_unknown(condition) {
            return without_condition(condition, before, yes, no);
        }
        let other = not(condition.clone());
        let shared = before.phases.len();
        let mut phases = before.phases.clone();
        for (condition, way) in [(condition, &yes), (&other, &no)] {
            let own = way.phases.iter().skip(shared).cloned();
            phases.extend(own.map(|phase| where_it_holds(condition, phase)));
        }
        let grown = yes.grown || no.grown;
        let mut held = Vec::new();
        for one in std::mem::take(&mut yes.held) {
            match no.held.iter().position(|other| *other == one) {
                Some(at) => {
                    no.held.remove(at);
                    held.push(one);
                }
                None => held.push(one.under(condition)),
            }
        }
        held.extend(no.held.into_iter().map(|one| one.under(&other)));
        let runs = match yes.runs == no.runs {
            true => yes.runs,
            false => or(and(condition.clone(), yes.runs), and(other, no.runs)),
        };
        State {
            held,
            phases,
            grown,
            runs,
            lost: yes.lost.or(no.lost),
        }
    }

    /// The largest sum that was alive; not known where a part of it is not.
    pub fn peak(mut self) -> Expr {
        self.note_phase();
        if let Some(unknown) = self.phases.iter().find_map(first) {
            return unknown.clone();
        }
        let mut distinct: Vec<Expr> = Vec::new();
        for phase in self.phases {
            if !distinct.contains(&phase) {
                distinct.push(phase);
            }
        }
        let largest = distinct
            .into_iter()
            .reduce(|a, b| together(BinaryOp::Max, a, b));
        largest.unwrap_or(Expr::Int(0))
    }
}

impl Held {
    /// Whether the innermost of these loops are as many, and make as many turns, as those that made it.
    fn is_made_in_turns(&self, around: &[Expr]) -> bool {
        let start = around.len().checked_sub(self.loops.len());
        let inner = start.and_then(|start| around.get(start..));
        inner.is_some_and(|inner| {
            let mut both = self.loops.iter().zip(inner);
            both.all(|(made, freed)| turns(made).as_ref() == Some(freed))
        })
    }

    fn under(self, condition: &Expr) -> Held {
        Held {
            bytes: where_it_holds(condition, self.bytes),
            ..self
        }
    }
}

/// Both ways hold the same, or what comes of them is not known.
fn without_condition(condition: &Expr, before: &State, yes: State, no: State) -> State {
    if yes.held == no.held && yes.phases == no.phases && yes.runs == no.runs {
        return State {
            lost: yes.lost.or(no.lost),
            ..yes
        };
    }
    let takes = |way: &State| {
        let more = way.held.iter().any(|held| !before.held.contains(held));
        more || way.phases != before.phases
    };
    let mut joined = before.clone();
    joined.note_phase();
    joined.lost = first(condition).cloned();
    if takes(&yes) || takes(&no) || yes.runs != no.runs {
        joined.phases.extend(joined.lost.clone());
    }
    joined
}

/// The sum of amounts, equal ones as a product.
pub fn total<'e>(amounts: impl Iterator<Item = &'e Expr>) -> Expr {
    let mut counted: Vec<(i64, &Expr)> = Vec::new();
    for amount in amounts {
        match counted.iter_mut().find(|(_, known)| *known == amount) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, amount)),
        }
    }
    let products = counted
        .into_iter()
        .map(|(count, amount)| scaled(count, amount.clone()));
    let sum = products.reduce(|a, b| together(BinaryOp::Add, a, b));
    sum.unwrap_or(Expr::Int(0))
}

/// A sum or the larger of two amounts; where both are there under one condition, under that condition.
fn together(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (
            Expr::Select {
                condition,
                then: a,
                otherwise,
            },
            Expr::Select {
                condition: other,
                then: b,
                otherwise: nothing,
            },
        ) if condition == other && [&otherwise, &nothing].iter().all(|one| ***one == NOTHING) => {
            where_it_holds(&condition, together(op, *a, *b))
        }
        (a, b) => binary(op, a, b),
    }
}

/// So many times an amount, a constant factor of it multiplied out.
fn scaled(count: i64, amount: Expr) -> Expr {
    match amount {
        Expr::Binary(BinaryOp::Mul, left, right) if count > 1 => match *left {
            left @ (Expr::Int(_) | Expr::Binary(BinaryOp::Mul, ..)) => {
                binary(BinaryOp::Mul, scaled(count, left), *right)
            }
            left => {
                let whole = binary(BinaryOp::Mul, left, *right);
                binary(BinaryOp::Mul, Expr::Int(count), whole)
            }
        },
        amount => binary(BinaryOp::Mul, Expr::Int(count), amount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::formula::Input;

    fn n() -> Expr {
        Expr::Input(Input::ArgInt(1))
    }

    #[test]
    fn the_peak_is_the_largest_of_the_phases() {
        let mut state = State::new();
        state.take(Some(1), Expr::Int(100));
        state.take(Some(2), n());
        state.give_back(&[2], &[], |_| false, None);
        state.take(Some(3), Expr::Int(7));
        state.give_back(&[1], &[], |_| false, None);
        let first = binary(BinaryOp::Add, Expr::Int(100), n());
        let expected = binary(BinaryOp::Max, first, Expr::Int(107));
        assert_eq!(state.peak(), expected);
    }

    #[test]
    fn a_way_counts_where_its_condition_holds() {
        let before = State::new();
        let mut yes = before.clone();
        yes.take(Some(1), n());
        let more = binary(BinaryOp::Less, Expr::Int(2), Expr::Input(Input::ArgCount));
        let state = State::joined(&more, &before, yes, before.clone());
        assert_eq!(state.peak(), where_it_holds(&more, n()));
    }

    #[test]
    fn an_open_free_matters_only_to_what_is_taken_behind_it() {
        let mut state = State::new();
        state.take(Some(1), Expr::Int(8));
        state.take(Some(2), Expr::Int(5));
        state.give_back(&[1, 2], &[], |_| false, None);
        assert_eq!(state.clone().peak(), Expr::Int(13));
        state.take(Some(3), Expr::Int(4));
        assert!(has_unknown(&state.peak()));
    }

    #[test]
    fn what_hangs_on_one_condition_is_one_amount() {
        let more = binary(BinaryOp::Less, Expr::Int(2), Expr::Input(Input::ArgCount));
        let each = [
            where_it_holds(&more, n()),
            where_it_holds(&more, Expr::Int(5)),
        ];
        let sum = binary(BinaryOp::Add, n(), Expr::Int(5));
        assert_eq!(total(each.iter()), where_it_holds(&more, sum));
    }

    #[test]
    fn equal_amounts_are_a_product() {
        let four = || binary(BinaryOp::Mul, Expr::Int(4), n());
        let twice = total([four(), four()].iter());
        assert_eq!(twice, binary(BinaryOp::Mul, Expr::Int(8), n()));
    }
}
