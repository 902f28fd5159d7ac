//! Settings and a path -> an open virtual GPU: its state file is made where it is not there, and checked.

use super::error::StateError;
use super::file::{Identity, StateFile};
use super::gpu::VirtualGpu;
use super::layout::{BOARD_BYTES, Tables};
use super::{damage, identity, places};
use crate::model::Model;
use crate::settings::{MigSetting, Settings};
use migfit_schema::units::Mib;
use std::path::{Path, PathBuf};

impl VirtualGpu {
    /// Opens the GPU that the environment names, of several the first; see the crate's documentation.
    ///
    /// # Errors
    /// When it names none or a value is none, or the state file is not usable.
    pub fn from_env() -> Result<VirtualGpu, StateError> {
        let all = VirtualGpu::all_from_env()?;
        all.into_iter().next().ok_or(StateError::NotConfigured)
    }

    /// Opens all GPUs that the environment names, by their numbers.
    ///
    /// # Errors
    /// As `from_env`, for any of them.
    pub fn all_from_env() -> Result<Vec<VirtualGpu>, StateError> {
        let settings = Settings::from_env()?;
        let first = places::named_by_environment()?;
        let numbered = settings.iter().enumerate();
        numbered
            .map(|(number, settings)| {
                VirtualGpu::set_up(&places::of_number(&first, number), settings)
            })
            .collect()
    }

    /// The state file that the environment names, whether or not it is there.
    ///
    /// # Errors
    /// `NotConfigured` when neither variable is set, or the default folder is not this user's.
    pub fn path_from_env() -> Result<PathBuf, StateError> {
        places::named_by_environment()
    }

    /// Opens the GPU of a state file; makes the file when it is not there and a model is given.
    ///
    /// # Errors
    /// When the model is unknown or another one's, or the file is not usable.
    pub fn open(path: &Path, model: Option<&str>) -> Result<VirtualGpu, StateError> {
        let settings = model.map(Settings::of_model).unwrap_or_default();
        VirtualGpu::set_up(path, &settings)
    }

    /// The same with all that can be set.
    ///
    /// # Errors
    /// As `open`; also where the settings want MIG of a state file without it, or none of one with it.
    pub fn set_up(path: &Path, settings: &Settings) -> Result<VirtualGpu, StateError> {
        if let Some(name) = &settings.model {
            make(path, &Model::named(name)?, settings)?;
        }
        let (file, stored) = StateFile::open(path)?;
        if let Some(wanted) = &settings.model
            && Model::named(wanted)?.name != stored.model
        {
            return Err(StateError::OtherModel {
                path: path.to_owned(),
                stored: stored.model,
                wanted: wanted.clone(),
            });
        }
        let model = stored_model(&file, &stored)?;
        let mut gpu = VirtualGpu {
            model,
            uuid: stored.uuid,
            file,
        };
        gpu.require_mig_as_set(settings)?;
        gpu.keep(settings)?;
        Ok(gpu)
    }

    fn require_mig_as_set(&self, settings: &Settings) -> Result<(), StateError> {
        let (value, other) = match (settings.mig, self.model.has_mig()) {
            (Some(MigSetting::Absent), true) => ("none", "with"),
            (Some(MigSetting::On), false) => ("on", "without"),
            (Some(MigSetting::Off), false) => ("off", "without"),
            _ => return Ok(()),
        };
        let path = self.path().display();
        Err(StateError::Setting {
            variable: "MIGFIT_VGPU_MIG",
            value: value.to_owned(),
            reason: format!(
                "{path} is the state of a board {other} MIG; name another file in MIGFIT_VGPU_STATE or remove this one"
            ),
        })
    }

    /// Keeps what is set in the state file, so that it holds for every process.
    fn keep(&mut self, settings: &Settings) -> Result<(), StateError> {
        if let Some(board) = &settings.board {
            self.model.board.clone_from(board);
        }
        let board = settings.board.as_deref().map(padded);
        let change = |tables: &mut Tables| {
            tables.board = board.unwrap_or(tables.board);
            tables.delay = settings.delay.unwrap_or(tables.delay);
        };
        let news = self.file.read(|tables| {
            let mut changed = *tables;
            change(&mut changed);
            (changed.board, changed.delay) != (tables.board, tables.delay)
        })?;
        if news {
            self.file.write(|tables| {
                change(tables);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Makes the state file of a GPU without instances, unless it is there.
fn make(path: &Path, model: &Model, settings: &Settings) -> Result<(), StateError> {
    let has_mig = model.has_mig() && settings.mig != Some(MigSetting::Absent);
    let mig_mode = u64::from(has_mig && settings.mig != Some(MigSetting::Off));
    if has_mig && settings.memory.is_some() {
        return Err(StateError::Setting {
            variable: "MIGFIT_VGPU_MEMORY",
            value: settings.memory.unwrap_or_default().0.to_string(),
            reason: "a board with MIG has its model's memory; set MIGFIT_VGPU_MIG=none".to_owned(),
        });
    }
    let tables = Tables {
        memory_mib: settings.memory.unwrap_or_default().0,
        has_mig: u64::from(has_mig),
        mig_mode,
        mig_pending: mig_mode,
        swapped: u64::from(settings.swapped == Some(true)),
        ..Tables::EMPTY
    };
    let uuid = identity::gpu(&model.name, &places::absolute(path));
    StateFile::create(path, &model.name, uuid, &tables)
}

/// The model that the state file names, as the file changes it.
fn stored_model(file: &StateFile, stored: &Identity) -> Result<Model, StateError> {
    let unusable = |reason| StateError::Foreign {
        path: file.path().to_owned(),
        reason,
    };
    let model = Model::named(&stored.model)
        .map_err(|error| unusable(format!("it names no GPU model of ours ({error})")))?;
    let (has_mig, board, memory) = file.read(|tables| {
        let board = unpadded(&tables.board);
        (tables.has_mig, board, Mib(tables.memory_mib))
    })?;
    let mut model = match has_mig {
        0 => model.without_mig(),
        _ => model,
    };
    if has_mig == 0 && memory > Mib(0) {
        model.memory = memory;
    }
    file.read(|tables| damage::check(tables, &model))?
        .map_err(|reason| unusable(format!("it is damaged: {reason}")))?;
    if !board.is_empty() {
        model.board = board;
    }
    Ok(model)
}

fn padded(name: &str) -> [u8; BOARD_BYTES] {
    let mut bytes = [0; BOARD_BYTES];
    let room = bytes.iter_mut().take(BOARD_BYTES - 1);
    for (to, from) in room.zip(name.bytes()) {
        *to = from;
    }
    bytes
}

fn unpadded(bytes: &[u8; BOARD_BYTES]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}
