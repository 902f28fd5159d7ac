//! What a policy answers: start one job on one slice, or wait; each with its reason.

use crate::policy::Shortage;
use migfit_mig::Decision;

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start a job.
    Start(Start),
    /// Nothing can start until a running job ends; why.
    Wait(String),
    /// A slice is free for the next job, and not what it takes of the host.
    WaitForHost(Shortage),
}

/// A job's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Position in the queue.
    pub position: usize,
    /// On which GPU.
    pub gpu: usize,
    /// Its slice and what has to be done for it.
    pub decision: Decision,
    /// Why this slice, in a sentence.
    pub reason: String,
}
