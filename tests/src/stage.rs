//! The staged installation (target/migfit), brought up to date once per test process unless MIGFIT_STAGED says that
//! this was done.

use crate::{lock, process, toolkit};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The staged installation.
pub struct Stage {
    prefix: PathBuf,
}

static STAGE: OnceLock<Stage> = OnceLock::new();

impl Stage {
    /// The installation, with nvcc beside it; made when first asked for.
    pub fn ready() -> &'static Stage {
        STAGE.get_or_init(|| {
            let stage = Stage {
                prefix: target().join("migfit"),
            };
            if std::env::var_os("MIGFIT_STAGED").is_none() {
                lock::holding(&target().join("tests/stage.lock"), || stage.bring_up());
            }
            stage
        })
    }

    /// A staged program.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.prefix.join("bin").join(name)
    }

    /// The library that is preloaded into jobs.
    #[must_use]
    pub fn runtime(&self) -> PathBuf {
        self.prefix.join("lib/migfit/libmigfit_runtime.so")
    }

    /// Folder of the virtual GPU's libraries.
    #[must_use]
    pub fn virtual_gpu(&self) -> PathBuf {
        self.prefix.join("lib/migfit/vgpu")
    }

    /// Folder in which nvcc's private Python environment lies.
    #[must_use]
    pub fn cuda(&self) -> PathBuf {
        self.prefix.join("cuda")
    }

    /// Folder of the NVML clients' private Python environment.
    #[must_use]
    pub fn clients(&self) -> PathBuf {
        self.prefix.join("clients")
    }

    /// Fills that folder.
    pub fn install_clients(&self) {
        lock::holding(&target().join("tests/stage.lock"), || chore(&["setup"]));
    }

    fn bring_up(&self) {
        if toolkit::find(&self.cuda()).is_none() {
            chore(&["setup"]);
        }
        chore(&["stage", "--quiet"]);
    }
}

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Cargo's target folder.
#[must_use]
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

fn chore(words: &[&str]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.arg("xtask").args(words).current_dir(root());
    process::output(&mut command).expect_success();
}
