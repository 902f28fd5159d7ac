//! The program read from its start to its end as phases of device memory: what is alive when, under which condition
//! each site runs, and the largest sum alive as one formula.

mod branches;
mod conditions;
mod held;
mod loops;
mod sums;
mod walk;

pub use conditions::or as either;
pub use walk::{Story, story};
