//! The program text as it grows, with what is in scope where.

use super::types::Type;
use fastrand::Rng;

/// A variable that can be read, and written unless it counts a loop.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub kind: Type,
    pub fixed: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub gives: Option<Type>,
    pub takes: Vec<Type>,
    /// Statements that one call executes at most.
    pub cost: u64,
}

/// What is written so far.
pub struct Text {
    pub random: Rng,
    pub out: String,
    pub depth: usize,
    pub scopes: Vec<Vec<Variable>>,
    pub functions: Vec<Function>,
    /// Product of the turns of the loops around this place.
    pub turns: u64,
    /// Statements that the function being written executes at most.
    pub cost: u64,
    pub loops: usize,
    names: u32,
}

/// Number of elements of each array; a power of two, so that an index is masked.
pub const ELEMENTS: u32 = 8;
/// Places for device pointers.
pub const SLOTS: u32 = 6;
/// Kernels that are declared.
pub const KERNELS: u32 = 3;
/// Statements that a whole program executes at most.
pub const PATIENCE: u64 = 60_000;

impl Text {
    pub fn new(seed: u64) -> Text {
        Text {
            random: Rng::with_seed(seed),
            out: String::new(),
            depth: 0,
            scopes: vec![Vec::new()],
            functions: Vec::new(),
            turns: 1,
            cost: 0,
            loops: 0,
            names: 0,
        }
    }

    pub fn line(&mut self, line: &str) {
        self.out.push_str(&"    ".repeat(self.depth));
        self.out.push_str(line);
        self.out.push('\n');
    }

    pub fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.depth += 1;
        self.scopes.push(Vec::new());
    }

    pub fn close(&mut self, end: &str) {
        self.scopes.pop();
        self.depth -= 1;
        self.line(&format!("}}{end}"));
    }

    pub fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    pub fn declare(&mut self, name: String, kind: Type, fixed: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Variable { name, kind, fixed });
        }
    }

    pub fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(..100) < percent
    }

    pub fn below(&mut self, end: u32) -> u32 {
        self.random.u32(..end)
    }

    /// A variable in scope that can be written to.
    pub fn writable(&mut self) -> Option<Variable> {
        let all: Vec<&Variable> = self.scopes.iter().flatten().filter(|v| !v.fixed).collect();
        let chosen = (!all.is_empty()).then(|| self.random.usize(..all.len()));
        chosen.map(|at| all[at].clone())
    }

    /// A variable in scope.
    pub fn readable(&mut self) -> Option<Variable> {
        let all: Vec<&Variable> = self.scopes.iter().flatten().collect();
        let chosen = (!all.is_empty()).then(|| self.random.usize(..all.len()));
        chosen.map(|at| all[at].clone())
    }

    /// Whether something that costs so much may still be put here.
    pub fn can_pay(&self, cost: u64) -> bool {
        self.cost + self.turns * cost < PATIENCE
    }

    pub fn pay(&mut self, cost: u64) {
        self.cost += self.turns * cost;
    }
}
