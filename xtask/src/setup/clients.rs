//! Clients of NVML that are not ours, for the tests of the virtual GPU: nvidia-ml-py, gpustat and nvitop in a private
//! Python environment. Only `cargo xtask test` needs them.

use super::python::{Environment, Form};
use crate::error::ChoreError;

const WHEELS: &str = include_str!("../../client-requirements.txt");
const SOURCES: &str = include_str!("../../client-source-requirements.txt");

/// Installs them where they are missing.
pub fn install_missing() -> Result<(), ChoreError> {
    let environment = Environment::named("clients");
    let all = format!("{WHEELS}{SOURCES}");
    if environment.holds(&all) {
        println!("==> clients of NVML for the tests: there");
        return Ok(());
    }
    println!(
        "==> clients of NVML for the tests: installing nvidia-ml-py, gpustat and nvitop into the target folder (2 MB)"
    );
    let hint = "pip's message is above; a proxy or mirror is set with PIP_INDEX_URL";
    environment.make()?;
    environment.install("client-requirements.txt", &Form::Wheels, hint)?;
    let source = Form::Source {
        version: ("GPUSTAT_VERSION", "1.1.1"),
    };
    environment.install("client-source-requirements.txt", &source, hint)?;
    environment.note(&all)
}
