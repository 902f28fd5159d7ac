//! Streams.

use crate::border::Out;
use crate::bound::bound;
use crate::error::checked;

exports! {
    fn cudaStreamCreate(stream: Out<usize>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_create)(stream.room()?, 0) })
    }

    fn cudaStreamCreateWithFlags(stream: Out<usize>, flags: u32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_create)(stream.room()?, flags) })
    }

    fn cudaStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: i32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_create_with_priority)(stream.room()?, flags, priority) })
    }

    fn cudaStreamDestroy(stream: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.stream_destroy)(stream) })
    }

    fn cudaStreamSynchronize(stream: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.stream_synchronize)(stream) })
    }

    fn cudaStreamQuery(stream: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.stream_query)(stream) })
    }

    fn cudaStreamWaitEvent(stream: usize, event: usize, flags: u32) {
        // SAFETY: the driver refuses handles that are none.
        checked(unsafe { (bound()?.stream_wait_event)(stream, event, flags) })
    }

    fn cudaStreamGetPriority(stream: usize, priority: Out<i32>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_priority)(stream, priority.room()?) })
    }

    fn cudaStreamGetFlags(stream: usize, flags: Out<u32>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_flags)(stream, flags.room()?) })
    }

    fn cudaStreamGetId(stream: usize, id: Out<u64>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_id)(stream, id.room()?) })
    }

    fn cudaStreamIsCapturing(stream: usize, capturing: Out<u32>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.stream_capturing)(stream, capturing.room()?) })
    }
}
