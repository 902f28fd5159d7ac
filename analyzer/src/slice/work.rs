//! Which blocks take device memory or launch, by themselves or in a function that they call by its name. Where such a
//! block only leads to a failing exit, that is still an end that a run may come to with what it did.

use crate::slice::event::{is_opaque, takes_or_launches};
use crate::slice::position::instructions;
use migfit_schema::program::{Callee, Op, SizeProgram};
use std::collections::HashMap;

/// Per function, per block: whether it works.
pub fn working(program: &SizeProgram) -> Vec<Vec<bool>> {
    let functions = program.functions.iter();
    let mut working: Vec<Vec<bool>> = functions.map(|one| vec![false; one.blocks.len()]).collect();
    let mut sites: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    let mut waiting = Vec::new();
    for (at, found) in instructions(program) {
        let place = (at.function, at.block);
        if takes_or_launches(program, &found.op) && !is_opaque(program, &found.op) {
            waiting.push(place);
        }
        if let Op::Call {
            callee: Callee::Function(id),
            ..
        } = &found.op
        {
            sites.entry(*id).or_default().push(place);
        }
    }
    while let Some((function, block)) = waiting.pop() {
        let blocks = working.get_mut(function as usize);
        if let Some(works) = blocks.and_then(|blocks| blocks.get_mut(block as usize)) {
            *works = true;
            waiting.extend(sites.remove(&function).into_iter().flatten());
        }
    }
    working
}
