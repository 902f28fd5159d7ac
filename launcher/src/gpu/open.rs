//! From a wish (`auto`, a number, a UUID; slices demanded or not) to a GPU that jobs can run on, divided or not, with
//! the reasons why others were passed over. Changes nothing.

use crate::gpu::driver::{Driver, Machine, MigMode, ToldBoard};
use crate::gpu::driver_gpu::DriverGpu;
use crate::gpu::error::PassedOver;
use crate::gpu::holders::{Holders, Place};
use crate::gpu::whole_gpu::WholeGpu;
use crate::gpu::{GpuError, GpuFacts, MigGpu, Which};
use migfit_mig::Layout;
use std::fmt;
use std::path::Path;

/// What the virtual GPU's driver has in its version.
const VIRTUAL_DRIVER: &str = "-migfit-";

/// Which GPU is wanted, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Which.
    pub which: Which,
    /// Whether one that is not divided is refused.
    pub slices_demanded: bool,
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.slices_demanded { "mig:" } else { "" };
        write!(f, "{prefix}{}", self.which)
    }
}

/// A GPU that jobs can run on.
pub struct Opened {
    /// The GPU.
    pub gpu: Box<dyn MigGpu>,
    /// Sentences that a reader of the report must know: which GPU was taken and why, that MIG is off.
    pub notes: Vec<String>,
}

impl Opened {
    fn divided<D: Driver + 'static>(gpu: DriverGpu<D>) -> Opened {
        Opened {
            gpu: Box::new(gpu),
            notes: Vec::new(),
        }
    }

    fn whole(gpu: WholeGpu) -> Opened {
        Opened {
            notes: gpu.notes().to_vec(),
            gpu: Box::new(gpu),
        }
    }
}

/// Opens the GPU that is wished for.
///
/// # Errors
/// When it is not there or cannot be used; for `auto`, when none can.
pub fn open<M: Machine>(machine: &M, wish: &Wish) -> Result<Opened, GpuError> {
    match &wish.which {
        Which::Auto => first_usable(machine, wish.slices_demanded),
        Which::Index(index) => named(machine.by_index(*index)?, wish.slices_demanded),
        Which::Uuid(uuid) => named(machine.by_uuid(uuid)?, wish.slices_demanded),
    }
}

/// This GPU, divided or, where that is allowed, not.
fn named<D: Driver + 'static>(driver: D, slices_demanded: bool) -> Result<Opened, GpuError> {
    match driver.mig_mode()? {
        MigMode::On => Ok(Opened::divided(DriverGpu::new(driver)?)),
        MigMode::Absent | MigMode::Off | MigMode::TurningOn if slices_demanded => {
            Err(undivided(&driver)?)
        }
        // A driver whose mode is about to go off refuses changes.
        MigMode::TurningOff => Err(undivided(&driver)?),
        mode @ (MigMode::Absent | MigMode::Off | MigMode::TurningOn) => {
            Ok(Opened::whole(WholeGpu::new(&driver, mode)?))
        }
    }
}

/// Why slices cannot be cut from this GPU in its present mode.
fn undivided(driver: &dyn Driver) -> Result<GpuError, GpuError> {
    let board = driver.board()?.name;
    Ok(GpuError::of_mode(driver.mig_mode()?, &board, driver.uuid()))
}

/// The first GPU that can be cut; where none can, and slices are not demanded, the first that is free as a whole.
fn first_usable<M: Machine>(machine: &M, slices_demanded: bool) -> Result<Opened, GpuError> {
    let count = machine.count()?;
    let mut passed = Vec::new();
    for index in 0..count {
        match cuttable(machine, index) {
            Ok(gpu) => {
                let gpu = Opened::divided(gpu);
                return Ok(announced(gpu, index, count, &passed));
            }
            Err(why) => passed.push(PassedOver { index, why }),
        }
    }
    if !slices_demanded && let Some((gpu, index)) = first_whole(machine, &mut passed) {
        passed.retain(|passed| passed.index != index);
        return Ok(announced(Opened::whole(gpu), index, count, &passed));
    }
    Err(none_usable(passed))
}

/// The first of these that is not divided and that nobody uses; of the others, why not.
fn first_whole<M: Machine>(machine: &M, passed: &mut [PassedOver]) -> Option<(WholeGpu, u32)> {
    for passed in passed {
        let undivided = matches!(
            passed.why,
            GpuError::MigOff { .. } | GpuError::ModePending { on: true, .. }
        );
        match undivided.then(|| free_as_a_whole(machine, passed.index)) {
            None => {}
            Some(Ok(gpu)) => return Some((gpu, passed.index)),
            Some(Err(why)) => passed.why = why,
        }
    }
    None
}

/// With one GPU, its own error says more than that it is the only one.
fn none_usable(mut passed: Vec<PassedOver>) -> GpuError {
    match passed.len() {
        0 => GpuError::NoGpu {
            which: "on this machine (the driver lists none)".to_owned(),
        },
        1 => passed.remove(0).why,
        _ => GpuError::NoneUsable { passed },
    }
}

/// The GPU with this number, if slices can be cut from it now: MIG on, allowed, and a place left.
fn cuttable<M: Machine>(machine: &M, index: u32) -> Result<DriverGpu<M::Gpu>, GpuError> {
    let driver = machine.by_index(index)?;
    if driver.mig_mode()? != MigMode::On {
        return Err(undivided(&driver)?);
    }
    let gpu = DriverGpu::new(driver)?;
    gpu.check_permission()?;
    let model = gpu.model();
    let board = || gpu.facts().name.clone();
    let others = gpu.observe()?.into_iter().map(|instance| instance.placed);
    let layout = Layout::of(model, others).map_err(|error| GpuError::Contradiction {
        board: board(),
        what: error.to_string(),
    })?;
    let mut placeable = layout.placeable(model).into_iter();
    match placeable.any(|(name, _)| name.attribute.is_none()) {
        true => Ok(gpu),
        false => Err(GpuError::Full {
            board: board(),
            others: layout.to_string(),
        }),
    }
}

/// The GPU with this number, undivided, if nobody runs on it.
fn free_as_a_whole<M: Machine>(machine: &M, index: u32) -> Result<WholeGpu, GpuError> {
    let driver = machine.by_index(index)?;
    let listed = driver.processes()?;
    if !listed.is_empty() {
        let place = Place {
            proc: Path::new("/proc"),
            minor: driver.minor(),
            gi: None,
        };
        return Err(GpuError::Shared {
            board: driver.board()?.name,
            holders: Holders::find(&listed, place),
        });
    }
    WholeGpu::new(&driver, driver.mig_mode()?)
}

/// Says which GPU `auto` took, and why not the others.
fn announced(opened: Opened, index: u32, count: u32, passed: &[PassedOver]) -> Opened {
    let taken = format!("auto: GPU {index} of {count}");
    let passed = passed.iter().map(|passed| format!("passed over {passed}"));
    let notes = std::iter::once(taken).chain(passed).chain(opened.notes);
    Opened {
        notes: notes.collect(),
        gpu: opened.gpu,
    }
}

/// What is told of a GPU in reports.
///
/// # Errors
/// When the driver does not tell its version.
pub fn facts(driver: &dyn Driver, board: &ToldBoard) -> Result<GpuFacts, GpuError> {
    let version = driver.version()?;
    Ok(GpuFacts {
        name: board.name.clone(),
        uuid: driver.uuid().to_owned(),
        is_virtual: version.contains(VIRTUAL_DRIVER),
        driver: version,
        is_undivided: false,
        place_untold: false,
    })
}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
