//! Events.

use crate::border::Out;
use crate::bound::bound;
use crate::error::checked;

exports! {
    fn cudaEventCreate(event: Out<usize>) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.event_create)(event.room()?, 0) })
    }

    fn cudaEventCreateWithFlags(event: Out<usize>, flags: u32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.event_create)(event.room()?, flags) })
    }

    fn cudaEventDestroy(event: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.event_destroy)(event) })
    }

    fn cudaEventRecord(event: usize, stream: usize) {
        // SAFETY: the driver refuses handles that are none.
        checked(unsafe { (bound()?.event_record)(event, stream) })
    }

    fn cudaEventRecordWithFlags(event: usize, stream: usize, flags: u32) {
        // SAFETY: the driver refuses handles that are none.
        checked(unsafe { (bound()?.event_record_with_flags)(event, stream, flags) })
    }

    fn cudaEventQuery(event: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.event_query)(event) })
    }

    fn cudaEventSynchronize(event: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.event_synchronize)(event) })
    }

    fn cudaEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.event_elapsed)(milliseconds.room()?, start, end) })
    }
}
