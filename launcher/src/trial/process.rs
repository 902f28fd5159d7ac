//! The program with its virtual GPU and, where it gets one, its scratch layer -> the process to start. Starts nothing.

use crate::cli::request::TrialRequest;
use crate::gpu::virtual_gpu;
use crate::jobs::Job;
use crate::run::installation::Installation;
use crate::run::launch::{Place, Streams, Surroundings, command};
use crate::scratch::Room;
use crate::trial::error::TrialError;
use migfit_mig::Model;
use migfit_schema::record::RECORD_SITES_VARIABLE;
use migfit_schema::units::Mib;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stays the same when a program is tried again with more memory.
pub struct Setting<'s> {
    /// What is asked.
    pub request: &'s TrialRequest,
    /// The program's file, absolute.
    pub program: PathBuf,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// The model that the virtual GPU is.
    pub model: &'s Model,
    /// Where migfit's libraries are.
    pub installation: Installation,
}

/// One try.
pub struct Try<'t> {
    /// Memory of its virtual GPU.
    pub memory: Mib,
    /// A folder of ours for its records and the virtual GPU's state.
    pub own: &'t Path,
    /// Folders for what it writes; none: it writes in place.
    pub room: Option<&'t Room>,
}

impl Try<'_> {
    /// Folder of its run records.
    pub fn records(&self) -> PathBuf {
        self.own.join("records")
    }

    /// Where it is written why there is no scratch layer.
    pub fn failure(&self) -> PathBuf {
        self.own.join("failure")
    }

    /// Names of calls that the virtual GPU does not support.
    pub fn log(&self) -> PathBuf {
        self.own.join("gpu.log")
    }
}

impl Setting<'_> {
    /// The process of a try.
    ///
    /// # Errors
    /// When the libraries of the virtual GPU, or migfit's own program, cannot be found.
    pub fn command(&self, attempt: &Try<'_>) -> Result<Command, TrialError> {
        let state = attempt.own.join("gpu.state");
        let mut variables = virtual_gpu::variables(self.model, &state);
        let kernels = if self.request.skip_kernels {
            "count"
        } else {
            "run"
        };
        let more = [
            ("MIGFIT_VGPU_MIG", "none".to_owned()),
            ("MIGFIT_VGPU_MEMORY", attempt.memory.0.to_string()),
            ("MIGFIT_VGPU_KERNELS", kernels.to_owned()),
            ("MIGFIT_VGPU_LOG", attempt.log().display().to_string()),
            (RECORD_SITES_VARIABLE, "1".to_owned()),
        ];
        variables.extend(more.map(|(name, value)| (name.into(), value.into())));
        let around = Surroundings {
            runtime: self.installation.runtime().ok(),
            virtual_gpu: Some(self.installation.virtual_gpu()?),
            variables,
        };
        let (program, words) = match attempt.room {
            None => (self.program.clone(), self.request.words()),
            Some(room) => self.layered(attempt, room)?,
        };
        let job = Job::new("trial".to_owned(), words, self.folder.clone());
        let place = Place {
            program: &program,
            slice: "0",
            records: &attempt.records(),
            attempt: 1,
        };
        let not_started = |source| TrialError::NotStarted {
            program: self.program.clone(),
            source,
        };
        let mut made = command(&job, &place, &around, Streams::Ours)
            .map_err(|why| not_started(std::io::Error::other(why)))?;
        if self.request.json {
            // Standard output is the document's.
            let other = std::io::stderr().as_fd().try_clone_to_owned();
            made.stdout(other.map_err(not_started)?);
        }
        Ok(made)
    }

    /// `migfit in-scratch`, which makes the layer and becomes the program.
    fn layered(
        &self,
        attempt: &Try<'_>,
        room: &Room,
    ) -> Result<(PathBuf, Vec<OsString>), TrialError> {
        let own = std::env::current_exe().map_err(|source| TrialError::NotStarted {
            program: "migfit".into(),
            source,
        })?;
        let mut words: Vec<OsString> = vec!["migfit".into(), "in-scratch".into()];
        for folder in room.folders() {
            words.extend(["--room".into(), folder.clone().into()]);
        }
        words.extend(["--through".into(), attempt.own.into()]);
        words.extend(["--failure".into(), attempt.failure().into()]);
        words.extend(["--program".into(), self.program.clone().into(), "--".into()]);
        words.extend(self.request.words());
        Ok((own, words))
    }
}
