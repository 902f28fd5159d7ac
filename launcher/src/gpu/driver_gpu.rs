//! `MigGpu` over the driver: the model as the driver tells it, creation that is all or nothing, destruction that is
//! tried again and read back. Knows which calls to make in which order, not how they are made.

use crate::gpu::nvml::{NvmlDevice, ProfileId, ToldInstance, ToldProfile};
use crate::gpu::{GpuError, GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu, Which};
use migfit_mig::{MemorySource, MigProfile, Model, Placed, Placement};
use migfit_schema::units::Mib;
use std::path::Path;
use std::time::Duration;

/// Waits, in milliseconds, between attempts to destroy what is still in use: a driver may need a second or more
/// after a process has ended.
const PATIENCE: [u64; 8] = [10, 20, 50, 100, 250, 500, 1000, 2000];

/// A GPU behind a driver.
pub struct DriverGpu {
    device: NvmlDevice,
    facts: GpuFacts,
    model: Model,
    /// Every MIG profile that the driver offers, also those that the model lacks.
    offered: Vec<ToldProfile>,
    made: u64,
}

impl DriverGpu {
    /// Opens a GPU through this library; none: the system's.
    ///
    /// # Errors
    /// When the library, the GPU or MIG mode is missing, or the board is none that we know.
    pub fn open(library: Option<&Path>, which: &Which) -> Result<DriverGpu, GpuError> {
        let device = NvmlDevice::open(library, which)?;
        let facts = GpuFacts {
            name: device.name()?,
            uuid: device.uuid().to_owned(),
            driver: device.driver()?,
        };
        let board = facts.name.clone();
        if !device.mig_mode()? {
            return Err(GpuError::MigOff { board });
        }
        let Ok(known) = migfit_mig::find(&board) else {
            return Err(GpuError::UnknownBoard { board });
        };
        let offered = device.profiles()?;
        let model = corrected(known, &offered, |id| device.placements(id))?;
        Ok(DriverGpu {
            device,
            facts,
            model,
            offered,
            made: 0,
        })
    }

    fn placed(&self, told: &ToldInstance) -> Result<Placed, GpuError> {
        let profile = self.model.profiles.iter().find(|p| p.id == told.profile.0);
        let profile = profile.ok_or_else(|| GpuError::Contradiction {
            board: self.facts.name.clone(),
            what: format!(
                "GPU instance {} has the MIG profile ID {}",
                told.gi, told.profile.0
            ),
        })?;
        Ok(Placed {
            placement: told.placement,
            profile: profile.name,
        })
    }

    /// Everything after the GPU instance: read back, compute instance of full size, UUID.
    fn complete(
        &mut self,
        told: &ToldInstance,
        spec: MigDeviceSpec,
    ) -> Result<LiveMigDevice, GpuError> {
        let not_as_asked = |made| GpuError::NotAsAsked {
            asked: spec.0,
            made,
        };
        let made = self.placed(told)?;
        if made != spec.0 {
            return Err(not_as_asked(made.to_string()));
        }
        let ci = self
            .device
            .create_full_compute(told.gi, spec.0.profile.slices)?;
        let uuid = self.device.mig_uuid(told.gi, ci)?;
        let uuid = uuid.ok_or_else(|| not_as_asked(format!("{made} without a MIG device")))?;
        self.made += 1;
        Ok(LiveMigDevice {
            spec,
            gi: told.gi,
            ci,
            uuid,
            generation: self.made,
        })
    }

    /// Takes back a GPU instance of which not all could be made.
    fn roll_back(&self, gi: u32, spec: MigDeviceSpec, cause: GpuError) -> GpuError {
        // A compute instance may or may not be there; a full-size one is the only one, so its id is 0.
        let compute = gone(patiently(|| self.device.destroy_compute(gi, 0)));
        let all = compute.and_then(|()| gone(patiently(|| self.device.destroy_instance(gi))));
        match all {
            Ok(()) => cause,
            Err(rollback) => GpuError::LeftOver {
                spec: spec.0,
                cause: Box::new(cause),
                rollback: Box::new(rollback),
                gi,
            },
        }
    }
}

impl MigGpu for DriverGpu {
    fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn observe(&self) -> Result<Vec<GpuInstance>, GpuError> {
        let mut all = Vec::new();
        for profile in &self.offered {
            for told in self.device.instances(profile.id, profile.count)? {
                all.push(GpuInstance {
                    gi: told.gi,
                    placed: self.placed(&told)?,
                });
            }
        }
        all.sort_by_key(|instance| instance.gi);
        Ok(all)
    }

    fn create(&mut self, spec: MigDeviceSpec) -> Result<LiveMigDevice, GpuError> {
        let profile = self.model.profile(spec.0.profile);
        let profile = profile.ok_or_else(|| GpuError::NotAsAsked {
            asked: spec.0,
            made: "nothing: the driver does not offer it".to_owned(),
        })?;
        let told = self
            .device
            .create_instance(ProfileId(profile.id), spec.0.placement)?;
        self.complete(&told, spec)
            .map_err(|cause| self.roll_back(told.gi, spec, cause))
    }

