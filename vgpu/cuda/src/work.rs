//! What a stream is asked to do. Done at once; or, while the stream is captured, put into the graph and done when that is
//! launched. It must not know how a stream is captured.

use crate::copying::{Copy, Fill};
use crate::graphs::Graph;
use crate::graphs::memory::{self, Block};
use crate::host_calls::{self, HostCall};
use crate::launching::KernelNode;
use crate::status::{Outcome, Status};
use crate::streams::{self, Stream};
use std::sync::Arc;

/// A piece of work.
#[derive(Clone)]
pub enum Work {
    /// A kernel.
    Launch(KernelNode),
    /// A copy.
    Copy(Copy),
    /// A fill.
    Fill(Fill),
    /// A call of the program's own function.
    Call(HostCall),
    /// The nodes of another graph.
    Child(Arc<Graph>),
    /// Nothing: to hang dependencies on.
    Nothing,
    /// Waiting for an event.
    Await(usize),
    /// Recording an event.
    Record(usize),
    /// Memory for the nodes behind it.
    Allocate(Arc<Block>),
    /// The end of such memory.
    Free(u64),
}

impl Work {
    /// `CUgraphNodeType`.
    pub fn kind(&self) -> u32 {
        match self {
            Work::Launch(_) => 0,
            Work::Copy(_) => 1,
            Work::Fill(_) => 2,
            Work::Call(_) => 3,
            Work::Child(_) => 4,
            Work::Nothing => 5,
            Work::Await(_) => 6,
            Work::Record(_) => 7,
            Work::Allocate(_) => 10,
            Work::Free(_) => 11,
        }
    }

    /// Other work of the same kind takes its place; a kernel keeps the attributes of its launch.
    pub fn replace(&mut self, mut other: Work) -> Outcome {
        if self.kind() != other.kind() {
            return Err(Status::INVALID_VALUE);
        }
        if let (Work::Launch(old), Work::Launch(new)) = (&*self, &mut other) {
            new.copy_attributes(old);
        }
        *self = other;
        Ok(())
    }

    /// Does it, in a stream whose earlier work is done.
    pub fn perform(&self, stream: &Stream) -> Outcome {
        match self {
            Work::Launch(node) => node.perform(),
            Work::Copy(copy) => copy.perform(),
            Work::Fill(fill) => fill.perform(),
            Work::Call(call) => {
                stream.note_call(host_calls::enqueue(*call)?);
                Ok(())
            }
            Work::Child(_) | Work::Nothing => Ok(()),
            Work::Await(event) => stream.wait_for(&*streams::event(*event)?),
            Work::Record(event) => {
                streams::event(*event)?.record(stream);
                Ok(())
            }
            Work::Allocate(block) => memory::allocate(block),
            Work::Free(address) => memory::free(*address),
        }
    }
}
