//! The launches of a need -> the warps that the job asks an SM for: the largest launch, and the mean over the run.
//! No clock is known before the run, so the mean's weights are an estimate.

use crate::need::LaunchNeed;

/// What the weights of `Demand::mean_warps` are.
pub const WEIGHT: &str = "warps x trips of each launch, an estimate of its time";

/// How many warps a job brings to the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand<'n> {
    /// The launch with most warps, with them; the first of several.
    pub largest: Option<(&'n LaunchNeed, u64)>,
    /// Warps of a launch in the mean over the run, each weighted by its estimated share of the time (`WEIGHT`).
    pub mean_warps: Option<f64>,
    /// False where a shape or a count is not known: the largest may be larger, and the mean may be another.
    pub whole: bool,
}

/// The demand of a run's launches.
#[must_use]
pub fn demand(launches: &[LaunchNeed]) -> Demand<'_> {
    let sized = launches
        .iter()
        .filter_map(|launch| Some((launch, launch.warps()?)));
    let mut largest: Option<(&LaunchNeed, u64)> = None;
    let (mut weighted, mut weights) = (0.0_f64, 0.0_f64);
    for (launch, warps) in sized {
        if largest.is_none_or(|(_, most)| warps > most) {
            largest = Some((launch, warps));
        }
        // Beyond 2^53 the last digits of an estimate do not matter.
        let (warps, trips) = (warps as f64, launch.count as f64);
        weighted += warps * warps * trips;
        weights += warps * trips;
    }
    Demand {
        largest,
        mean_warps: (weights > 0.0).then(|| weighted / weights),
        whole: launches
            .iter()
            .all(|launch| launch.warps().is_some() && launch.count_known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::kernel::Extent;
    use migfit_schema::site::Site;

    fn launch(blocks: Option<u32>, threads: u32, count: u64) -> LaunchNeed {
        let extent = |x| Extent { x, y: 1, z: 1 };
        LaunchNeed {
            site: Site::default(),
            kernel: "k".to_owned(),
            name: "k".to_owned(),
            grid: blocks.map(extent),
            block: Some(extent(threads)),
            shared: Some(0),
            count,
            count_known: true,
        }
    }

    #[test]
    fn a_long_launch_weighs_more_than_a_short_one() {
        // 10 blocks of 2 warps once, 1 block of 1 warp twenty times.
        let launches = [launch(Some(10), 33, 1), launch(Some(1), 32, 20)];
        let found = demand(&launches);
        assert_eq!(found.largest.map(|(_, warps)| warps), Some(20));
        assert_eq!(found.mean_warps, Some((20.0 * 20.0 + 20.0) / 40.0));
        assert!(found.whole);
    }

    #[test]
    fn what_is_not_known_is_left_out_and_told() {
        let launches = [launch(None, 32, 1)];
        let found = demand(&launches);
        assert_eq!((found.largest, found.mean_warps), (None, None));
        assert!(!found.whole);
        assert!(demand(&[]).whole);
    }
}