    fn destroy(&mut self, device: &LiveMigDevice) -> Result<(), GpuError> {
        gone(patiently(|| {
            self.device.destroy_compute(device.gi, device.ci)
        }))?;
        gone(patiently(|| self.device.destroy_instance(device.gi)))?;
        // Drivers have reported success and kept remnants.
        let left = self.observe()?;
        match left
            .iter()
            .find(|instance| instance.placed == device.spec.0)
        {
            None => Ok(()),
            Some(instance) => Err(GpuError::StillThere {
                gi: instance.gi,
                placed: instance.placed,
            }),
        }
    }
}

/// Tries again, with growing waits, as long as the answer is "in use".
fn patiently(mut attempt: impl FnMut() -> Result<(), GpuError>) -> Result<(), GpuError> {
    for wait in PATIENCE {
        match attempt() {
            Err(GpuError::InUse { .. }) => std::thread::sleep(Duration::from_millis(wait)),
            answer => return answer,
        }
    }
    attempt()
}

/// What is not there need not be destroyed.
fn gone(answer: Result<(), GpuError>) -> Result<(), GpuError> {
    match answer {
        Err(GpuError::NotFound { .. }) => Ok(()),
        other => other,
    }
}

/// The built-in model with what the driver tells: ids, sizes, SMs, counts and placements differ between boards and
/// drivers. MIG profiles that the driver does not offer are left out.
fn corrected(
    known: &Model,
    offered: &[ToldProfile],
    placements: impl Fn(ProfileId) -> Result<Vec<Placement>, GpuError>,
) -> Result<Model, GpuError> {
    let mut profiles = Vec::new();
    for profile in &known.profiles {
        let Some(told) = offered
            .iter()
            .find(|told| told.index.0 == profile.nvml_index)
        else {
            continue;
        };
        let places = placements(told.id)?;
        if told.sm_slices != profile.compute_slices() || places.is_empty() {
            return Err(GpuError::Contradiction {
                board: known.board().to_owned(),
                what: format!(
                    "{} has {} SM slices and {} placements",
                    profile.name,
                    told.sm_slices,
                    places.len()
                ),
            });
        }
        profiles.push(MigProfile {
            id: told.id.0,
            memory_mib: Mib(told.memory_mib),
            memory_from: MemorySource::Read,
            sms: Some(told.sms),
            max_count: told.count,
            ..placed_at(profile.clone(), &places)
        });
    }
    Ok(Model {
        profiles,
        ..known.clone()
    })
}

/// The MIG profile with the driver's placements; the built-in default order stays only where it is one of them.
fn placed_at(mut profile: MigProfile, places: &[Placement]) -> MigProfile {
    profile.starts = places.iter().map(|place| place.start).collect();
    profile.starts.sort_unstable();
    profile.memory_slices = places
        .first()
        .map_or(profile.memory_slices, |place| place.size);
    let mut order = profile.driver_order.clone();
    order.sort_unstable();
    if order != profile.starts {
        profile.driver_order.clear();
    }
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::nvml::ProfileIndex;

    fn told(profile: &MigProfile) -> ToldProfile {
        ToldProfile {
            index: ProfileIndex(profile.nvml_index),
            id: ProfileId(profile.id),
            sm_slices: profile.compute_slices(),
            sms: profile.sms.unwrap(),
            count: profile.max_count,
            memory_mib: profile.memory_mib.0,
        }
    }

    #[test]
    fn the_driver_s_figures_replace_the_built_in_ones() {
        let known = migfit_mig::find("a100-40gb").unwrap();
        let mut offered: Vec<ToldProfile> = known.profiles.iter().map(told).collect();
        offered.retain(|told| told.index.0 != 9);
        offered[0].memory_mib = 4800;
        let places = |id: ProfileId| {
            let profile = known.profiles.iter().find(|p| p.id == id.0);
            let all = profile.unwrap().placements();
            Ok(all.filter(|place| place.start != 6).collect())
        };
        let model = corrected(known, &offered, places).unwrap();
        assert!(model.profile("1g.10gb".parse().unwrap()).is_none());
        let small = model.profile("1g.5gb".parse().unwrap()).unwrap();
        assert_eq!((small.memory_mib, small.starts.len()), (Mib(4800), 6));
        assert!(small.driver_order.is_empty(), "the order named place 6");
        let half = model.profile("3g.20gb".parse().unwrap()).unwrap();
        assert_eq!(half.driver_order, [4, 0]);
    }

    #[test]
    fn another_number_of_sm_slices_is_a_contradiction() {
        let known = migfit_mig::find("a100-40gb").unwrap();
        let mut offered: Vec<ToldProfile> = known.profiles.iter().map(told).collect();
        offered[0].sm_slices = 2;
        let places = |_| Ok(vec![Placement { start: 0, size: 1 }]);
        let error = corrected(known, &offered, places).unwrap_err();
        assert!(
            error.to_string().contains("1g.5gb has 2 SM slices"),
            "{error}"
        );
    }

    #[test]
    fn only_what_is_in_use_is_tried_again() {
        let mut left = 2;
        let answer = patiently(|| {
            left -= 1;
            match left {
                0 => Ok(()),
                _ => Err(GpuError::InUse { call: "test" }),
            }
        });
        assert!(answer.is_ok());
        let mut attempts = 0;
        let answer = patiently(|| {
            attempts += 1;
            Err(GpuError::NoPermission { call: "test" })
        });
        assert!(matches!(
            (answer, attempts),
            (Err(GpuError::NoPermission { .. }), 1)
        ));
    }
}
