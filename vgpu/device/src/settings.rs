//! Environment variables -> how a virtual GPU is set up: its model, its board's name, MIG, delays. A value that is none
//! is an error that names the variable. Knows no state file.

use crate::state::StateError;
use migfit_schema::units::Mib;
use std::sync::OnceLock;

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
    /// Memory of a new virtual GPU without MIG, instead of its model's.
    pub memory: Option<Mib>,
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

    /// Of each GPU that `MIGFIT_VGPU` names, as `MIGFIT_VGPU_NAME`, `MIGFIT_VGPU_MIG`, `MIGFIT_VGPU_HALVES`,
    /// `MIGFIT_VGPU_DELAY` and `MIGFIT_VGPU_MEMORY` say; of one whose model is to be found in its state file where none is named.
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
            memory: parsed("MIGFIT_VGPU_MEMORY", memory)?,
        })
        .and_then(|settings| kernels().and(workers()).map(|_| settings))
    }
}

/// What a launch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// The kernel runs.
    Run,
    /// The launch is checked and counted.
    Count,
}

/// What launches do: `MIGFIT_VGPU_KERNELS`.
///
/// # Errors
/// `Setting` for a value that is none.
pub fn kernels() -> Result<Kernels, StateError> {
    static FOUND: OnceLock<Kernels> = OnceLock::new();
    if let Some(kernels) = FOUND.get() {
        return Ok(*kernels);
    }
    let kernels = parsed("MIGFIT_VGPU_KERNELS", kernels_of)?.unwrap_or(Kernels::Run);
    Ok(*FOUND.get_or_init(|| kernels))
}

/// Blocks that run at a time: `MIGFIT_VGPU_WORKERS`, or one for each core.
///
/// # Errors
/// `Setting` for a value that is none.
pub fn workers() -> Result<usize, StateError> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    if let Some(workers) = FOUND.get() {
        return Ok(*workers);
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = parsed("MIGFIT_VGPU_WORKERS", workers_of)?.unwrap_or_else(cores);
    Ok(*FOUND.get_or_init(|| workers))
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

/// The most memory of a virtual GPU: addresses for four times as much must fit a process.
const MOST_MEMORY_MIB: u64 = 16 << 20;

fn memory(value: &str) -> Result<Mib, String> {
    let mib = value.parse().ok();
    let mib = mib.filter(|mib| (1024..=MOST_MEMORY_MIB).contains(mib));
    mib.map(Mib)
        .ok_or_else(|| format!("it is a number of MiB from 1024 to {MOST_MEMORY_MIB}"))
}

fn kernels_of(value: &str) -> Result<Kernels, String> {
    match value {
        "run" => Ok(Kernels::Run),
        "count" => Ok(Kernels::Count),
        _ => Err("they are run or count".to_owned()),
    }
}

fn workers_of(value: &str) -> Result<usize, String> {
    let count = value.parse().ok().filter(|count| (1..=256).contains(count));
    count.ok_or_else(|| "it is a number of blocks from 1 to 256".to_owned())
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
        assert_eq!(kernels_of("count"), Ok(Kernels::Count));
        assert!(kernels_of("no").is_err());
        assert_eq!(workers_of("2"), Ok(2));
        assert!(workers_of("0").is_err());
        assert_eq!(memory("65536"), Ok(Mib(65536)));
        assert!(memory("1023").is_err() && memory("64 GiB").is_err());
        for none in ["-1", "1s", "", "1000001"] {
            assert!(delay(none).is_err(), "{none}");
        }
    }
}
