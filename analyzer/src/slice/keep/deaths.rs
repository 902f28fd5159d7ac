//! Accesses through what may be a null pointer: the program is killed there, and takes no more. They decide no size, so
//! nothing else keeps them; where all that they are made of is kept already or costs next to nothing, they are.

use super::checks::Part;
use super::keeper::Keeper;
use crate::slice::definitions::Definition;
use crate::slice::objects::Objects;
use crate::slice::position::{Position, instruction, of_function, read};
use migfit_schema::program::{Callee, FunctionId, Op, Operand, Reg};
use std::collections::HashSet;

/// Addresses below are those of no object.
const FIRST_PAGE: u64 = 4096;
/// Values looked at for one address.
const MOST: usize = 50;

/// Values on the way.
type Seen = HashSet<(FunctionId, Reg)>;

impl Keeper<'_> {
    /// Keeps the accesses in every function in which something is kept, as far as they are cheap.
    pub(super) fn cheap_deaths(&mut self) {
        let program = self.known.program;
        let mut found = Vec::new();
        for (function, body) in (0u32..).zip(&program.functions) {
            let is_main = program.main == Some(function);
            if is_main || self.kept.active.contains(&function) {
                let all = of_function(function, body);
                let deaths = all.filter(|(at, found)| self.is_cheap_death(*at, &found.op));
                found.extend(deaths.map(|(at, _)| at));
            }
        }
        for at in found {
            self.effect(at);
        }
    }

    fn is_cheap_death(&self, at: Position, op: &Op) -> bool {
        let graphs = self.known.graphs;
        let mut seen = Seen::new();
        let may_kill = pointers(op)
            .into_iter()
            .any(|pointer| self.may_be_null(at.function, pointer, &mut seen));
        if !may_kill
            || !graphs.control(at.function).is_live(at.block)
            || !self.is_seldom(at.function, at.block)
        {
            return false;
        }
        let mut parts = vec![Part::Arrival(at.function, at.block)];
        let values = read(op).into_iter();
        parts.extend(values.map(|value| Part::Value(at.function, value)));
        self.are_cheap(parts)
    }

    /// Whether a null pointer is among what a value may be, by what is written in the code: a constant, a word of the
    /// command line, what a search did not find.
    fn may_be_null(&self, function: FunctionId, value: Operand, seen: &mut Seen) -> bool {
        let register = match value {
            Operand::Const(bits) => return bits < FIRST_PAGE,
            Operand::Reg(register) => register,
            _ => return false,
        };
        if seen.len() > MOST || !seen.insert((function, register)) {
            return false;
        }
        match self.definitions.get(function, register) {
            Some(Definition::Phi(_, phi)) => {
                let mut incoming = phi.incoming.iter();
                incoming.any(|(_, value)| self.may_be_null(function, *value, seen))
            }
            Some(Definition::Op(at, op, _)) => self.gives_null(at, op, seen),
            Some(Definition::Parameter(index)) => self.is_given_null(function, index, seen),
            None => false,
        }
    }

    fn gives_null(&self, at: Position, op: &Op, seen: &mut Seen) -> bool {
        const NOT_FOUND: [&str; 7] = [
            "getenv", "strchr", "strrchr", "strstr", "strpbrk", "strtok", "memchr",
        ];
        match op {
            Op::Copy { a, .. } | Op::Cast { a, .. } | Op::Offset { base: a, .. } => {
                self.may_be_null(at.function, *a, seen)
            }
            Op::Select { a, b, .. } => {
                self.may_be_null(at.function, *a, seen) || self.may_be_null(at.function, *b, seen)
            }
            Op::Load { .. } => self.known.memory.reads(at).contains(&Objects::ARGUMENTS),
            Op::Call {
                callee: Callee::External(name),
                ..
            } => NOT_FOUND.contains(&name.as_str()),
            _ => false,
        }
    }

    fn is_given_null(&self, function: FunctionId, index: usize, seen: &mut Seen) -> bool {
        if self.known.program.main == Some(function) {
            return false;
        }
        self.known.calls.sites(function).iter().any(|at| {
            match instruction(self.known.program, *at).map(|found| &found.op) {
                Some(Op::Call {
                    callee: Callee::Function(_) | Callee::Indirect(_),
                    args,
                    ..
                }) => {
                    let given = args.get(index);
                    given.is_some_and(|(value, _)| self.may_be_null(at.function, *value, seen))
                }
                _ => false,
            }
        })
    }
}

/// The pointers that an instruction goes through, whatever else it does.
fn pointers(op: &Op) -> Vec<Operand> {
    match op {
        Op::Load { address, .. } | Op::Store { address, .. } => vec![*address],
        Op::Call {
            callee: Callee::External(name),
            args,
            ..
        } => {
            let given = args.iter().map(|(value, _)| *value);
            given.take(texts(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// How many arguments of a function are texts that it reads to tell something of them.
fn texts(name: &str) -> usize {
    let name = name.strip_prefix("__isoc23_").unwrap_or(name);
    match name {
        "atoi" | "atol" | "atoll" | "atof" | "strtol" | "strtoul" | "strtoll" | "strtoull"
        | "strtod" | "strtof" | "strlen" | "strchr" | "strrchr" => 1,
        "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "strstr" => 2,
        _ => 0,
    }
}
