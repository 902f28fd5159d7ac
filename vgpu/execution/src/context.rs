//! What compiled code knows of the launch and block that it runs: read at fixed offsets.

use std::mem::offset_of;

/// State of a thread that goes on at its first instruction.
pub const START: u32 = 0;
/// Mark of a state: the thread waits, and what for is in its request.
pub const WAITING: u32 = 1 << 31;
/// Mark of a state, beside `WAITING`: it waits for all threads of the block at barrier 0.
pub const AT_BARRIER: u32 = 1 << 30;
/// State of a thread that has ended.
pub const ENDED: u32 = u32::MAX;

/// A launch and the block of it that runs.
#[repr(C)]
pub struct Context {
    /// The kernel's parameters.
    pub parameters: u64,
    /// The block of the program's variables.
    pub variables: u64,
    /// Shared memory of the block.
    pub shared: u64,
    /// Frames of the block's threads.
    pub frames: u64,
    /// Bytes of a frame.
    pub frame_size: u64,
    /// States of the block's threads.
    pub states: u64,
    /// Threads of a block by dimension.
    pub block_size: [u32; 3],
    /// Blocks by dimension.
    pub grid_size: [u32; 3],
    /// The block.
    pub block: [u32; 3],
    /// The thread that runs, by its number in the block.
    pub thread: u32,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bytes of shared memory in all.
    pub total_shared: u32,
    /// Number of the launch.
    pub grid_id: u64,
    /// The multiprocessor that the block is on, and how many there are.
    pub sm: u32,
    /// How many multiprocessors there are.
    pub sms: u32,
    /// The `FaultKind` that a trap stands for, plus 1.
    pub fault: u32,
    /// Counters of the code that is run.
    pub counters: u64,
}

/// Offsets of the parts that compiled code reads.
pub mod offset {
    use super::{Context, offset_of};

    pub const PARAMETERS: i32 = offset_of!(Context, parameters) as i32;
    pub const VARIABLES: i32 = offset_of!(Context, variables) as i32;
    pub const SHARED: i32 = offset_of!(Context, shared) as i32;
    pub const FRAMES: i32 = offset_of!(Context, frames) as i32;
    pub const FRAME_SIZE: i32 = offset_of!(Context, frame_size) as i32;
    pub const STATES: i32 = offset_of!(Context, states) as i32;
    pub const BLOCK_SIZE: i32 = offset_of!(Context, block_size) as i32;
    pub const GRID_SIZE: i32 = offset_of!(Context, grid_size) as i32;
    pub const BLOCK: i32 = offset_of!(Context, block) as i32;
    pub const THREAD: i32 = offset_of!(Context, thread) as i32;
    pub const DYNAMIC_SHARED: i32 = offset_of!(Context, dynamic_shared) as i32;
    pub const TOTAL_SHARED: i32 = offset_of!(Context, total_shared) as i32;
    pub const GRID_ID: i32 = offset_of!(Context, grid_id) as i32;
    pub const SM: i32 = offset_of!(Context, sm) as i32;
    pub const SMS: i32 = offset_of!(Context, sms) as i32;
    pub const FAULT: i32 = offset_of!(Context, fault) as i32;
    pub const COUNTERS: i32 = offset_of!(Context, counters) as i32;
}

/// What a waiting thread asks of the others; it stands first in the thread's frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// What it waits for: one of `request::…`.
    pub kind: u32,
    /// Threads of the warp that take part.
    pub mask: u32,
    /// Its value.
    pub value: u64,
    /// First further operand: lane, barrier.
    pub first: u32,
    /// Second further operand: clamp, count of threads.
    pub second: u32,
    /// What it gets.
    pub result: u64,
    /// The predicate that it gets.
    pub predicate: u32,
    /// Unused.
    pub pad: u32,
}

/// Offsets of the parts of a request.
pub mod request_offset {
    use super::{Request, offset_of};

    pub const KIND: i32 = offset_of!(Request, kind) as i32;
    pub const MASK: i32 = offset_of!(Request, mask) as i32;
    pub const VALUE: i32 = offset_of!(Request, value) as i32;
    pub const FIRST: i32 = offset_of!(Request, first) as i32;
    pub const SECOND: i32 = offset_of!(Request, second) as i32;
    pub const RESULT: i32 = offset_of!(Request, result) as i32;
    pub const PREDICATE: i32 = offset_of!(Request, predicate) as i32;
}

/// Kinds of requests.
pub mod request {
    /// Shuffles.
    pub const SHUFFLE_UP: u32 = 1;
    pub const SHUFFLE_DOWN: u32 = 2;
    pub const SHUFFLE_BUTTERFLY: u32 = 3;
    pub const SHUFFLE_INDEX: u32 = 4;
    /// Votes.
    pub const VOTE_ALL: u32 = 5;
    pub const VOTE_ANY: u32 = 6;
    pub const VOTE_UNIFORM: u32 = 7;
    pub const VOTE_BALLOT: u32 = 8;
    /// Matches.
    pub const MATCH_ANY: u32 = 9;
    pub const MATCH_ALL: u32 = 10;
    /// Reductions.
    pub const REDUCE_ADD: u32 = 11;
    pub const REDUCE_MIN_SIGNED: u32 = 12;
    pub const REDUCE_MAX_SIGNED: u32 = 13;
    pub const REDUCE_MIN: u32 = 14;
    pub const REDUCE_MAX: u32 = 15;
    pub const REDUCE_AND: u32 = 16;
    pub const REDUCE_OR: u32 = 17;
    pub const REDUCE_XOR: u32 = 18;
    /// Which threads are here.
    pub const ACTIVE: u32 = 19;
    /// The warp waits for itself.
    pub const WARP: u32 = 20;
    /// As `WARP`, by whoever comes along.
    pub const LOCKSTEP: u32 = 21;
    /// Barriers of the block.
    pub const BARRIER: u32 = 32;
    pub const BARRIER_ARRIVE: u32 = 33;
    pub const BARRIER_COUNT: u32 = 34;
    pub const BARRIER_AND: u32 = 35;
    pub const BARRIER_OR: u32 = 36;
}
