//! `migfit run --plan`: who would go where and why, without a GPU; and what `migfit simulate` has in common with it.
//! Reads job files and programs, writes nothing. In the order in which things happen.

mod needs;

mod made;

mod notes;

mod reason;

mod text;

mod json;

mod verb;

pub use verb::plan;
