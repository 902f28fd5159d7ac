//! The driver: its library, its versions, and every function of it that migfit calls.

use crate::doctor::finding::{Finding, State};
use crate::gpu::GpuError;
use crate::gpu::nvml::Library;
use crate::gpu::nvml::functions::Function;

/// The first driver that names MIG devices as `MIG-UUID`, which is what jobs are given. Source: MIG.md 2.5.
const NAMES_MIG_DEVICES: u32 = 470;
/// The first driver with every MIG profile of the boards of its time (1g.10gb of the A100). Source: MIG.md 2.3.
const ALL_PROFILES: u32 = 525;

/// Findings about a library that did not start; `wanted`: a GPU behind it was asked for.
#[must_use]
pub fn not_started(error: &GpuError, wanted: bool) -> Finding {
    let absent =
        matches!(error, GpuError::NoLibrary { reason, .. } if reason.contains("No such file"));
    let state = match absent && !wanted {
        true => State::NotHere,
        false => State::Broken,
    };
    Finding::of_error("driver.library", state, error)
}

/// Findings about a library that started.
#[must_use]
pub fn started(library: &Library) -> Vec<Finding> {
    let own = library
        .own_version()
        .unwrap_or_else(|_| "of a version that it does not tell".to_owned());
    let mut found = vec![Finding::ok("driver.library", format!("NVML {own}"))];
    found.push(match library.driver_version() {
        Ok(driver) => version(&driver, library.cuda_version().ok().as_deref()),
        Err(error) => Finding::of_error("driver.version", State::Broken, &error),
    });
    found.extend(functions(&library.functions()));
    found
}

fn version(driver: &str, cuda: Option<&str>) -> Finding {
    let id = "driver.version";
    let runs = cuda.map_or_else(String::new, |cuda| format!(", runs CUDA up to {cuda}"));
    let told = format!("driver {driver}{runs}");
    let major = driver
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major < NAMES_MIG_DEVICES => Finding::new(
            id,
            State::Broken,
            format!(
                "{told}: it names MIG devices in a form that migfit does not use (R{NAMES_MIG_DEVICES} or later is needed)"
            ),
            "install a newer NVIDIA driver",
        ),
        Some(major) if major < ALL_PROFILES => Finding::new(
            id,
            State::Warn,
            format!(
                "{told}: it may lack MIG profiles that R{ALL_PROFILES} has (1g.10gb of the A100)"
            ),
            "install a newer NVIDIA driver",
        ),
        _ => Finding::ok(id, told),
    }
}

/// All there: one finding. Else one for each that is missing.
fn functions(all: &[Function]) -> Vec<Finding> {
    let missing: Vec<Finding> = all
        .iter()
        .filter(|one| !one.is_there)
        .map(missing)
        .collect();
    match missing.is_empty() {
        false => missing,
        true => {
            let what = format!(
                "all {} functions of NVML that migfit calls are there",
                all.len()
            );
            vec![Finding::ok("driver.functions", what)]
        }
    }
}

fn missing(function: &Function) -> Finding {
    let id = format!("driver.functions.{}", function.name);
    let (state, what) = match function.without {
        Some(without) => (
            State::Warn,
            format!("this driver has no {}: {without}", function.name),
        ),
        None => (
            State::Broken,
            format!("this driver has no {}, which slices need", function.name),
        ),
    };
    Finding::new(
        id,
        state,
        what,
        "install a newer NVIDIA driver (R525 or later)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn an_old_driver_is_judged_by_its_number() {
        for (driver, state) in [
            ("460.91.03", State::Broken),
            ("470.57.02", State::Warn),
            ("525.60", State::Ok),
            ("610.00-migfit-0.1.0", State::Ok),
            ("unheard of", State::Ok),
        ] {
            assert_eq!(version(driver, None).state, state, "{driver}");
        }
        assert_eq!(
            version("580.65", Some("13.0")).what,
            "driver 580.65, runs CUDA up to 13.0"
        );
    }

    #[test]
    fn each_missing_function_is_named_with_what_comes_of_it() {
        let function = |name, without, is_there| Function {
            name,
            without,
            is_there,
        };
        let all = [
            function("nvmlA", None, true),
            function("nvmlB", None, false),
            function("nvmlC", Some("names are made up"), false),
        ];
        let found = functions(&all);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].id.as_str(), found[0].state),
            ("driver.functions.nvmlB", State::Broken)
        );
        assert_eq!(found[1].what, "this driver has no nvmlC: names are made up");
        assert_eq!(
            functions(&all[..1])[0].what,
            "all 1 functions of NVML that migfit calls are there"
        );
    }

    #[test]
    fn no_driver_is_not_here_unless_a_gpu_is_asked_for() {
        let absent = |reason: &str| GpuError::NoLibrary {
            library: PathBuf::from("libnvidia-ml.so.1"),
            reason: reason.to_owned(),
        };
        let none = absent("cannot open shared object file: No such file or directory");
        assert_eq!(not_started(&none, false).state, State::NotHere);
        assert_eq!(not_started(&none, true).state, State::Broken);
        assert_eq!(
            not_started(&absent("file too short"), false).state,
            State::Broken
        );
        assert_eq!(not_started(&GpuError::NoDriver, false).state, State::Broken);
    }
}
