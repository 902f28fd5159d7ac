//! Modules -> functions in a form to analyse and to translate: names resolved, calls in place, control flow, liveness.

mod access;
pub mod addresses;
pub mod flat;
mod flatten;
pub mod graph;
mod inline;
pub mod liveness;
pub mod program;
mod scope;
pub mod stops;

#[cfg(test)]
mod tests;
