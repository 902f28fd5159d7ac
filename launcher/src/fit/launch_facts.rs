//! A launch, its kernel's device code and a device -> what the launch takes of an SM, as JSON keys; null where a part
//! is not known, with the reason beside.

use migfit_schema::kernel::Kernel;
use migfit_schema::units::WARP_THREADS;
use migfit_sizes::demand::{WEIGHT, demand};
use migfit_sizes::{LaunchNeed, Need};
use serde::Serialize;
use std::collections::BTreeMap;

/// What one launch takes of an SM.
#[derive(Serialize)]
pub struct LaunchFacts {
    /// Blocks of the grid.
    blocks: Option<u64>,
    /// Threads of a block.
    threads: Option<u64>,
    /// Warps of a block, a partly filled one counted whole.
    warps_per_block: Option<u64>,
    /// Bytes of a block's static shared memory.
    static_shared_bytes: Option<u32>,
    /// Registers of a thread.
    registers: Option<u32>,
    /// How often it is launched.
    trips: Option<u64>,
    /// For each of these keys that is null or an estimate: why.
    not_exact: BTreeMap<&'static str, String>,
}

impl LaunchFacts {
    /// Of a launch on a device with this compute capability.
    pub fn of(launch: &LaunchNeed, kernels: &[Kernel], capability: (u32, u32)) -> LaunchFacts {
        let mut not_exact = BTreeMap::new();
        let kernel = kernels.iter().find(|kernel| kernel.symbol == launch.kernel);
        let used = kernel.map(|kernel| kernel.on(capability));
        let doubt = match used {
            Some(used) => used.basis.doubt(),
            None => Some("no kernel of this name is in the program".to_owned()),
        };
        if let Some(doubt) = doubt {
            not_exact.insert("registers", doubt.clone());
            not_exact.insert("static_shared_bytes", doubt);
        }
        let unknown =
            "it depends on what is not known before the run: see unknowns and assumptions";
        let mut note = |key, known: bool| {
            if !known {
                not_exact.insert(key, unknown.to_owned());
            }
        };
        note("blocks", launch.grid.is_some());
        note("threads", launch.block.is_some());
        note("warps_per_block", launch.block.is_some());
        note("trips", launch.count_known);
        let threads = launch.block.map(migfit_schema::kernel::Extent::count);
        LaunchFacts {
            blocks: launch.grid.map(migfit_schema::kernel::Extent::count),
            threads,
            warps_per_block: threads.map(|threads| threads.div_ceil(WARP_THREADS)),
            static_shared_bytes: used.and_then(|used| used.static_shared),
            registers: used.and_then(|used| used.registers),
            trips: launch.count_known.then_some(launch.count),
            not_exact,
        }
    }
}

/// How many warps a job brings to the device.
#[derive(Serialize)]
pub struct DemandForm<'a> {
    /// The launch with most warps.
    largest_launch: Option<LargestForm<'a>>,
    /// Warps of a launch in the mean over the run; an estimate.
    mean_warps: Option<f64>,
    /// What the mean is weighted by.
    weight: &'static str,
    /// False where a shape or a count is not known.
    complete: bool,
}

#[derive(Serialize)]
struct LargestForm<'a> {
    site: String,
    kernel: &'a str,
    name: &'a str,
    warps: u64,
}

impl<'a> DemandForm<'a> {
    /// Of a need's launches.
    pub fn of(need: &'a Need) -> DemandForm<'a> {
        let found = demand(&need.launches);
        DemandForm {
            largest_launch: found.largest.map(|(launch, warps)| LargestForm {
                site: launch.site.to_string(),
                kernel: &launch.kernel,
                name: &launch.name,
                warps,
            }),
            mean_warps: found.mean_warps,
            weight: WEIGHT,
            complete: found.whole,
        }
    }
}
