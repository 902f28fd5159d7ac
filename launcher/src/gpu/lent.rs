//! `MigGpu` for one MIG device that somebody else made and that the user names: it is used as it is, never destroyed,
//! and nothing is made beside it. Asks only what any user may ask. Knows no job.

use crate::gpu::driver::{Driver, Machine, ToldSlice};
use crate::gpu::holders::{Holders, Place};
use crate::gpu::live_model::lent;
use crate::gpu::open::facts;
use crate::gpu::{
    GpuError, GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu, Opened, Which, Wish,
};
use migfit_mig::Model;
use std::path::Path;

/// A MIG device of somebody else.
pub struct LentSlice {
    facts: GpuFacts,
    model: Model,
    told: ToldSlice,
    /// Times that it was taken.
    taken: u64,
}

/// Opens the MIG device with this UUID, on the GPU that is wished for or, for `auto`, on any.
///
/// # Errors
/// When there is no such MIG device, or a process runs on it.
pub fn open_slice<M: Machine>(machine: &M, wish: &Wish, uuid: &str) -> Result<Opened, GpuError> {
    let gpus = match &wish.which {
        Which::Auto => (0..machine.count()?)
            .map(|index| machine.by_index(index))
            .collect::<Result<Vec<_>, GpuError>>()?,
        Which::Index(index) => vec![machine.by_index(*index)?],
        Which::Uuid(uuid) => vec![machine.by_uuid(uuid)?],
    };
    let mut there = Vec::new();
    for gpu in gpus {
        for slice in gpu.slices()? {
            if slice.uuid == uuid {
                return lend(&gpu, slice);
            }
            there.push(slice);
        }
    }
    Err(GpuError::NoSlice {
        uuid: uuid.to_owned(),
        there: there
            .into_iter()
            .map(|slice| (slice.uuid, slice.name))
            .collect(),
    })
}

fn lend(driver: &dyn Driver, told: ToldSlice) -> Result<Opened, GpuError> {
    let mut notes = vec![format!(
        "--slice: ran on {}, which migfit neither made nor destroyed",
        told.uuid
    )];
    match driver.processes() {
        Ok(all) if all.iter().any(|process| process.gi == Some(told.gi)) => {
            let place = Place {
                proc: Path::new("/proc"),
                minor: driver.minor(),
                gi: Some(told.gi),
            };
            return Err(GpuError::SliceInUse {
                uuid: told.uuid,
                holders: Holders::find(&all, place),
            });
        }
        Ok(_) => {}
        Err(refused) => notes.push(format!(
            "whether others ran on that slice is not known: {refused}"
        )),
    }
    let board = driver.board()?;
    let mut facts = facts(driver, &board)?;
    facts.place_untold = told.placement.is_none();
    Ok(Opened {
        gpu: Box::new(LentSlice {
            facts,
            model: lent(&board, &told),
            told,
            taken: 0,
        }),
        notes,
    })
}

impl MigGpu for LentSlice {
    fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn observe(&self) -> Result<Vec<GpuInstance>, GpuError> {
        Ok(Vec::new())
    }

    fn create(&mut self, spec: MigDeviceSpec) -> Result<LiveMigDevice, GpuError> {
        self.taken += 1;
        Ok(LiveMigDevice {
            spec,
            gi: self.told.gi,
            ci: self.told.ci,
            uuid: self.told.uuid.clone(),
            generation: self.taken,
        })
    }

    fn destroy(&mut self, _device: &LiveMigDevice) -> Result<(), GpuError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::scripted::{Rack, Scripted, no_permission};
    use migfit_mig::{LayoutGraph, place};

    fn auto() -> Wish {
        Wish {
            which: Which::Auto,
            slices_demanded: false,
        }
    }

    fn refused(opened: Result<Opened, GpuError>) -> GpuError {
        match opened {
            Ok(_) => panic!("it opened"),
            Err(error) => error,
        }
    }

    #[test]
    fn the_slice_is_found_on_any_gpu_and_neither_made_nor_destroyed() {
        let (first, second) = (
            Scripted::of("a30-24gb").with_devices("1g.6gb@0"),
            Scripted::of("a100-40gb").with_devices("1g.5gb@6 3g.20gb@0"),
        );
        let machine = Rack(vec![first, second.clone()]);
        let mut gpu = open_slice(&machine, &auto(), "MIG-2-0").unwrap().gpu;
        let model = gpu.model().clone();
        assert_eq!(model.name, "a100-40gb");
        let graph = LayoutGraph::new(&model, &model.plain_profiles()).unwrap();
        let only = model.whole().unwrap();
        let decision = place(&graph, &[], only.name).unwrap();
        // The first of the layout by place: 3g.20gb at 0 is GPU instance 1.
        assert_eq!(decision.placed.to_string(), "1g.5gb@6");
        assert_eq!((only.memory_mib.0, only.sms), (4864, Some(14)));
        let device = gpu.create(MigDeviceSpec(decision.placed)).unwrap();
        assert_eq!((device.uuid.as_str(), device.gi), ("MIG-2-0", 2));
        gpu.destroy(&device).unwrap();
        assert_eq!(second.layout(), "3g.20gb@0 1g.5gb@6");
        for call in [
            "create_instance",
            "destroy_instance",
            "destroy_compute",
            "placements",
        ] {
            assert_eq!(second.count(call), 0, "{call}");
        }
    }

    #[test]
    fn a_user_without_privilege_is_not_told_where_it_lies() {
        let gpu = Scripted::of("a100-40gb")
            .with_devices("2g.10gb@2")
            .refusing("placement_of", 1, no_permission);
        let opened = open_slice(&Rack(vec![gpu]), &auto(), "MIG-1-0").unwrap();
        assert!(opened.gpu.facts().place_untold);
        let only = opened.gpu.model().whole().unwrap();
        assert_eq!(
            (only.name.to_string().as_str(), only.memory_slices),
            ("2g.10gb", 2)
        );
    }

    #[test]
    fn a_slice_that_somebody_uses_is_left_to_them() {
        let gpu = Scripted::of("a100-40gb")
            .with_devices("1g.5gb@0 1g.5gb@1")
            .used_by(std::process::id(), Some(1));
        let machine = Rack(vec![gpu]);
        let error = refused(open_slice(&machine, &auto(), "MIG-1-0"));
        let text = error.to_string();
        assert!(
            text.contains(&format!("pid {}", std::process::id())),
            "{text}"
        );
        assert!(open_slice(&machine, &auto(), "MIG-2-0").is_ok());
    }

    #[test]
    fn one_that_is_not_there_is_told_with_those_that_are() {
        let machine = Rack(vec![Scripted::of("a100-40gb").with_devices("1g.5gb@0")]);
        let error = refused(open_slice(&machine, &auto(), "MIG-9-9"));
        assert_eq!(error.to_string(), "there is no MIG device MIG-9-9");
        let place = crate::failure::Explain::place(&error).unwrap();
        assert_eq!(place, "MIG-1-0  NVIDIA A100-SXM4-40GB MIG 1g.5gb");
    }
}
