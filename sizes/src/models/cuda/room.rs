//! What an SM or a GPC still has room for, as programs ask before they size a launch: dynamic shared memory beside other
//! blocks, as NVIDIA's cuda_occupancy.h counts where no split of the cache is asked for, and blocks of a cluster. How GPCs
//! are cut no table tells: the size of a cluster is an estimate, and said to be.

use super::properties::{RESERVED_SHARED, attribute};
use super::{kernel, opt_in, query};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaOccupancyAvailableDynamicSMemPerBlock", shared_left),
    ("cuOccupancyAvailableDynamicSMemPerBlock", shared_left),
    ("cudaOccupancyMaxPotentialClusterSize", cluster),
    ("cuOccupancyMaxPotentialClusterSize", cluster),
];

/// Shared memory is given out in units of this many bytes.
const UNIT: u64 = 128;
/// Blocks of a cluster that any device with clusters takes (CUDA C++ Programming Guide, "Thread Block Clusters").
const PORTABLE: u64 = 8;
/// Compute capability from which there are clusters.
const CLUSTERS_FROM: u32 = 9;

/// (out, function, blocks on an SM, threads): an SM's memory is shared out evenly, and no block gets more
/// than it may have.
fn shared_left(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let symbol = kernel::symbol(host, arg(args, 1)).unwrap_or_default();
    let known = kernel::known(host, &symbol);
    let used = match known {
        Some(kernel) => query::used(host, kernel),
        None => query::assumed_unseen(host, &symbol),
    };
    let of_sm = attribute(host.device, 81);
    let left = match (of_sm, arg(args, 2).as_int(), used.static_shared) {
        (Some(of_sm), Ok(blocks @ 1..), Some(fixed)) => {
            let each = u64::from(of_sm) / u64::from(blocks.unsigned_abs()) / UNIT * UNIT;
            let taken = u64::from(RESERVED_SHARED) + u64::from(fixed);
            let most = opt_in::limit(host, &symbol);
            Value::known(each.saturating_sub(taken).min(most))
        }
        _ => host.unknown(Source::Property("shared memory that is left".to_owned())),
    };
    host.store(arg(args, 0), 8, left);
    query::success(host, args)
}

/// (out, function, configuration).
fn cluster(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let size = match host.device.compute_capability.0 >= CLUSTERS_FROM {
        true => {
            let place = host.place;
            let reason = "that of any device with clusters is taken: 8 blocks";
            host.notes
                .assume(place, "largest cluster", reason.to_owned());
            Value::known(PORTABLE)
        }
        false => host.unknown(Source::Property("clusters, which it has not".to_owned())),
    };
    host.store(arg(args, 0), 4, size);
    query::success(host, args)
}
