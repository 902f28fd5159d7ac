//! `MigGpu` for a GPU that is not divided: without MIG, or with its MIG mode off. It is one slice that is always there;
//! nothing is created or destroyed, and the mode is left as it is.

use crate::gpu::driver::{Driver, MigMode};
use crate::gpu::live_model::undivided;
use crate::gpu::open::facts;
use crate::gpu::{GpuError, GpuFacts, GpuInstance, LiveMigDevice, MigDeviceSpec, MigGpu};
use migfit_mig::Model;

/// A GPU that is one slice.
pub struct WholeGpu {
    facts: GpuFacts,
    model: Model,
    notes: Vec<String>,
    /// Times that it was taken.
    taken: u64,
}

impl WholeGpu {
    /// Takes this GPU as it is.
    ///
    /// # Errors
    /// When the driver does not tell its memory.
    pub fn new(driver: &dyn Driver, mode: MigMode) -> Result<WholeGpu, GpuError> {
        let board = driver.board()?;
        let mut facts = facts(driver, &board)?;
        facts.is_undivided = true;
        let mut notes = vec![note(mode).to_owned()];
        let others = driver.processes().map_or(0, |all| all.len());
        if others > 0 {
            notes.push(format!(
                "others ran on this GPU when the run began ({others}): sized by the memory that they left, and times are shared"
            ));
        }
        Ok(WholeGpu {
            facts,
            model: undivided(&board)?,
            notes,
            taken: 0,
        })
    }

    /// Sentences that a reader of the report must know.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// What a reader of the report must know.
fn note(mode: MigMode) -> &'static str {
    match mode {
        MigMode::Absent => "this GPU has no MIG: the GPU is one slice",
        MigMode::Off | MigMode::On => "MIG is off: the GPU is one slice",
        MigMode::TurningOn | MigMode::TurningOff => {
            "MIG is off until this GPU is reset: the GPU is one slice"
        }
    }
}

impl MigGpu for WholeGpu {
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
            gi: 0,
            ci: 0,
            uuid: self.facts.uuid.clone(),
            generation: self.taken,
        })
    }

    fn destroy(&mut self, _device: &LiveMigDevice) -> Result<(), GpuError> {
        Ok(())
    }
}
