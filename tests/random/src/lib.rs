//! What the random programs' test and its two workers say to each other, and the loop of a worker: one question a line
//! in, one reply a line out, each answered in a child process, so that a crash or a hang is a reply too.

mod child;
pub mod question;
mod serve;

pub use question::{Answer, Question, Reply, Truth};
pub use serve::serve;
