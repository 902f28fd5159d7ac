//! The story of `migfit fit --run`: the program really runs, once, or again with more memory where that lacked.

use crate::cli::request::TrialRequest;
use crate::exit_code::ExitCode;
use crate::jobs::Job;
use crate::output;
use crate::program;
use crate::run::RunError;
use crate::run::host;
use crate::run::input::StandardInput;
use crate::run::installation::Installation;
use crate::run::ready::can_be_virtual;
use crate::run::restart::Input;
use crate::scratch::Room;
use crate::trial::error::TrialError;
use crate::trial::measured::Measured;
use crate::trial::process::{Setting, Try};
use crate::trial::watch::{self, Watched, watch};
use crate::trial::{asked, json, svg, text};
use migfit_schema::profile::JobProfile;
use migfit_schema::record::RunRecord;
use migfit_schema::units::{Bytes, Mib};
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

/// The most memory that a virtual GPU is given.
const MOST: Mib = Mib(16 << 20);
/// The driver's code of a lack of memory.
const OUT_OF_MEMORY: u64 = 2;

/// What comes of it.
pub struct Tried {
    /// For standard output.
    pub output: String,
    /// What the shell is told.
    pub code: ExitCode,
}

/// Tries a program out.
///
/// # Errors
/// When it was not started, or left nothing that could be told.
pub fn run(request: &TrialRequest) -> Result<Tried, TrialError> {
    let folder = std::env::current_dir().map_err(TrialError::WorkingFolder)?;
    let search = std::env::var_os("PATH");
    let found = program::find(&request.program, &folder, search.as_deref())?;
    let found =
        std::path::absolute(program::startable(found)?).map_err(TrialError::WorkingFolder)?;
    let words = request.words();
    let job = Job::new("trial".to_owned(), words.clone(), folder.clone());
    can_be_virtual(&found, &job).map_err(RunError::from)?;
    // It may be any program: what is foretold of it helps, and is not needed.
    let profile = program::read_profile(&found, &folder, &job.environment()).ok();
    let model = asked::model(&request.boards, profile.as_ref()).ok_or_else(|| {
        let names: Vec<String> = request.boards.iter().map(ToString::to_string).collect();
        TrialError::NoModel(names.join(", "))
    })?;
    let least = profile
        .as_ref()
        .and_then(|profile| asked::least(profile, model, &words, &folder, &request.limits));
    room_for(request, &found, least)?;
    let setting = Setting {
        request,
        program: found,
        folder,
        model,
        installation: Installation::own(),
    };
    let memory = first_memory(model.memory_mib, least);
    let mut trial = Trial {
        setting,
        in_place: request.in_place,
        input: StandardInput::ours(),
    };
    let measured = trial.measured(memory, profile)?;
    told(request, &measured)
}

/// Refuses what this machine cannot hold.
fn room_for(
    request: &TrialRequest,
    program: &Path,
    least: Option<Bytes>,
) -> Result<(), TrialError> {
    let (Some(needs), Some(has), false) = (least, host::room().memory, request.skip_kernels) else {
        return Ok(());
    };
    match needs > has {
        false => Ok(()),
        true => Err(TrialError::TooLarge {
            program: program.to_owned(),
            needs,
            has,
        }),
    }
}

/// The board's own memory, or more where the program is known to need it.
fn first_memory(board: Mib, least: Option<Bytes>) -> Mib {
    let least = least.map_or(Mib(0), Bytes::to_mib_ceil);
    // A quarter more, and the context.
    board
        .max(Mib(least.0.saturating_mul(5) / 4 + 1024))
        .min(MOST)
}

struct Trial<'t> {
    setting: Setting<'t>,
    in_place: bool,
    input: StandardInput,
}

