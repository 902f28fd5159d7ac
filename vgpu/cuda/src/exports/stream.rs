//! Streams and events.

use crate::border::{In, Out};
use crate::capture;
use crate::contexts;
use crate::host_calls::{self, HostCall};
use crate::status::{Outcome, Status};
use crate::streams::{self, AttributeValue};
use crate::work::Work;

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
        let stream = streams::get(stream)?;
        capture::forbid_on(&stream)?;
        stream.settle();
        contexts::current().map(drop)
    }

    fn cuStreamQuery(stream: usize) {
        let stream = streams::get(stream)?;
        capture::forbid_on(&stream)?;
        contexts::current()?;
        if stream.is_done() { Ok(()) } else { Err(Status::NOT_READY) }
    }

    fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) {
        if flags & EXTERNAL != 0 {
            streams::event(event)?;
            return streams::submit(stream, &Work::Await(event));
        }
        let (stream, event) = (streams::get(stream)?, streams::event(event)?);
        if capture::wait(&stream, &event)? {
            return Ok(());
        }
        stream.wait_for(&event)
    }

    fn cuStreamAddCallback(stream: usize, function: usize, data: usize, flags: u32) {
        if flags != 0 || function == 0 {
            return Err(Status::INVALID_VALUE);
        }
        streams::submit(stream, &Work::Call(HostCall { function, data, stream: Some(stream) }))
    }

    fn cuLaunchHostFunc(stream: usize, function: usize, data: usize) {
        call(stream, function, data)
    }

    fn cuLaunchHostFunc_v2(stream: usize, function: usize, data: usize, _mode: u32) {
        call(stream, function, data)
    }

    fn cuStreamGetAttribute(stream: usize, attribute: u32, value: Out<AttributeValue>) {
        let found = streams::get(stream)?;
        require_attribute(attribute)?;
        let otherwise = match attribute {
            PRIORITY => [u64::from(found.priority.cast_unsigned()), 0, 0, 0, 0, 0, 0, 0],
            SYNC_POLICY => [1, 0, 0, 0, 0, 0, 0, 0],
            _ => [0; 8],
        };
        value.put(streams::attribute(stream, attribute).unwrap_or(otherwise))
    }

    fn cuStreamSetAttribute(stream: usize, attribute: u32, value: In<AttributeValue>) {
        streams::get(stream)?;
        require_attribute(attribute)?;
        streams::set_attribute(stream, attribute, value.get()?);
        Ok(())
    }

    fn cuStreamCopyAttributes(to: usize, from: usize) {
        streams::get(to)?;
        streams::get(from)?;
        streams::copy_attributes(to, from);
        Ok(())
    }

    fn cuStreamGetCtx_v2(stream: usize, context: Out<usize>, green: Out<usize>) {
        green.offer(0);
        context.put(streams::get(stream)?.context)
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
        record(event, stream, 0)
    }

    fn cuEventRecordWithFlags(event: usize, stream: usize, flags: u32) {
        record(event, stream, flags)
    }

    fn cuEventQuery(event: usize) {
        let call = streams::event(event)?.call()?;
        if host_calls::is_done(call) { Ok(()) } else { Err(Status::NOT_READY) }
    }

    fn cuEventSynchronize(event: usize) {
        host_calls::wait(streams::event(event)?.call()?);
        // An event can be waited for without a context; a kernel's failure is told where there is one.
        match contexts::current_handle() {
            0 => Ok(()),
            _ => contexts::current().map(drop),
        }
    }

    fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) {
        milliseconds.put(streams::elapsed(start, end)?)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: usize, end: usize) {
        milliseconds.put(streams::elapsed(start, end)?)
    }
}

/// In a captured stream: wait for, or record, an event outside of the graph each time that it is launched.
const EXTERNAL: u32 = 1;
const SYNC_POLICY: u32 = 3;
const PRIORITY: u32 = 8;

fn record(event: usize, stream: usize, flags: u32) -> Outcome {
    if flags & EXTERNAL != 0 {
        streams::event(event)?;
        return streams::submit(stream, &Work::Record(event));
    }
    let (stream, event) = (streams::get(stream)?, streams::event(event)?);
    match capture::of(&stream)? {
        Some(capture) => capture::record(&capture, &stream, &event),
        None => event.record(&stream),
    }
    Ok(())
}

fn call(stream: usize, function: usize, data: usize) -> Outcome {
    if function == 0 {
        return Err(Status::INVALID_VALUE);
    }
    streams::submit(
        stream,
        &Work::Call(HostCall {
            function,
            data,
            stream: None,
        }),
    )
}

/// Access policy, waiting policy, priority, and domains of memory operations.
fn require_attribute(attribute: u32) -> Outcome {
    match attribute {
        1 | SYNC_POLICY | 8..=10 => Ok(()),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn require_room(handle: &Out<usize>) -> Outcome {
    if handle.is_null() {
        Err(Status::INVALID_VALUE)
    } else {
        Ok(())
    }
}
