//! Counted launches and copies -> their time on a slice, by a roofline: a launch takes as long as the slowest of issuing
//! its instructions, its double precision, the cache and the memory. Whole numbers throughout, so that nothing rounds
//! differently elsewhere. One after the other: streams are not taken to overlap.

use super::energy;
use super::rates::{CACHE, CACHE_PER_SM, COPY_PS, DEPENDENT, ISSUE, LAUNCH_PS, Rates, rates};
use migfit_mig::{MigProfile, Model};
use migfit_schema::record::{Copies, LaunchCount};
use migfit_schema::units::WARP_THREADS;
use serde::Serialize;

/// What is modelled of a job on a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Modelled {
    /// Launches, seconds.
    pub kernels_s: f64,
    /// Copies and fills, seconds, with the link to the host for itself.
    pub copies_s: f64,
    /// Both.
    pub device_s: f64,
    /// What the job adds to the energy of an idle board, joules; null where its limit is not known.
    pub added_j: Option<f64>,
    /// The slice's part of the idle board over that time, joules.
    pub idle_share_j: Option<f64>,
    /// What bounds most of the launches' time.
    pub bound_by: Part,
}

/// Parts of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Issuing instructions.
    Instructions,
    /// Double precision.
    Double,
    /// The level-2 cache.
    Cache,
    /// The memory.
    Memory,
    /// Launching as such.
    Launch,
}

const PARTS: [Part; 5] = [
    Part::Instructions,
    Part::Double,
    Part::Cache,
    Part::Memory,
    Part::Launch,
];

/// A slice as the model sees it.
struct Slice {
    rates: Rates,
    sms: u64,
    /// Its part of memory, cache and bandwidth.
    part: u64,
    of: u64,
}

/// A job on a slice of this MIG profile, or on the whole board with MIG off (none). None where no source has the speeds.
#[must_use]
pub fn modelled(
    launches: &[LaunchCount],
    copies: &Copies,
    model: &Model,
    profile: Option<&MigProfile>,
) -> Option<Modelled> {
    let rates = rates(model)?;
    let slice = match profile {
        Some(profile) => Slice {
            rates,
            sms: profile.sms?.into(),
            part: profile.memory_slices.into(),
            of: model.memory_slices.into(),
        },
        None => Slice {
            rates,
            sms: model.sm_count?.into(),
            part: 1,
            of: 1,
        },
    };
    let mut by_part = [0_u128; 5];
    let (mut kernels, mut busy) = (0_u128, 0_u128);
    for launch in launches {
        let (part, each, used) = slice.launch(launch);
        let all = each * u128::from(launch.count);
        kernels += all;
        busy += used * u128::from(launch.count);
        by_part[part] += all;
    }
    let copies = slice.copies(copies);
    let span = kernels + copies;
    // While it copies, the memory is as busy as the link lets it be: next to nothing.
    let mean = (busy * 1000).checked_div(span).unwrap_or(0);
    let sms = model.sm_count.map_or(slice.sms, u64::from);
    let energy = energy::microjoules(model, span, mean, (slice.sms, sms));
    let most = (0..PARTS.len()).max_by_key(|nth| (by_part[*nth], PARTS.len() - nth));
    Some(Modelled {
        kernels_s: seconds(kernels),
        copies_s: seconds(copies),
        device_s: seconds(span),
        added_j: energy.map(|(added, _)| added as f64 / 1e6),
        idle_share_j: energy.map(|(_, share)| share as f64 / 1e6),
        bound_by: most.map_or(Part::Launch, |nth| PARTS[nth]),
    })
}

fn seconds(ps: u128) -> f64 {
    ps as f64 / 1e12
}

impl Slice {
    /// The part that bounds a launch, its picoseconds, and those in which the slice is busy.
    fn launch(&self, launch: &LaunchCount) -> (usize, u128, u128) {
        let each = |sum: u64| u128::from(sum.div_ceil(launch.count.max(1)));
        let work = &launch.work;
        let blocks = launch.grid.count().max(1);
        let threads = launch.block.count().max(1);
        let warps = threads.div_ceil(WARP_THREADS);
        // The busiest SM has one block more than others where they do not come out even.
        let blocks_of_sm = u128::from(blocks.div_ceil(self.sms));
        let of_sm = |sum: u128| (sum * blocks_of_sm).div_ceil(u128::from(blocks));
        // A partly filled warp is issued whole.
        let issued = (each(work.instructions) * u128::from(warps)).div_ceil(u128::from(threads));
        let resident = blocks_of_sm * u128::from(warps);
        let rate = resident.min(u128::from(ISSUE * DEPENDENT));
        let instructions = (of_sm(issued) * u128::from(DEPENDENT)).div_ceil(rate);
        let double = of_sm(each(work.double)).div_ceil(u128::from(self.rates.double_per_clock));
        let moved = each(work.read_bytes) + each(work.written_bytes);
        let busy_sms = u128::from(self.sms.min(blocks));
        let whole = u128::from(CACHE * self.part / self.of.max(1)).max(1);
        let cache = moved.div_ceil(whole.min(busy_sms * u128::from(CACHE_PER_SM)));
        let clocks = [instructions, double, cache].map(|clocks| self.of_clocks(clocks));
        let memory = self.of_memory(each(work.distinct_bytes));
        let times = [clocks[0], clocks[1], clocks[2], memory];
        let longest = (0..times.len()).max_by_key(|nth| (times[*nth], times.len() - nth));
        let longest = longest.unwrap_or(0);
        let busy = match longest {
            // Idle SMs take no power.
            0 | 1 => times[longest] * busy_sms / u128::from(self.sms),
            _ => times[longest],
        };
        let launch_ps = u128::from(LAUNCH_PS);
        let part = if times[longest] < launch_ps {
            4
        } else {
            longest
        };
        (part, times[longest] + launch_ps, busy)
    }

