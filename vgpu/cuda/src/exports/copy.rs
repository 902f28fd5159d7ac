//! Copies. All are complete when they return, the asynchronous ones too, unless the stream is captured.

use crate::border::In;
use crate::contexts;
use crate::copying::{self, Copy, End};
use crate::status::{Outcome, Status};
use crate::streams;
use crate::work::Work;

/// `CUDA_MEMCPY2D_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    from: End2D,
    to: End2D,
    width: usize,
    height: usize,
}

/// One end of a two-dimensional copy.
#[repr(C)]
#[derive(Clone, Copy)]
struct End2D {
    x: usize,
    y: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: usize,
    pitch: usize,
}

const _: () = assert!(size_of::<Copy2D>() == 128);

/// The stream of copies that name none.
const LEGACY: usize = 0;

exports! {
    fn cuMemcpy(to: u64, from: u64, bytes: usize) {
        line(End::at(copying::UNIFIED, to), End::at(copying::UNIFIED, from), bytes, LEGACY)
    }

    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: usize) {
        line(End::at(copying::UNIFIED, to), End::at(copying::UNIFIED, from), bytes, stream)
    }

    fn cuMemcpyHtoD_v2(to: u64, from: u64, bytes: usize) {
        line(End::at(copying::DEVICE, to), End::at(copying::HOST, from), bytes, LEGACY)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        line(End::at(copying::DEVICE, to), End::at(copying::HOST, from), bytes, stream)
    }

    fn cuMemcpyDtoH_v2(to: u64, from: u64, bytes: usize) {
        line(End::at(copying::HOST, to), End::at(copying::DEVICE, from), bytes, LEGACY)
    }

    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        line(End::at(copying::HOST, to), End::at(copying::DEVICE, from), bytes, stream)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        line(End::at(copying::DEVICE, to), End::at(copying::DEVICE, from), bytes, LEGACY)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        line(End::at(copying::DEVICE, to), End::at(copying::DEVICE, from), bytes, stream)
    }

    fn cuMemcpyAtoD_v2(to: u64, array: usize, x: usize, bytes: usize) {
        line(End::at(copying::DEVICE, to), End::in_array(array, x), bytes, LEGACY)
    }

    fn cuMemcpyDtoA_v2(array: usize, x: usize, from: u64, bytes: usize) {
        line(End::in_array(array, x), End::at(copying::DEVICE, from), bytes, LEGACY)
    }

    fn cuMemcpyHtoA_v2(array: usize, x: usize, from: u64, bytes: usize) {
        line(End::in_array(array, x), End::at(copying::HOST, from), bytes, LEGACY)
    }

    fn cuMemcpyHtoAAsync_v2(array: usize, x: usize, from: u64, bytes: usize, stream: usize) {
        line(End::in_array(array, x), End::at(copying::HOST, from), bytes, stream)
    }

    fn cuMemcpyAtoH_v2(to: u64, array: usize, x: usize, bytes: usize) {
        line(End::at(copying::HOST, to), End::in_array(array, x), bytes, LEGACY)
    }

    fn cuMemcpyAtoHAsync_v2(to: u64, array: usize, x: usize, bytes: usize, stream: usize) {
        line(End::at(copying::HOST, to), End::in_array(array, x), bytes, stream)
    }

    fn cuMemcpyAtoA_v2(to: usize, to_x: usize, from: usize, from_x: usize, bytes: usize) {
        line(End::in_array(to, to_x), End::in_array(from, from_x), bytes, LEGACY)
    }

    fn cuMemcpyPeer(to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize) {
        contexts::get(to_context)?;
        contexts::get(from_context)?;
        line(End::at(copying::DEVICE, to), End::at(copying::DEVICE, from), bytes, LEGACY)
    }

    fn cuMemcpyPeerAsync(to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize, stream: usize) {
        contexts::get(to_context)?;
        contexts::get(from_context)?;
        line(End::at(copying::DEVICE, to), End::at(copying::DEVICE, from), bytes, stream)
    }

    fn cuMemcpy2D_v2(copy: In<Copy2D>) {
        submit(copy.get()?.into(), LEGACY)
    }

    fn cuMemcpy2DUnaligned_v2(copy: In<Copy2D>) {
        submit(copy.get()?.into(), LEGACY)
    }

    fn cuMemcpy2DAsync_v2(copy: In<Copy2D>, stream: usize) {
        submit(copy.get()?.into(), stream)
    }

    fn cuMemcpy3D_v2(copy: In<Copy>) {
        submit(copy.get()?, LEGACY)
    }

    fn cuMemcpy3DAsync_v2(copy: In<Copy>, stream: usize) {
        submit(copy.get()?, stream)
    }

    fn cuMemcpy3DPeer(copy: In<Copy>) {
        submit(copy.get()?, LEGACY)
    }

    fn cuMemcpy3DPeerAsync(copy: In<Copy>, stream: usize) {
        submit(copy.get()?, stream)
    }
}

impl From<Copy2D> for Copy {
    fn from(copy: Copy2D) -> Copy {
        Copy {
            from: copy.from.into(),
            to: copy.to.into(),
            width: copy.width,
            height: copy.height,
            depth: 1,
        }
    }
}

impl From<End2D> for End {
    fn from(end: End2D) -> End {
        let End2D {
            x,
            y,
            kind,
            host,
            device,
            array,
            pitch,
        } = end;
        End {
            x,
            y,
            kind,
            host,
            device,
            array,
            pitch,
            ..End::default()
        }
    }
}

fn line(to: End, from: End, bytes: usize, stream: usize) -> Outcome {
    submit(Copy::line(to, from, bytes), stream)
}

fn submit(copy: Copy, stream: usize) -> Outcome {
    if copy.from.lod != 0 || copy.to.lod != 0 {
        return Err(Status::INVALID_VALUE);
    }
    streams::submit(stream, &Work::Copy(copy))
}
