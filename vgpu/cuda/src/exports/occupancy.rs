//! How much of a kernel an SM, or the device, holds at once.

use super::launch::Configuration;
use crate::border::{In, Out};
use crate::contexts;
use crate::driver::driver;
use crate::images;
use crate::limits;
use crate::occupancy;
use crate::status::{Outcome, Status};

exports! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, function: usize, threads: i32, shared: usize) {
        resident_blocks(&blocks, function, threads, shared)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: usize, threads: i32, shared: usize, _flags: u32,
    ) {
        resident_blocks(&blocks, function, threads, shared)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: usize, blocks: i32, _threads: i32) {
        let kernel = images::kernel_of(function)?;
        let capability = driver()?.gpu.model().compute_capability;
        let kind = limits::architecture(capability);
        let blocks = u32::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(Status::INVALID_VALUE)?;
        let share = ((kind.shared_kib << 10) / blocks).min((kind.shared_kib - 1) << 10);
        bytes.put(share.saturating_sub(kernel.static_shared()) as usize)
    }

    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<i32>, block: Out<i32>, function: usize, shared_of: usize, shared: usize, most: i32,
    ) {
        best_block(&grid, &block, function, Shared { of: shared_of, fixed: shared }, most)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<i32>, block: Out<i32>, function: usize, shared_of: usize, shared: usize, most: i32, _flags: u32,
    ) {
        best_block(&grid, &block, function, Shared { of: shared_of, fixed: shared }, most)
    }

    /// Blocks of a cluster lie on SMs of one group, of which a slice has one for each of its SM slices.
    fn cuOccupancyMaxPotentialClusterSize(size: Out<i32>, function: usize, configuration: In<Configuration>) {
        const PORTABLE: i32 = 8;
        require_clusters()?;
        let most = clusters(function, &configuration)?;
        size.put(if most == 0 { 0 } else { PORTABLE })
    }

    fn cuOccupancyMaxActiveClusters(count: Out<i32>, function: usize, configuration: In<Configuration>) {
        require_clusters()?;
        count.put(clusters(function, &configuration)?)
    }
}

fn resident_blocks(blocks: &Out<i32>, function: usize, threads: i32, shared: usize) -> Outcome {
    contexts::current()?;
    let kernel = images::kernel_of(function)?;
    let threads = u32::try_from(threads)
        .ok()
        .filter(|threads| *threads > 0)
        .ok_or(Status::INVALID_VALUE)?;
    let found = occupancy::blocks_per_sm(driver()?, &kernel, threads, shared as u64);
    blocks.put(i32::try_from(found).unwrap_or(i32::MAX))
}

/// Dynamic shared memory of a block: always the same, or as a function of the program says for so many threads.
struct Shared {
    of: usize,
    fixed: usize,
}

impl Shared {
    fn bytes(&self, threads: u32) -> u64 {
        type BlockSizeToShared = extern "C" fn(i32) -> usize;
        let function = std::ptr::with_exposed_provenance::<()>(self.of);
        if function.is_null() {
            return self.fixed as u64;
        }
        // SAFETY: not null, so by the C interface it is a function of this form.
        let bytes = unsafe { std::mem::transmute::<*const (), BlockSizeToShared>(function) };
        bytes(threads.cast_signed()) as u64
    }
}

/// The largest block, in whole warps, of which the most threads are resident at once.
fn best_block(
    grid: &Out<i32>,
    block: &Out<i32>,
    function: usize,
    shared: Shared,
    most: i32,
) -> Outcome {
    const WARP: u32 = 32;
    contexts::current()?;
    let (driver, kernel) = (driver()?, images::kernel_of(function)?);
    let limit = kernel.outline.most_threads.unwrap_or(limits::BLOCK_THREADS);
    let limit = match u32::try_from(most) {
        Ok(most @ 1..) => limit.min(most),
        Ok(0) => limit,
        _ => return Err(Status::INVALID_VALUE),
    };
    let sizes = (1..=limit.div_ceil(WARP))
        .rev()
        .map(|warps| limit.min(warps * WARP));
    let resident =
        |threads: u32| occupancy::blocks_per_sm(driver, &kernel, threads, shared.bytes(threads));
    let best = sizes.map(|threads| (threads, resident(threads)));
    // Of equal ones the first, which is the largest block.
    let best = best.reduce(|best, next| {
        if next.0 * next.1 > best.0 * best.1 {
            next
        } else {
            best
        }
    });
    let (threads, blocks) = best
        .filter(|(_, blocks)| *blocks > 0)
        .ok_or(Status::INVALID_VALUE)?;
    grid.put((blocks * driver.slice.sms).cast_signed())?;
    block.put(threads.cast_signed())
}

fn require_clusters() -> Outcome {
    let (major, _) = driver()?.gpu.model().compute_capability;
    if major >= 9 {
        Ok(())
    } else {
        Err(Status::NOT_SUPPORTED)
    }
}

/// Clusters that the slice holds at once; without a size a cluster is one block.
fn clusters(function: usize, configuration: &In<Configuration>) -> Outcome<i32> {
    contexts::current()?;
    let (driver, kernel, given) = (
        driver()?,
        images::kernel_of(function)?,
        configuration.get()?,
    );
    let threads = given.block.iter().copied().fold(1, u32::saturating_mul);
    let per_sm = occupancy::blocks_per_sm(driver, &kernel, threads, u64::from(given.shared));
    let blocks = per_sm.saturating_mul(driver.slice.sms);
    Ok((blocks / given.cluster()?.max(1)).cast_signed())
}
