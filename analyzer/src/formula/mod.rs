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
mod scene;
mod simplify;
mod sites;
mod stored;
mod turns;
mod unknown;

use migfit_schema::profile::{Allocation, Launch, Unknown};
use migfit_schema::program::SizeProgram;

/// What the formulas of a program are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formulas {
    /// Every allocation site.
    pub allocations: Vec<Allocation>,
    /// Every launch site.
    pub launches: Vec<Launch>,
    /// Parts without a formula.
    pub unknowns: Vec<Unknown>,
}

/// Finds them.
#[must_use]
pub fn formulas(program: &SizeProgram) -> Formulas {
    let scene = scene::Scene::of(program);
    let mut found = sites::formulas(&scene);
    found.unknowns.extend(outside::notes(&scene));
    found
}