impl Trial<'_> {
    fn measured(
        &mut self,
        first: Mib,
        profile: Option<JobProfile>,
    ) -> Result<Measured, TrialError> {
        let mut memory = first;
        loop {
            let own = tempfile::Builder::new().prefix("migfit-trial-").tempdir();
            let own = own.map_err(|source| TrialError::CannotWrite {
                path: std::env::temp_dir(),
                source,
            })?;
            let own_path = own
                .path()
                .canonicalize()
                .unwrap_or_else(|_| own.path().to_owned());
            let room = (!self.in_place).then(Room::make);
            let attempt = Try {
                memory,
                own: &own_path,
                room: room.as_ref(),
            };
            let watched = self.attempt(&attempt)?;
            let records = watch::read(&attempt.records());
            // Made in any case, and empty where the program was started.
            let why = std::fs::read_to_string(attempt.failure()).unwrap_or_default();
            if !why.is_empty() {
                self.without_layer(&why)?;
                continue;
            }
            if let Some(more) = self.more_memory(memory, &watched, &records) {
                output::remark(&format!(
                    "migfit: {memory} of device memory were too little: once more with {more}\n"
                ));
                memory = more;
                continue;
            }
            if records.is_empty() {
                return Err(TrialError::NoRecord {
                    program: self.setting.program.clone(),
                    ending: watched.ending.to_string(),
                });
            }
            let unsupported = std::fs::read_to_string(attempt.log()).unwrap_or_default();
            let written = room.as_ref().map(Room::written);
            return Ok(Measured::of(
                &self.setting,
                memory,
                watched,
                records,
                profile,
                &unsupported,
                written,
            ));
        }
    }

    fn attempt(&self, attempt: &Try<'_>) -> Result<Watched, TrialError> {
        let records = attempt.records();
        std::fs::create_dir_all(&records).map_err(|source| TrialError::CannotWrite {
            path: records.clone(),
            source,
        })?;
        let mut command = self.setting.command(attempt)?;
        watch(&mut command, &records, self.setting.request.limit).map_err(|source| {
            TrialError::NotStarted {
                program: self.setting.program.clone(),
                source,
            }
        })
    }

    /// There is no layer: the user may agree to do without.
    fn without_layer(&mut self, why: &str) -> Result<(), TrialError> {
        if !std::io::stdin().is_terminal() {
            return Err(TrialError::NoLayer(why.to_owned()));
        }
        output::remark(&format!(
            "migfit: what the program writes cannot be kept apart here ({why}).\n\
             It will write to your files as they are. Run it? [y/N] "
        ));
        let mut line = String::new();
        // An end of input is no agreement.
        let _ = std::io::stdin().lock().read_line(&mut line);
        match line.trim() {
            "y" | "Y" | "yes" => {
                self.in_place = true;
                Ok(())
            }
            _ => Err(TrialError::NoLayer(why.to_owned())),
        }
    }

    /// How much memory the next try gets; none where this one is to be told. What was written in place is not done twice.
    fn more_memory(&self, had: Mib, watched: &Watched, records: &[RunRecord]) -> Option<Mib> {
        let lacks = records.iter().flat_map(|record| &record.first_failures);
        let lacks = lacks.filter(|failure| failure.code == OUT_OF_MEMORY);
        let wanted = lacks.map(|lack| Bytes(lack.current.saturating_add(lack.requested)));
        let wanted = wanted.max()?;
        let again = watched.cut.is_none() && !self.in_place && self.input.kind() == Input::Again;
        let more = Mib(had.0.max(wanted.to_mib_ceil().0).saturating_mul(2));
        if !again || more > MOST || self.input.rewind().is_err() {
            return None;
        }
        Some(more)
    }
}

fn told(request: &TrialRequest, measured: &Measured) -> Result<Tried, TrialError> {
    if let Some(path) = &request.svg {
        let name = request
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let picture = svg::text(&name, &measured.series, measured.took);
        write(path, &picture)?;
    }
    Ok(Tried {
        output: match request.json {
            true => json::text(measured)?,
            false => text::text(measured),
        },
        code: measured.code(),
    })
}

fn write(path: &PathBuf, text: &str) -> Result<(), TrialError> {
    std::fs::write(path, text).map_err(|source| TrialError::CannotWrite {
        path: path.clone(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_as_large_as_need_be() {
        assert_eq!(first_memory(Mib(40960), None), Mib(40960));
        assert_eq!(first_memory(Mib(40960), Some(Bytes(4 << 30))), Mib(40960));
        assert_eq!(
            first_memory(Mib(40960), Some(Bytes(64 << 30))),
            Mib(80 * 1024 + 1024)
        );
        assert_eq!(first_memory(Mib(1), Some(Bytes(u64::MAX))), MOST);
    }
}
