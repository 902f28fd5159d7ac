//! Environment variables -> how a virtual GPU is set up: its model, its board's name, MIG, delays. A value that is none
//! is an error that names the variable. Knows no state file.

use crate::state::StateError;

/// The longest name of a board: what NVML has room for, without the NUL.
pub const LONGEST_BOARD: usize = 95;
/// The most GPUs of one machine.
const MOST_GPUS: usize = 16;
/// The longest delay that can be set, so that a slip of the finger is told.
const LONGEST_DELAY: u64 = 1_000_000;

/// What is set of a virtual GPU; `None`: as its state file says, or as a new one is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// GPU model; a state file that is not there is made for it.
    pub model: Option<String>,
    /// The board's name as the driver tells it, instead of the model's own.
    pub board: Option<String>,
    /// MIG of a new virtual GPU.
    pub mig: Option<MigSetting>,
    /// Whether the halves of a new virtual GPU are swapped, as on some boards: GI ids begin at the upper one.
    pub swapped: Option<bool>,
    /// How many attempts to destroy an instance fail after a process on it has ended.
    pub delay: Option<u64>,
}

/// MIG of a new virtual GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigSetting {
    /// MIG mode is on at first.
    On,
    /// MIG mode is off at first.
    Off,
    /// The board offers no MIG at all.
    Absent,
}

impl Settings {
    /// For this GPU model; everything else as it is by default.
    #[must_use]
    pub fn of_model(model: &str) -> Settings {
        Settings {
            model: Some(model.to_owned()),
            ..Settings::default()
        }
    }

    /// Of each GPU that `MIGFIT_VGPU` names, as `MIGFIT_VGPU_NAME`, `MIGFIT_VGPU_MIG`, `MIGFIT_VGPU_HALVES` and
    /// `MIGFIT_VGPU_DELAY` say; of one whose model is to be found in its state file where none is named.
    ///
    /// # Errors
    /// `Setting` for a value that is none.
    pub fn from_env() -> Result<Vec<Settings>, StateError> {
        let common = Settings::common()?;
        let Some(models) = variable("MIGFIT_VGPU") else {
            return Ok(vec![common]);
        };
        let count = models.split(',').count();
        if count > MOST_GPUS {
            return Err(StateError::Setting {
                variable: "MIGFIT_VGPU",
                reason: format!("it names {count} GPUs, more than {MOST_GPUS}"),
                value: models,
            });
        }
        Ok(models
            .split(',')
            .map(|model| Settings {
                model: Some(model.trim().to_owned()),
                ..common.clone()
            })
            .collect())
    }

    /// What all GPUs have in common.
    fn common() -> Result<Settings, StateError> {
        Ok(Settings {
            model: None,
            board: parsed("MIGFIT_VGPU_NAME", board)?,
            mig: parsed("MIGFIT_VGPU_MIG", mig)?,
            swapped: parsed("MIGFIT_VGPU_HALVES", swapped)?,
            delay: parsed("MIGFIT_VGPU_DELAY", delay)?,
        })
    }
}

/// An environment variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn parsed<T>(
    name: &'static str,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, StateError> {
    let value = variable(name);
    let parsed = value.as_deref().map(parse).transpose();
    parsed.map_err(|reason| StateError::Setting {
        variable: name,
        value: value.unwrap_or_default(),
        reason,
    })
}

fn board(value: &str) -> Result<String, String> {
    if value.len() > LONGEST_BOARD {
        return Err(format!("it has more than {LONGEST_BOARD} bytes"));
    }
    if value.trim() != value || value.chars().any(char::is_control) {
        return Err("it has blanks at an end or control characters".to_owned());
    }
    Ok(value.to_owned())
}

fn mig(value: &str) -> Result<MigSetting, String> {
    match value {
        "on" => Ok(MigSetting::On),
        "off" => Ok(MigSetting::Off),
        "none" => Ok(MigSetting::Absent),
        _ => Err("it is on, off or none".to_owned()),
    }
}

fn swapped(value: &str) -> Result<bool, String> {
    match value {
        "plain" => Ok(false),
        "swapped" => Ok(true),
        _ => Err("they are plain or swapped".to_owned()),
    }
}

fn delay(value: &str) -> Result<u64, String> {
    let count = value.parse().ok().filter(|count| *count <= LONGEST_DELAY);
    count.ok_or_else(|| format!("it is a number of attempts from 0 to {LONGEST_DELAY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_what_is_none_is_told() {
        assert_eq!(board("NVIDIA A100").as_deref(), Ok("NVIDIA A100"));
        assert!(board(" NVIDIA A100").unwrap_err().contains("blanks"));
        assert!(board(&"x".repeat(96)).unwrap_err().contains("95 bytes"));
        assert_eq!(mig("none"), Ok(MigSetting::Absent));
        assert!(mig("Off").is_err());
        assert_eq!(
            (swapped("plain"), swapped("swapped")),
            (Ok(false), Ok(true))
        );
        assert!(swapped("1").is_err());
        assert_eq!((delay("0"), delay("12")), (Ok(0), Ok(12)));
        for none in ["-1", "1s", "", "1000001"] {
            assert!(delay(none).is_err(), "{none}");
        }
    }
}
