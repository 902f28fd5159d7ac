//! Copies and fills. All are complete when they return, the asynchronous ones too.

use crate::border::In;
use crate::contexts;
use crate::spans::{self, Rows};
use crate::status::{Outcome, Status};
use crate::streams;

/// `CUDA_MEMCPY2D_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    from: End,
    to: End,
    width: usize,
    height: usize,
}

/// One end of a two-dimensional copy.
#[repr(C)]
#[derive(Clone, Copy)]
struct End {
    x: usize,
    y: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: usize,
    pitch: usize,
}

const _: () = assert!(size_of::<Copy2D>() == 128);

exports! {
    fn cuMemcpy(to: u64, from: u64, bytes: usize) {
        any_to_any(to, from, bytes)
    }

    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: usize) {
        streams::get(stream)?;
        any_to_any(to, from, bytes)
    }

    fn cuMemcpyHtoD_v2(to: u64, from: u64, bytes: usize) {
        host_to_device(to, from, bytes)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        streams::get(stream)?;
        host_to_device(to, from, bytes)
    }

    fn cuMemcpyDtoH_v2(to: u64, from: u64, bytes: usize) {
        device_to_host(to, from, bytes)
    }

    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        streams::get(stream)?;
        device_to_host(to, from, bytes)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        device_to_device(to, from, bytes)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        streams::get(stream)?;
        device_to_device(to, from, bytes)
    }

    fn cuMemcpy2D_v2(copy: In<Copy2D>) {
        two_dimensional(&copy.get()?)
    }

    fn cuMemcpy2DUnaligned_v2(copy: In<Copy2D>) {
        two_dimensional(&copy.get()?)
    }

    fn cuMemcpy2DAsync_v2(copy: In<Copy2D>, stream: usize) {
        streams::get(stream)?;
        two_dimensional(&copy.get()?)
    }

    fn cuMemsetD8_v2(start: u64, value: u8, count: usize) {
        line(start, value, count)
    }

    fn cuMemsetD16_v2(start: u64, value: u16, count: usize) {
        line(start, value, count)
    }

    fn cuMemsetD32_v2(start: u64, value: u32, count: usize) {
        line(start, value, count)
    }

    fn cuMemsetD8Async(start: u64, value: u8, count: usize, stream: usize) {
        streams::get(stream)?;
        line(start, value, count)
    }

    fn cuMemsetD16Async(start: u64, value: u16, count: usize, stream: usize) {
        streams::get(stream)?;
        line(start, value, count)
    }

    fn cuMemsetD32Async(start: u64, value: u32, count: usize, stream: usize) {
        streams::get(stream)?;
        line(start, value, count)
    }

    fn cuMemsetD2D8_v2(start: u64, pitch: usize, value: u8, width: usize, height: usize) {
        rectangle(start, pitch, value, width, height)
    }

    fn cuMemsetD2D16_v2(start: u64, pitch: usize, value: u16, width: usize, height: usize) {
        rectangle(start, pitch, value, width, height)
    }

    fn cuMemsetD2D32_v2(start: u64, pitch: usize, value: u32, width: usize, height: usize) {
        rectangle(start, pitch, value, width, height)
    }

    fn cuMemsetD2D8Async(start: u64, pitch: usize, value: u8, width: usize, height: usize, stream: usize) {
        streams::get(stream)?;
        rectangle(start, pitch, value, width, height)
    }

    fn cuMemsetD2D16Async(start: u64, pitch: usize, value: u16, width: usize, height: usize, stream: usize) {
        streams::get(stream)?;
        rectangle(start, pitch, value, width, height)
    }

    fn cuMemsetD2D32Async(start: u64, pitch: usize, value: u32, width: usize, height: usize, stream: usize) {
        streams::get(stream)?;
        rectangle(start, pitch, value, width, height)
    }
}

fn any_to_any(to: u64, from: u64, bytes: usize) -> Outcome {
    contexts::current()?;
    if bytes == 0 {
        return Ok(());
    }
    spans::require_any(to, bytes as u64)?;
    spans::require_any(from, bytes as u64)?;
    spans::copy(to, from, bytes)
}

fn host_to_device(to: u64, from: u64, bytes: usize) -> Outcome {
    contexts::current()?;
    if bytes == 0 {
        return Ok(());
    }
    spans::require_device(to, bytes as u64)?;
    spans::copy(to, from, bytes)
}

fn device_to_host(to: u64, from: u64, bytes: usize) -> Outcome {
    contexts::current()?;
    if bytes == 0 {
        return Ok(());
    }
    spans::require_device(from, bytes as u64)?;
    spans::copy(to, from, bytes)
}

fn device_to_device(to: u64, from: u64, bytes: usize) -> Outcome {
    contexts::current()?;
    if bytes == 0 {
        return Ok(());
    }
    spans::require_device(to, bytes as u64)?;
    spans::require_device(from, bytes as u64)?;
    spans::copy(to, from, bytes)
}

fn two_dimensional(copy: &Copy2D) -> Outcome {
    contexts::current()?;
    if copy.width == 0 || copy.height == 0 {
        return Ok(());
    }
    let to = rows(&copy.to, copy)?;
    let from = rows(&copy.from, copy)?;
    spans::copy_rows(to, from, copy.width as u64, copy.height as u64)
}

/// The rows of one end, checked.
fn rows(end: &End, copy: &Copy2D) -> Outcome<Rows> {
    const HOST: u32 = 1;
    const DEVICE: u32 = 2;
    const UNIFIED: u32 = 4;
    // Without a pitch the rows follow each other.
    let pitch = if end.pitch == 0 {
        copy.width
    } else {
        end.pitch
    } as u64;
    let base = match end.kind {
        HOST => end.host,
        DEVICE | UNIFIED => end.device,
        // Arrays belong to textures, which are not done here.
        _ => return Err(Status::NOT_SUPPORTED),
    };
    let above = pitch
        .checked_mul(end.y as u64)
        .and_then(|above| above.checked_add(end.x as u64));
    let start = above
        .and_then(|above| base.checked_add(above))
        .ok_or(Status::INVALID_VALUE)?;
    let bytes = spans::extent(pitch, copy.width as u64, copy.height as u64)?;
    match end.kind {
        DEVICE => spans::require_device(start, bytes)?,
        UNIFIED => spans::require_any(start, bytes)?,
        _ if base == 0 => return Err(Status::INVALID_VALUE),
        _ => {}
    }
    Ok(Rows { start, pitch })
}

fn line<T: Copy>(start: u64, value: T, count: usize) -> Outcome {
    rectangle(start, 0, value, count, 1)
}

fn rectangle<T: Copy>(start: u64, pitch: usize, value: T, width: usize, height: usize) -> Outcome {
    contexts::current()?;
    spans::fill(
        Rows {
            start,
            pitch: pitch as u64,
        },
        value,
        width,
        height,
    )
}
