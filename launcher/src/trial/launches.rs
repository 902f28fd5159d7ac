//! Launches as they were seen, and the kernels' registers -> warps, and on each MIG profile of a board the waves: how
//! often its SMs must be filled until all blocks have run.

use migfit_mig::{Model, ProfileName};
use migfit_schema::kernel::Kernel;
use migfit_schema::record::LaunchCount;
use migfit_schema::units::WARP_THREADS;
use migfit_sizes::{DeviceProperties, blocks_per_sm};
use serde::Serialize;

/// One kind of launch on one board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waves {
    /// Blocks that an SM holds at once; none where the kernel's registers are not known.
    pub blocks_per_sm: Option<u32>,
    /// Blocks of the grid / blocks that the slice holds at once, by MIG profile; empty where that is not known.
    pub by_mig_profile: Vec<(ProfileName, f64)>,
}

/// Warps of a launch, a partly filled one counted whole.
#[must_use]
pub fn warps(launch: &LaunchCount) -> u64 {
    let per_block = launch.block.count().div_ceil(WARP_THREADS);
    launch.grid.count().saturating_mul(per_block)
}

/// On the MIG profiles of a board, by growing size.
#[must_use]
pub fn waves(launch: &LaunchCount, kernels: &[Kernel], model: &Model) -> Waves {
    let capability = model.compute_capability;
    let kernel = kernels.iter().find(|kernel| kernel.symbol == launch.kernel);
    let device = DeviceProperties {
        compute_capability: capability,
        ..DeviceProperties::default()
    };
    let threads = u32::try_from(launch.block.count()).unwrap_or(u32::MAX);
    let resident = kernel
        .and_then(|kernel| blocks_per_sm(kernel.on(capability), &device, threads, launch.shared));
    let waves = |name: ProfileName| {
        let sms = model.profile(name)?.sms?;
        let held = u64::from(resident?) * u64::from(sms);
        (held > 0).then(|| (name, launch.grid.count() as f64 / held as f64))
    };
    Waves {
        blocks_per_sm: resident,
        by_mig_profile: model
            .basic_profiles()
            .into_iter()
            .filter_map(waves)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::kernel::{Extent, ImageCode, KernelImage};
    use migfit_schema::record::Work;

    #[test]
    fn a_slice_with_fewer_sms_takes_more_waves() {
        let extent = |x| Extent { x, y: 1, z: 1 };
        let launch = LaunchCount {
            kernel: "k".to_owned(),
            grid: extent(14 * 8 * 7),
            block: extent(250),
            shared: 0,
            count: 1,
            work: Work::default(),
        };
        let image = KernelImage {
            architecture: 80,
            code: ImageCode::Machine,
            ptx: None,
            registers: Some(32),
            static_shared: Some(0),
            most_threads: None,
        };
        let kernels = [Kernel {
            symbol: "k".to_owned(),
            name: "k".to_owned(),
            images: vec![image],
        }];
        let model = migfit_mig::find("a100-40gb").unwrap();
        assert_eq!(warps(&launch), 14 * 8 * 7 * 8);
        let found = waves(&launch, &kernels, model);
        assert_eq!(found.blocks_per_sm, Some(8));
        let told: Vec<String> = found
            .by_mig_profile
            .iter()
            .map(|(name, waves)| format!("{name} {waves}"))
            .collect();
        assert_eq!(
            (told[0].as_str(), told.last().unwrap().as_str()),
            ("1g.5gb 7", "7g.40gb 1")
        );
        assert_eq!(waves(&launch, &[], model).by_mig_profile, []);
    }
}
