//! Brings what building needs: system packages, then the CUDA compiler. Each step says what it does and
//! how long it takes; nothing is fetched twice.

pub mod cuda;
mod packages;

use crate::error::ChoreError;

/// Both steps, each skipped where what it brings is there.
pub fn run() -> Result<(), ChoreError> {
    packages::install_missing()?;
    cuda::install_missing()?;
    Ok(())
}
