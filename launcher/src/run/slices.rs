//! The slices of a run: those that we made, busy or idle, beside GPU instances of others, which are never touched.
//! Carries out a placement's decision; takes everything of ours away at the end. Knows no queue.

use crate::gpu::{GpuError, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu};
use migfit_mig::{Action, Decision, Held, Placed};

/// What one of our slices is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Idle,
    Busy,
    /// Could not be destroyed: left alone until the end.
    Stuck,
}

#[derive(Clone, Debug)]
struct Own {
    device: LiveMigDevice,
    used: Use,
}

/// The slices of a run.
pub struct Slices<'g> {
    gpu: &'g mut dyn MigGpu,
    others: Vec<GpuInstance>,
    own: Vec<Own>,
}

/// Of which slice a job's end gives back.
pub type Generation = u64;

impl<'g> Slices<'g> {
    /// Begins with what there is; all of it belongs to others.
    ///
    /// # Errors
    /// When the driver does not tell.
    pub fn observe(gpu: &'g mut dyn MigGpu) -> Result<Slices<'g>, GpuError> {
        let others = gpu.observe()?;
        Ok(Slices {
            gpu,
            others,
            own: Vec::new(),
        })
    }

    /// The GPU instances that there are; those of others count as busy.
    pub fn held(&self) -> Vec<Held> {
        let own = self.own.iter().map(|own| Held {
            placed: own.device.spec.0,
            busy: own.used != Use::Idle,
        });
        self.others().into_iter().chain(own).collect()
    }

    /// GPU instances of others.
    pub fn others(&self) -> Vec<Held> {
        let others = self.others.iter();
        let held = others.map(|instance| Held {
            placed: instance.placed,
            busy: true,
        });
        held.collect()
    }

    /// Makes a decision true and takes its slice.
    ///
    /// # Errors
    /// When the driver refuses; what can still be used is told by `held`.
    pub fn take(&mut self, decision: &Decision) -> Result<LiveMigDevice, GpuError> {
        if let Action::Create { destroy } = &decision.action {
            for &placed in destroy {
                self.destroy_idle(placed)?;
            }
            let device = match self.gpu.create(MigDeviceSpec(decision.placed)) {
                Ok(device) => device,
                Err(error) => {
                    self.look_again();
                    return Err(error);
                }
            };
            self.own.push(Own {
                device,
                used: Use::Idle,
            });
        }
        let found = self
            .own
            .iter_mut()
            .find(|own| own.device.spec.0 == decision.placed && own.used == Use::Idle);
        let own = found.ok_or_else(|| GpuError::NotAsAsked {
            asked: decision.placed,
            made: "nothing: no such idle slice".to_owned(),
        })?;
        own.used = Use::Busy;
        Ok(own.device.clone())
    }

    /// The job on this slice has ended.
    pub fn give_back(&mut self, generation: Generation) {
        let found = self
            .own
            .iter_mut()
            .find(|own| own.device.generation == generation);
        if let Some(own) = found {
            own.used = Use::Idle;
        }
    }

    /// Destroys everything that we made, last made first.
    ///
    /// # Errors
    /// With all that stay; the others are tried all the same.
    pub fn close(&mut self) -> Result<(), GpuError> {
        let mut failed = Vec::new();
        while let Some(own) = self.own.pop() {
            failed.extend(self.gpu.destroy(&own.device).err());
        }
        GpuError::of_all(failed).map_or(Ok(()), Err)
    }

    fn destroy_idle(&mut self, placed: Placed) -> Result<(), GpuError> {
        let idle = |own: &Own| own.device.spec.0 == placed && own.used == Use::Idle;
        let Some(at) = self.own.iter().position(idle) else {
            return Ok(());
        };
        let answer = self.gpu.destroy(&self.own[at].device);
        match answer {
            Ok(()) => {
                self.own.remove(at);
            }
            Err(_) => self.own[at].used = Use::Stuck,
        }
        answer
    }

    /// Others may have come meanwhile.
    fn look_again(&mut self) {
        let Ok(all) = self.gpu.observe() else {
            return;
        };
        let ours = |instance: &GpuInstance| self.own.iter().any(|own| own.device.gi == instance.gi);
        self.others = all.into_iter().filter(|instance| !ours(instance)).collect();
    }
}

#[cfg(test)]
#[path = "slices_tests.rs"]
mod tests;