    fn copies(&self, copies: &Copies) -> u128 {
        let link = u128::from(copies.to_device_bytes) + u128::from(copies.to_host_bytes);
        // 1 MB/s is 1 byte in a microsecond.
        let link = (link * 1_000_000).div_ceil(u128::from(self.rates.link_mb_s));
        let calls = u128::from(copies.to_device) + u128::from(copies.to_host);
        let within = self.of_memory(2 * u128::from(copies.within_bytes));
        link + within
            + calls * u128::from(COPY_PS)
            + u128::from(copies.within) * u128::from(LAUNCH_PS)
    }

    fn of_clocks(&self, clocks: u128) -> u128 {
        (clocks * 1_000_000).div_ceil(u128::from(self.rates.clock_mhz))
    }

    fn of_memory(&self, bytes: u128) -> u128 {
        let of = u128::from(self.rates.memory_mb_s) * u128::from(self.part);
        (bytes * 1_000_000 * u128::from(self.of)).div_ceil(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::kernel::Extent;
    use migfit_schema::record::Work;

    fn launch(blocks: u32, threads: u32, count: u64, work: Work) -> LaunchCount {
        let extent = |x| Extent { x, y: 1, z: 1 };
        LaunchCount {
            kernel: "k".to_owned(),
            grid: extent(blocks),
            block: extent(threads),
            shared: 0,
            count,
            work,
        }
    }

    fn on(name: Option<&str>, launches: &[LaunchCount]) -> Modelled {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let profile = name.map(|name| model.profile(name.parse().unwrap()).unwrap());
        modelled(launches, &Copies::default(), model, profile).unwrap()
    }

    #[test]
    fn a_stream_of_bytes_goes_by_the_slice_s_part_of_the_memory() {
        let work = Work {
            instructions: 1 << 20,
            read_bytes: 15_550_000_000,
            distinct_bytes: 15_550_000_000,
            ..Work::default()
        };
        let whole = on(None, &[launch(1 << 16, 256, 1, work)]);
        assert_eq!(
            (whole.kernels_s, whole.bound_by),
            (0.010_002_5, Part::Memory)
        );
        let slice = on(Some("1g.5gb"), &[launch(1 << 16, 256, 1, work)]);
        assert_eq!(slice.kernels_s, 0.080_002_5);
        assert!(slice.added_j.unwrap() < 4.0 * whole.added_j.unwrap());
    }

    #[test]
    fn arithmetic_goes_by_the_slice_s_sms_and_a_small_grid_gains_nothing() {
        let work = Work {
            instructions: 32 * 4 * 1410 * 1_000_000,
            ..Work::default()
        };
        // 98 blocks on 98 SMs, 8 warps each, of which 4 warps' worth a clock would need 16.
        let whole = on(Some("7g.40gb"), &[launch(98, 256, 1, work)]);
        let tight = on(Some("1g.5gb"), &[launch(98, 256, 1, work)]);
        assert_eq!(whole.bound_by, Part::Instructions);
        assert!(
            (tight.kernels_s / whole.kernels_s - 3.5).abs() < 0.01,
            "{tight:?} {whole:?}"
        );
        let small = |name| on(Some(name), &[launch(14, 512, 1, work)]).kernels_s;
        assert_eq!(small("1g.5gb"), small("7g.40gb"));
    }

    #[test]
    fn double_precision_and_launches_bound_too() {
        let work = Work {
            instructions: 1 << 30,
            double: 1 << 30,
            ..Work::default()
        };
        assert_eq!(
            on(None, &[launch(1080, 256, 1, work)]).bound_by,
            Part::Double
        );
        let empty = on(None, &[launch(1, 32, 1000, Work::default())]);
        assert_eq!((empty.kernels_s, empty.bound_by), (0.0025, Part::Launch));
    }

    #[test]
    fn copies_go_over_the_link_and_fills_through_the_memory() {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let copies = Copies {
            to_device_bytes: 31_500_000_000,
            to_device: 1,
            ..Copies::default()
        };
        let found = modelled(&[], &copies, model, None).unwrap();
        assert_eq!(found.copies_s, 1.000_008);
        assert_eq!(found.device_s, found.copies_s);
    }
}
