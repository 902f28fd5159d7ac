//! Launches: the `<<<…>>>` of a program pushes a shape, its stub pops it again and launches.

use crate::border::{Dim3, Out};
use crate::bound::bound;
use crate::code;
use crate::error::{Outcome, Status, checked};
use crate::structures::LaunchConfiguration;
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// A pushed shape.
#[derive(Clone, Copy)]
struct Shape {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: usize,
}

thread_local! {
    /// Never dropped: programs launch in static destructors and exit handlers too, after a thread's own values ended.
    static PUSHED: RefCell<ManuallyDrop<Vec<Shape>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: usize,
    attributes: usize,
    attribute_count: u32,
}

const _: () = assert!(size_of::<Configuration>() == 56);

exports! {
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: usize) {
        PUSHED.with_borrow_mut(|pushed| pushed.push(Shape { grid, block, shared, stream }));
        Ok(())
    }

    fn __cudaPopCallConfiguration(grid: Out<Dim3>, block: Out<Dim3>, shared: Out<usize>, stream: Out<usize>) {
        const MISSING_CONFIGURATION: Status = Status(52);
        let shape = PUSHED.with_borrow_mut(|pushed| pushed.pop()).ok_or(MISSING_CONFIGURATION)?;
        grid.put(shape.grid)?;
        block.put(shape.block)?;
        shared.put(shape.shared)?;
        stream.put(shape.stream)
    }

    fn __cudaLaunchKernel(kernel: usize, grid: Dim3, block: Dim3, arguments: usize, shared: usize, stream: usize) {
        launch(kernel, Shape { grid, block, shared, stream }, arguments, false)
    }

    fn cudaLaunchKernel(stub: usize, grid: Dim3, block: Dim3, arguments: usize, shared: usize, stream: usize) {
        launch(stub, Shape { grid, block, shared, stream }, arguments, false)
    }

    fn cudaLaunchCooperativeKernel(stub: usize, grid: Dim3, block: Dim3, arguments: usize, shared: usize, stream: usize) {
        launch(stub, Shape { grid, block, shared, stream }, arguments, true)
    }

    fn cudaLaunchKernelExC(configuration: *const Configuration, stub: usize, arguments: usize) {
        if configuration.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so by the C interface it points to a configuration.
        let given = unsafe { configuration.read_unaligned() };
        let Configuration { grid, block, shared, stream, .. } = given;
        require_shape(&Shape { grid, block, shared, stream })?;
        let function = code::function(stub)?;
        let configuration = given.described()?;
        // SAFETY: the configuration lives through the call; the rest is the program's own.
        checked(unsafe { (bound()?.launch_ex)(&raw const configuration, function, arguments, 0) })
    }
}

impl Configuration {
    /// In the driver's form.
    pub fn described(&self) -> Outcome<LaunchConfiguration> {
        let Configuration { grid, block, .. } = *self;
        Ok(LaunchConfiguration {
            grid: [grid.x, grid.y, grid.z],
            block: [block.x, block.y, block.z],
            shared: narrow(self.shared)?,
            stream: self.stream,
            attributes: self.attributes,
            attribute_count: self.attribute_count,
        })
    }
}

fn launch(stub_or_kernel: usize, shape: Shape, arguments: usize, cooperative: bool) -> Outcome {
    require_shape(&shape)?;
    let function = code::function(stub_or_kernel)?;
    let driver = bound()?;
    let Shape {
        grid: g,
        block: b,
        shared,
        stream,
    } = shape;
    let shared = narrow(shared)?;
    // SAFETY: the arguments are the program's own, as the kernel wants them.
    checked(unsafe {
        if cooperative {
            (driver.launch_cooperative)(
                function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, arguments,
            )
        } else {
            (driver.launch)(
                function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, arguments, 0,
            )
        }
    })
}

/// The runtime has an error of its own for impossible extents; the driver would only say "invalid value".
fn require_shape(shape: &Shape) -> Outcome {
    const BLOCK: Dim3 = Dim3 {
        x: 1024,
        y: 1024,
        z: 64,
    };
    const GRID: Dim3 = Dim3 {
        x: 0x7fff_ffff,
        y: 65535,
        z: 65535,
    };
    const THREADS: u64 = 1024;
    let within = |given: Dim3, most: Dim3| {
        (1..=most.x).contains(&given.x)
            && (1..=most.y).contains(&given.y)
            && (1..=most.z).contains(&given.z)
    };
    let Dim3 { x, y, z } = shape.block;
    let threads = u64::from(x)
        .saturating_mul(u64::from(y))
        .saturating_mul(u64::from(z));
    let possible = within(shape.grid, GRID) && within(shape.block, BLOCK) && threads <= THREADS;
    if possible {
        Ok(())
    } else {
        Err(Status::INVALID_CONFIGURATION)
    }
}

fn narrow(shared: usize) -> Outcome<u32> {
    u32::try_from(shared).map_err(|_| Status::INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

    fn shape(grid: Dim3, block: Dim3) -> Shape {
        Shape {
            grid,
            block,
            shared: 0,
            stream: 0,
        }
    }

    #[test]
    fn impossible_extents_are_an_invalid_configuration() {
        assert_eq!(
            require_shape(&shape(ONE, Dim3 { x: 32, y: 32, z: 1 })),
            Ok(())
        );
        for (grid, block) in [
            (Dim3 { x: 0, ..ONE }, ONE),
            (Dim3 { y: 65536, ..ONE }, ONE),
            (ONE, Dim3 { x: 1025, ..ONE }),
            (ONE, Dim3 { z: 65, ..ONE }),
            (ONE, Dim3 { x: 32, y: 33, z: 1 }),
        ] {
            assert_eq!(
                require_shape(&shape(grid, block)),
                Err(Status::INVALID_CONFIGURATION)
            );
        }
    }

    #[test]
    fn pushed_shapes_come_back_last_first() {
        let wide = Dim3 { x: 9, ..ONE };
        assert_eq!(__cudaPushCallConfiguration(ONE, ONE, 1, 0), 0);
        assert_eq!(__cudaPushCallConfiguration(wide, ONE, 2, 7), 0);
        let popped = PUSHED.with_borrow_mut(|pushed| pushed.pop()).unwrap();
        assert_eq!((popped.grid, popped.shared, popped.stream), (wide, 2, 7));
        let popped = PUSHED.with_borrow_mut(|pushed| pushed.pop()).unwrap();
        assert_eq!((popped.grid, popped.shared), (ONE, 1));
    }
}
