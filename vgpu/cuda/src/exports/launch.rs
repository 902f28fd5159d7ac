//! Launches and occupancy.

use crate::border::{In, Out};
use crate::contexts;
use crate::driver::driver;
use crate::images;
use crate::launching::{self, Launch};
use crate::limits;
use crate::occupancy;
use crate::status::{Outcome, Status};

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Configuration {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: usize,
    attributes: usize,
    attribute_count: u32,
}

/// `CUlaunchAttribute`: an id and a value of eight words, of which the first is enough here.
#[repr(C)]
#[derive(Clone, Copy)]
struct Attribute {
    id: u32,
    pad: u32,
    value: [u32; 16],
}

const _: () = assert!(size_of::<Configuration>() == 56 && size_of::<Attribute>() == 72);

exports! {
    fn cuLaunchKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: usize, arguments: usize, extra: usize,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { grid, block, shared, stream, cooperative: false };
        launching::launch(function, &launch, arguments != 0 || extra != 0)
    }

    fn cuLaunchCooperativeKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: usize, arguments: usize,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { grid, block, shared, stream, cooperative: true };
        launching::launch(function, &launch, arguments != 0)
    }

    fn cuLaunchKernelEx(configuration: In<Configuration>, function: usize, arguments: usize, extra: usize) {
        let given = configuration.get()?;
        let launch = Launch {
            grid: given.grid,
            block: given.block,
            shared: given.shared,
            stream: given.stream,
            cooperative: is_cooperative(&given)?,
        };
        launching::launch(function, &launch, arguments != 0 || extra != 0)
    }

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
}

/// Reads the attributes; those that would change what is computed and are not done here are refused.
fn is_cooperative(configuration: &Configuration) -> Outcome<bool> {
    const COOPERATIVE: u32 = 2;
    const CLUSTER: u32 = 4;
    // Hints and priorities do not change what a launch does.
    const HINTS: [u32; 8] = [0, 1, 3, 5, 6, 8, 9, 10];
    let mut cooperative = false;
    let first = std::ptr::with_exposed_provenance::<Attribute>(configuration.attributes);
    for nth in 0..configuration.attribute_count as usize {
        if first.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller vouches for as many attributes as it says.
        let attribute = unsafe { first.add(nth).read_unaligned() };
        let value = attribute.value;
        match attribute.id {
            COOPERATIVE => cooperative = value.first() != Some(&0),
            CLUSTER if value.starts_with(&[1, 1, 1]) => {}
            id if HINTS.contains(&id) => {}
            id => {
                crate::log::unsupported(&format!("launch attribute {id}"));
                return Err(Status::NOT_SUPPORTED);
            }
        }
    }
    Ok(cooperative)
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
