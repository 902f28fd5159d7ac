//! Brings what building needs: system packages, then the CUDA compiler; and what the tests need beside. Each step says
//! what it does and how long it takes; nothing is fetched twice.

pub mod clients;
pub mod cuda;
mod headers;
mod packages;
mod python;

use crate::error::ChoreError;

/// Both steps, each skipped where what it brings is there.
pub fn run() -> Result<(), ChoreError> {
    packages::install_missing()?;
    cuda::install_missing()?;
    Ok(())
}

/// What the tests need too.
pub fn run_for_tests() -> Result<(), ChoreError> {
    run()?;
    clients::install_missing()?;
    headers::install_missing()
}
