//! Sliced size program in, the readable half of a job profile out: each allocation and launch site with its sizes as
//! formulas over named inputs. What has no formula says so with its place; `sizes` still evaluates it.

mod choice;
mod counted;
mod expression;
mod file;
mod input;
mod operators;
mod options;
mod outside;
mod overwritten;
mod packed;
mod phases;
mod scene;
mod simplify;
mod sites;
mod spots;
mod stored;
mod turns;
mod unknown;

use migfit_schema::formula::Expr;
use migfit_schema::profile::{Allocation, Launch, Unknown};
use migfit_schema::program::SizeProgram;

/// What the formulas of a program are.
#[derive(Clone, Debug, PartialEq)]
pub struct Formulas {
    /// Every allocation site.
    pub allocations: Vec<Allocation>,
    /// Every launch site.
    pub launches: Vec<Launch>,
    /// The largest sum of bytes alive at once.
    pub peak: Expr,
    /// Parts without a formula.
    pub unknowns: Vec<Unknown>,
}

impl Default for Formulas {
    /// Those of a program that takes and launches nothing.
    fn default() -> Formulas {
        Formulas {
            allocations: Vec::new(),
            launches: Vec::new(),
            peak: Expr::Int(0),
            unknowns: Vec::new(),
        }
    }
}

/// Finds them.
#[must_use]
pub fn formulas(program: &SizeProgram) -> Formulas {
    let scene = scene::Scene::of(program);
    let mut found = sites::formulas(&scene);
    found.unknowns.extend(outside::notes(&scene));
    found
}
