//! The story of `migfit doctor`: the installation, the compilers, the driver and its GPUs, other services, the preload.

use crate::cli::request::DoctorRequest;
use crate::cli::selector::GpuSelector;
use crate::doctor::finding::{DoctorError, Finding, State};
use crate::doctor::{driver, form, gpus, parts, self_test, services, tools};
use crate::exit_code::ExitCode;
use crate::gpu::nvml::Library;
use crate::gpu::{Which, Wish, virtual_gpu};
use crate::run::installation::{Installation, NVML};
use migfit_mig::Model;
use std::path::{Path, PathBuf};

/// The model of the virtual GPU that stands in where there is no driver.
const STAND_IN: &str = "a100-40gb";

/// What doctor says.
pub struct Checked {
    /// What the shell is told.
    pub code: ExitCode,
    /// What standard output gets.
    pub output: String,
}

/// Looks at everything.
///
/// # Errors
/// When no temporary folder can be made.
pub fn doctor(request: &DoctorRequest) -> Result<Checked, DoctorError> {
    let migfit = std::env::current_exe().unwrap_or_default();
    let bin = migfit.parent().map(Path::to_owned).unwrap_or_default();
    let installation = Installation::own();
    let mut found = parts::parts(&bin, &installation);
    let complete = form::count(&found, State::Broken) == 0;
    found.extend(tools::tools());
    let visit = Visit {
        migfit,
        installation,
        complete,
    };
    found.extend(match &request.gpu {
        Some(GpuSelector::Virtual(model)) => visit.virtual_gpu(model)?,
        Some(GpuSelector::Real(wish)) => visit.machine(Some(wish))?,
        None => visit.machine(None)?,
    });
    let code = match form::count(&found, State::Broken) {
        0 => ExitCode::Success,
        _ => ExitCode::Unhealthy,
    };
    let output = if request.json {
        form::json(&found)?
    } else {
        form::text(&found)
    };
    Ok(Checked { code, output })
}

struct Visit {
    migfit: PathBuf,
    installation: Installation,
    /// Whether all parts of migfit are there, so that the self-test means something.
    complete: bool,
}

impl Visit {
    /// The driver of this machine and its GPUs.
    fn machine(&self, wish: Option<&Wish>) -> Result<Vec<Finding>, DoctorError> {
        let library = match Library::open(None) {
            Ok(library) => library,
            Err(error) => {
                let found = driver::not_started(&error, wish.is_some());
                let mut found = vec![found];
                found.extend(self.self_test_on(STAND_IN, "no driver starts on this machine")?);
                return Ok(found);
            }
        };
        let mut found = driver::started(&library);
        found.extend(gpus::gpus(&library, wish, system()));
        found.extend(services::services(Path::new("/")));
        if self.complete {
            found.extend(self_test::on_the_driver(&self.migfit, &self.installation)?);
        }
        Ok(found)
    }

    /// The virtual GPU of a model, in the state that the caller named if that is there, else a new one.
    fn virtual_gpu(&self, model: &Model) -> Result<Vec<Finding>, DoctorError> {
        let folder = tempfile::tempdir().map_err(DoctorError::NoFolder)?;
        let given = virtual_gpu::given_state().filter(|state| state.exists());
        let state = given.unwrap_or_else(|| folder.path().join("gpu.state"));
        // SAFETY: no thread was started yet.
        unsafe { virtual_gpu::announce(&virtual_gpu::variables(model, &state)) };
        let Ok(libraries) = self.installation.virtual_gpu() else {
            // Told with the parts of the installation.
            return Ok(Vec::new());
        };
        let library = match Library::open(Some(&libraries.join(NVML))) {
            Ok(library) => library,
            Err(error) => return Ok(vec![driver::not_started(&error, true)]),
        };
        let only = Wish {
            which: Which::Index(0),
            slices_demanded: false,
        };
        let mut found = driver::started(&library);
        found.extend(gpus::gpus(&library, Some(&only), system()));
        found.extend(self.self_test_on(&model.name, "as asked for")?);
        Ok(found)
    }

    fn self_test_on(&self, model: &str, why: &str) -> Result<Vec<Finding>, DoctorError> {
        match migfit_mig::find(model) {
            Ok(model) if self.complete => self_test::on_the_virtual_gpu(&self.migfit, model, why),
            _ => Ok(Vec::new()),
        }
    }
}

fn system() -> gpus::System<'static> {
    gpus::System {
        proc: Path::new("/proc"),
        display_driver: Path::new("/sys/module/nvidia_drm").exists(),
    }
}
