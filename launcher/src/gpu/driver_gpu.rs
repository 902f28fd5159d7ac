//! `MigGpu` over a driver, for a GPU with MIG mode on: creation that is all or nothing, destruction that is tried again
//! and read back. Knows which calls to make in which order, not how they are made.

use crate::gpu::capability::{self, Right};
use crate::gpu::driver::{Driver, ProfileId, ToldInstance, ToldProfile};
use crate::gpu::holders::{Holders, Place};
use crate::gpu::live_model::live_model;
use crate::gpu::open::facts;
use crate::gpu::patience::patiently;
use crate::gpu::{GpuError, GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu};
use crate::output;
use migfit_mig::{Model, Placed};
use std::path::Path;
use std::time::Duration;

/// Refusals of a destruction at which the user is told: by then it has waited 0.6 s.
const TOLD_AT: u32 = 7;

/// A GPU with MIG mode on, behind a driver.
pub struct DriverGpu<D> {
    driver: D,
    facts: GpuFacts,
    model: Model,
    /// Every MIG profile that the driver offers, also those that the model lacks.
    offered: Vec<ToldProfile>,
    made: u64,
    sleep: fn(Duration),
}

impl<D: Driver> DriverGpu<D> {
    /// Reads what the driver tells of this GPU.
    ///
    /// # Errors
    /// When it refuses, or tells what cannot be.
    pub fn new(driver: D) -> Result<DriverGpu<D>, GpuError> {
        DriverGpu::with_clock(driver, std::thread::sleep)
    }

