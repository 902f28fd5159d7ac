//! Launches: what a real driver would refuse is refused, the rest is accepted, counted and run.

use crate::arguments::Arguments;
use crate::capture;
use crate::contexts;
use crate::driver::driver;
use crate::execution;
use crate::images::{self, Kernel};
use crate::limits;
use crate::occupancy;
use crate::status::{Outcome, Status};
use crate::streams::{self, AttributeValue};
use crate::work::Work;
use std::collections::BTreeMap;
use std::sync::Arc;
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
    /// Blocks of a cluster by dimension.
    pub cluster: [u32; 3],
}

/// Attribute: all blocks at once.
pub const COOPERATIVE: u32 = 2;
/// Attribute: blocks of a cluster.
pub const CLUSTER: u32 = 4;
/// Attributes that do not change what a launch does: windows of the cache, waiting, priorities and the like.
pub const HINTS: [u32; 11] = [0, 1, 3, 5, 6, 8, 9, 10, 11, 14, 16];

/// A cluster of one block, which every launch without clusters has.
pub const ALONE: [u32; 3] = [1; 3];

/// What a caller hands in as arguments: a list of pointers to them, or a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Address of the list; 0: none.
    pub list: usize,
    /// Address of the description of the buffer; 0: none.
    pub buffer: usize,
}

/// A launch in a graph: its arguments are those of the moment when it was put there.
#[derive(Clone)]
pub struct KernelNode {
    /// The kernel's handle.
    pub kernel: usize,
    /// Its shape; the stream is that of the graph's launch.
    pub launch: Launch,
    /// The values of its arguments.
    pub arguments: Arc<Arguments>,
    /// Attributes that are only told again.
    hints: BTreeMap<u32, AttributeValue>,
}

impl KernelNode {
    /// A launch with the arguments as they are now, or a refusal as a driver's.
    pub fn new(kernel: usize, launch: Launch, given: Given) -> Outcome<KernelNode> {
        let found = images::kernel_of(kernel)?;
        require_shape(&found, &launch)?;
        Ok(KernelNode {
            kernel,
            launch,
            arguments: Arc::new(Arguments::copied(&found, given)?),
            hints: BTreeMap::new(),
        })
    }

    /// An attribute of the launch.
    pub fn attribute(&self, attribute: u32) -> Outcome<AttributeValue> {
        let words = |[x, y, z]: [u32; 3]| {
            let first = u64::from(x) | u64::from(y) << 32;
            [first, z.into(), 0, 0, 0, 0, 0, 0]
        };
        match attribute {
            COOPERATIVE => Ok(words([self.launch.cooperative.into(), 0, 0])),
            CLUSTER => Ok(words(self.launch.cluster)),
            hint if HINTS.contains(&hint) => Ok(self.hints.get(&hint).copied().unwrap_or_default()),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Sets it.
    pub fn set_attribute(&mut self, attribute: u32, value: AttributeValue) -> Outcome {
        let [first, second, ..] = value;
        let low = |word: u64| (word & u64::from(u32::MAX)) as u32;
        match attribute {
            COOPERATIVE => self.launch.cooperative = low(first) != 0,
            CLUSTER => self.launch.cluster = [low(first), low(first >> 32), low(second)],
            hint if HINTS.contains(&hint) => drop(self.hints.insert(hint, value)),
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    /// Takes over all attributes of another launch.
    pub fn copy_attributes(&mut self, other: &KernelNode) {
        self.launch.cooperative = other.launch.cooperative;
        self.launch.cluster = other.launch.cluster;
        self.hints.clone_from(&other.hints);
    }

    /// Launches it.
    pub fn perform(&self) -> Outcome {
        let kernel = images::kernel_of(self.kernel)?;
        accept(&kernel, &self.launch, &self.arguments)
    }
}

/// Accepts a launch of the kernel with this handle, or refuses it as a driver would.
pub fn launch(kernel: usize, launch: &Launch, given: Given) -> Outcome {
    contexts::current()?;
    let found = images::kernel_of(kernel)?;
    let stream = streams::get(launch.stream)?;
    if let Some(capture) = capture::of(&stream)? {
        let node = KernelNode::new(kernel, *launch, given)?;
        return capture.add(&stream, Work::Launch(node)).map(drop);
    }
    require_shape(&found, launch)?;
    if given.list == 0 && given.buffer == 0 && !found.outline.parameters.is_empty() {
        return Err(Status::INVALID_VALUE);
    }
    stream.settle();
    let arguments = match execution::executes() {
        true => Arguments::copied(&found, given)?,
        false => Arguments::none(),
    };
    accept(&found, launch, &arguments)
}

/// Counts and runs a launch whose shape was checked.
fn accept(kernel: &Kernel, launch: &Launch, arguments: &Arguments) -> Outcome {
    let context = contexts::current()?;
    if launch.cooperative {
        require_resident(kernel, launch)?;
    }
    kernel.load_into(&context)?;
    kernel.launches.fetch_add(1, Ordering::Relaxed);
    execution::run(driver()?, &context, kernel, launch, arguments)
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
    if !fits {
        return Err(Status::INVALID_VALUE);
    }
    require_cluster(kernel, launch)
}

/// Clusters are there since compute capability 9; a grid consists of whole ones.
fn require_cluster(kernel: &Kernel, launch: &Launch) -> Outcome {
    const INVALID_CLUSTER_SIZE: Status = Status(912);
    const PORTABLE: u32 = 8;
    const MOST: u32 = 16;
    if launch.cluster == ALONE {
        return Ok(());
    }
    if driver()?.gpu.model().compute_capability.0 < 9 {
        return Err(Status::NOT_SUPPORTED);
    }
    let most = if kernel.large_clusters.load(Ordering::Relaxed) {
        MOST
    } else {
        PORTABLE
    };
    let blocks = launch.cluster.iter().copied().fold(1, u32::saturating_mul);
    let mut extents = launch.grid.iter().zip(launch.cluster);
    let whole = extents.all(|(grid, cluster)| cluster > 0 && grid.is_multiple_of(cluster));
    if whole && blocks <= most {
        Ok(())
    } else {
        Err(INVALID_CLUSTER_SIZE)
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
