//! Fills, of bytes in a row and of rows. As copies they are complete when they return.

use crate::copying::Fill;
use crate::status::Outcome;
use crate::streams;
use crate::work::Work;

/// The stream of fills that name none.
const LEGACY: usize = 0;

exports! {
    fn cuMemsetD8_v2(start: u64, value: u8, count: usize) {
        fill(Fill { start, pitch: 0, value: value.into(), element: 1, width: count, height: 1 }, LEGACY)
    }

    fn cuMemsetD8Async(start: u64, value: u8, count: usize, stream: usize) {
        fill(Fill { start, pitch: 0, value: value.into(), element: 1, width: count, height: 1 }, stream)
    }

    fn cuMemsetD16_v2(start: u64, value: u16, count: usize) {
        fill(Fill { start, pitch: 0, value: value.into(), element: 2, width: count, height: 1 }, LEGACY)
    }

    fn cuMemsetD16Async(start: u64, value: u16, count: usize, stream: usize) {
        fill(Fill { start, pitch: 0, value: value.into(), element: 2, width: count, height: 1 }, stream)
    }

    fn cuMemsetD32_v2(start: u64, value: u32, count: usize) {
        fill(Fill { start, pitch: 0, value, element: 4, width: count, height: 1 }, LEGACY)
    }

    fn cuMemsetD32Async(start: u64, value: u32, count: usize, stream: usize) {
        fill(Fill { start, pitch: 0, value, element: 4, width: count, height: 1 }, stream)
    }

    fn cuMemsetD2D8_v2(start: u64, pitch: u64, value: u8, width: usize, height: usize) {
        fill(Fill { start, pitch, value: value.into(), element: 1, width, height }, LEGACY)
    }

    fn cuMemsetD2D8Async(start: u64, pitch: u64, value: u8, width: usize, height: usize, stream: usize) {
        fill(Fill { start, pitch, value: value.into(), element: 1, width, height }, stream)
    }

    fn cuMemsetD2D16_v2(start: u64, pitch: u64, value: u16, width: usize, height: usize) {
        fill(Fill { start, pitch, value: value.into(), element: 2, width, height }, LEGACY)
    }

    fn cuMemsetD2D16Async(start: u64, pitch: u64, value: u16, width: usize, height: usize, stream: usize) {
        fill(Fill { start, pitch, value: value.into(), element: 2, width, height }, stream)
    }

    fn cuMemsetD2D32_v2(start: u64, pitch: u64, value: u32, width: usize, height: usize) {
        fill(Fill { start, pitch, value, element: 4, width, height }, LEGACY)
    }

    fn cuMemsetD2D32Async(start: u64, pitch: u64, value: u32, width: usize, height: usize, stream: usize) {
        fill(Fill { start, pitch, value, element: 4, width, height }, stream)
    }
}

fn fill(fill: Fill, stream: usize) -> Outcome {
    streams::submit(stream, &Work::Fill(fill))
}
