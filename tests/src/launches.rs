//! Launches by kernel and shape, foretold or seen, in a form that can be compared.

use crate::fit_answer::LaunchAnswer;
use migfit_schema::record::LaunchCount;
use std::collections::BTreeMap;

/// Kernel, grid, block and dynamic shared memory of a launch, as text that tells them apart.
pub type Shape = String;

/// How many launches of each kernel and shape.
pub type Launches = BTreeMap<Shape, u64>;

/// Those that `fit` foretold; several places may launch the same shape.
///
/// # Panics
/// When a shape is not known.
#[must_use]
#[track_caller]
pub fn foretold(launches: &[LaunchAnswer]) -> Launches {
    let mut all = Launches::new();
    for launch in launches {
        let known = launch.grid.zip(launch.block).zip(launch.shared_bytes);
        let ((grid, block), shared) = known.unwrap_or_else(|| panic!("unknown: {launch:?}"));
        let shape = format!("{} <<<{grid}, {block}, {shared}>>>", launch.kernel);
        *all.entry(shape).or_default() += launch.count;
    }
    all
}

/// Those that the runtime saw.
#[must_use]
pub fn seen(launches: &[LaunchCount]) -> Launches {
    let mut all = Launches::new();
    for launch in launches {
        let LaunchCount {
            kernel,
            grid,
            block,
            shared,
            count,
            work: _,
        } = launch;
        *all.entry(format!("{kernel} <<<{grid}, {block}, {shared}>>>"))
            .or_default() += count;
    }
    all
}
