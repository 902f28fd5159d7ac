//! Launches: what a real driver would refuse is refused, the rest is accepted and counted. Kernels are not run yet.

use crate::contexts;
use crate::driver::driver;
use crate::images::{self, Kernel};
use crate::limits;
use crate::occupancy;
use crate::status::{Outcome, Status};
use crate::streams;
use std::sync::atomic::Ordering;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Blocks by dimension.
    pub grid: [u32; 3],
    /// Threads of a block by dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The stream's handle.
    pub stream: usize,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
}

/// Accepts a launch of the kernel with this handle, or refuses it as a driver would.
pub fn launch(kernel: usize, launch: &Launch, has_arguments: bool) -> Outcome {
    let context = contexts::current()?;
    let kernel = images::kernel_of(kernel)?;
    streams::get(launch.stream)?;
    require_shape(&kernel, launch)?;
    if !has_arguments && !kernel.outline.parameters.is_empty() {
        return Err(Status::INVALID_VALUE);
    }
    if launch.cooperative {
        require_resident(&kernel, launch)?;
    }
    kernel.load_into(&context)?;
    kernel.launches.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

fn require_shape(kernel: &Kernel, launch: &Launch) -> Outcome {
    let within = |extents: [u32; 3], most: [u32; 3]| {
        extents
            .iter()
            .zip(most)
            .all(|(extent, most)| (1..=most).contains(extent))
    };
    let most_threads = kernel.outline.most_threads.unwrap_or(limits::BLOCK_THREADS);
    let fits = within(launch.grid, limits::GRID)
        && within(launch.block, limits::BLOCK)
        && threads(launch) <= most_threads.min(limits::BLOCK_THREADS)
        && launch.shared <= kernel.most_dynamic_shared();
    if fits {
        Ok(())
    } else {
        Err(Status::INVALID_VALUE)
    }
}

fn require_resident(kernel: &Kernel, launch: &Launch) -> Outcome {
    let driver = driver()?;
    let per_sm =
        occupancy::blocks_per_sm(driver, kernel, threads(launch), u64::from(launch.shared));
    let room = u64::from(per_sm) * u64::from(driver.slice.sms);
    let blocks = launch
        .grid
        .iter()
        .map(|extent| u64::from(*extent))
        .fold(1, u64::saturating_mul);
    if blocks <= room {
        Ok(())
    } else {
        Err(Status::COOPERATIVE_LAUNCH_TOO_LARGE)
    }
}

fn threads(launch: &Launch) -> u32 {
    launch.block.iter().copied().fold(1, u32::saturating_mul)
}
