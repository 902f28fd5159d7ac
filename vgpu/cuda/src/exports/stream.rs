//! Streams and events.

use crate::border::Out;
use crate::status::Status;
use crate::streams;

exports! {
    fn cuStreamCreate(stream: Out<usize>, flags: u32) {
        require_room(&stream)?;
        stream.put(streams::create(flags, 0)?)
    }

    fn cuStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: i32) {
        require_room(&stream)?;
        stream.put(streams::create(flags, priority)?)
    }

    fn cuStreamDestroy_v2(stream: usize) {
        streams::destroy(stream)
    }

    fn cuStreamDestroy(stream: usize) {
        streams::destroy(stream)
    }

    fn cuStreamSynchronize(stream: usize) {
        streams::get(stream).map(drop)
    }

    fn cuStreamQuery(stream: usize) {
        streams::get(stream).map(drop)
    }

    fn cuStreamWaitEvent(stream: usize, event: usize, _flags: u32) {
        streams::get(stream)?;
        streams::require_event(event)
    }

    fn cuStreamGetPriority(stream: usize, priority: Out<i32>) {
        priority.put(streams::get(stream)?.priority)
    }

    fn cuStreamGetFlags(stream: usize, flags: Out<u32>) {
        flags.put(streams::get(stream)?.flags)
    }

    fn cuStreamGetId(stream: usize, id: Out<u64>) {
        id.put(streams::get(stream)?.id)
    }

    fn cuStreamGetCtx(stream: usize, context: Out<usize>) {
        context.put(streams::get(stream)?.context)
    }

    fn cuStreamGetDevice(stream: usize, ordinal: Out<i32>) {
        streams::get(stream)?;
        ordinal.put(0)
    }

    /// Capture into graphs is not done here, so no stream ever captures.
    fn cuStreamIsCapturing(stream: usize, capturing: Out<u32>) {
        streams::get(stream)?;
        capturing.put(0)
    }

    fn cuEventCreate(event: Out<usize>, flags: u32) {
        require_room(&event)?;
        event.put(streams::create_event(flags)?)
    }

    fn cuEventDestroy_v2(event: usize) {
        streams::destroy_event(event)
    }

    fn cuEventDestroy(event: usize) {
        streams::destroy_event(event)
    }

    fn cuEventRecord(event: usize, stream: usize) {
        streams::record(event, stream)
    }

    fn cuEventRecordWithFlags(event: usize, stream: usize, _flags: u32) {
        streams::record(event, stream)
    }

    fn cuEventQuery(event: usize) {
        streams::require_event(event)
    }

    fn cuEventSynchronize(event: usize) {
        streams::require_event(event)
    }

    fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) {
        milliseconds.put(streams::elapsed(start, end)?)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: usize, end: usize) {
        milliseconds.put(streams::elapsed(start, end)?)
    }
}

fn require_room(handle: &Out<usize>) -> Result<(), Status> {
    if handle.is_null() {
        Err(Status::INVALID_VALUE)
    } else {
        Ok(())
    }
}