    /// The same with another way to wait.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_clock(driver: D, sleep: fn(Duration)) -> Result<DriverGpu<D>, GpuError> {
        let board = driver.board()?;
        let offered = driver.profiles()?;
        let with_places = offered
            .iter()
            .map(|told| Ok((told.clone(), driver.placements(told.id)?)));
        let with_places: Result<Vec<_>, GpuError> = with_places.collect();
        Ok(DriverGpu {
            facts: facts(&driver, &board)?,
            model: live_model(&board, &with_places?)?,
            driver,
            offered,
            made: 0,
            sleep,
        })
    }

    /// Whether slices may be cut, without cutting one: a question that the driver answers to the privileged alone, and
    /// the capability file that lifts that.
    ///
    /// # Errors
    /// When they may not.
    pub fn check_permission(&self) -> Result<(), GpuError> {
        let Some(any) = self.offered.first() else {
            return Ok(());
        };
        match self.driver.remaining(any.id) {
            Err(refused @ GpuError::NoPermission { .. }) => {
                match capability::right(Path::new("/proc"), capability::CONFIG) {
                    Right::Open(_) => Ok(()),
                    Right::Closed(_) | Right::NoFile => Err(refused),
                }
            }
            // Drivers that lack this question answer when asked to create.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn placed(&self, told: &ToldInstance) -> Result<Placed, GpuError> {
        let profile = self.model.profiles.iter().find(|p| p.id == told.profile.0);
        let profile = profile.ok_or_else(|| GpuError::Contradiction {
            board: self.facts.name.clone(),
            what: format!(
                "GPU instance {} has the MIG profile ID {}, which it does not offer by a name that migfit reads",
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
        let slices = spec.0.profile.slices;
        let ci = patiently(self.sleep, || {
            self.driver.create_full_compute(told.gi, slices)
        })?;
        let uuid = self.driver.mig_uuid(told.gi, ci)?;
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
        match self.take_away(gi, 0, spec.0) {
            Ok(()) => cause,
            Err(rollback) => GpuError::LeftOver {
                spec: spec.0,
                cause: Box::new(cause),
                rollback: Box::new(rollback),
                gi,
                gpu: self.facts.uuid.clone(),
            },
        }
    }

    /// Destroys a compute instance and its GPU instance; what is not there need not be destroyed.
    fn take_away(&self, gi: u32, ci: u32, placed: Placed) -> Result<(), GpuError> {
        let mut refusals = 0;
        let mut noticed = |answer: Result<(), GpuError>| {
            refusals += u32::from(matches!(answer, Err(GpuError::InUse { .. })));
            // The first refusals are usual just after a process has ended.
            if refusals == TOLD_AT && matches!(answer, Err(GpuError::InUse { .. })) {
                output::remark(&format!(
                    "migfit: {placed} is still in use: trying for 10 s\n"
                ));
            }
            answer
        };
        gone(patiently(self.sleep, || {
            noticed(self.driver.destroy_compute(gi, ci))
        }))?;
        gone(patiently(self.sleep, || {
            noticed(self.driver.destroy_instance(gi))
        }))
    }

    fn holders(&self, gi: Option<u32>) -> Holders {
        let place = Place {
            proc: Path::new("/proc"),
            minor: self.driver.minor(),
            gi,
        };
        Holders::find(&self.driver.processes().unwrap_or_default(), place)
    }

    /// The GPU instance with this id and place, if it is there.
    fn find(&self, device: &LiveMigDevice) -> Result<Option<GpuInstance>, GpuError> {
        let same = |there: &GpuInstance| there.gi == device.gi && there.placed == device.spec.0;
        Ok(self.observe()?.into_iter().find(same))
    }
}

impl<D: Driver> MigGpu for DriverGpu<D> {
    fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn observe(&self) -> Result<Vec<GpuInstance>, GpuError> {
        let mut all = Vec::new();
        for profile in &self.offered {
            for told in self.driver.instances(profile.id, profile.count)? {
                all.push(GpuInstance {
                    gi: told.gi,
                    placed: self.placed(&told)?,
                });
            }
        }
        all.sort_by_key(|instance| instance.gi);
        all.dedup();
        Ok(all)
    }

    fn create(&mut self, spec: MigDeviceSpec) -> Result<LiveMigDevice, GpuError> {
        let profile = self.model.profile(spec.0.profile);
        let profile = profile.ok_or_else(|| GpuError::NotAsAsked {
            asked: spec.0,
            made: "nothing: the driver does not offer it".to_owned(),
        })?;
        let id = ProfileId(profile.id);
        let told = patiently(self.sleep, || {
            self.driver.create_instance(id, spec.0.placement)
        });
        let told = told.map_err(|error| self.held(spec.0, None, error))?;
        self.complete(&told, spec).map_err(|cause| {
            let cause = self.held(spec.0, Some(told.gi), cause);
            self.roll_back(told.gi, spec, cause)
        })
    }

    fn destroy(&mut self, device: &LiveMigDevice) -> Result<(), GpuError> {
        // Somebody may have destroyed it, and made another in its stead: that one is not ours.
        if self.find(device)?.is_none() {
            return Ok(());
        }
        match self.take_away(device.gi, device.ci, device.spec.0) {
            Err(GpuError::InUse { .. }) => {
                return Err(GpuError::StaysInUse {
                    gi: device.gi,
                    placed: device.spec.0,
                    gpu: self.facts.uuid.clone(),
                    holders: self.holders(Some(device.gi)),
                });
            }
            answer => answer?,
        }
        // Drivers have reported success and kept remnants.
        match self.find(device)? {
            None => Ok(()),
            Some(GpuInstance { gi, placed }) => Err(GpuError::StillThere {
                gi,
                placed,
                gpu: self.facts.uuid.clone(),
            }),
        }
    }
}

impl<D: Driver> DriverGpu<D> {
    /// "In use" after the last attempt to make something, with who holds it.
    fn held(&self, placed: Placed, gi: Option<u32>, error: GpuError) -> GpuError {
        match error {
            GpuError::InUse { .. } => GpuError::Held {
                placed,
                holders: self.holders(gi),
            },
            other => other,
        }
    }
}

/// What is not there need not be destroyed.
fn gone(answer: Result<(), GpuError>) -> Result<(), GpuError> {
    match answer {
        Err(GpuError::NotFound { .. }) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
#[path = "driver_gpu_tests.rs"]
mod tests;
