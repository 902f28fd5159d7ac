//! The one place for measured figures: each has a name, a value with its unit, a target, and whether it holds.

mod analysis;
mod build;
mod command_time;
mod figure;
mod footprint;
mod kernels;
mod module;
mod overhead;
mod whole;

use crate::error::{ChoreError, file};
use crate::{setup, stage};
pub use figure::Figure;
use std::path::Path;

/// A measurement: its name (a prefix of its figures' names) and how it is taken.
struct Measurement {
    name: &'static str,
    /// Left out unless asked for by name: takes many minutes.
    slow: bool,
    take: fn() -> Result<Vec<Figure>, ChoreError>,
}

const MEASUREMENTS: &[Measurement] = &[
    Measurement {
        name: "graph",
        slow: false,
        take: command_time::graph,
    },
    Measurement {
        name: "fit",
        slow: false,
        take: command_time::fit,
    },
    Measurement {
        name: "peak",
        slow: false,
        take: footprint::peak,
    },
    Measurement {
        name: "run",
        slow: false,
        take: overhead::overhead,
    },
    Measurement {
        name: "build",
        slow: false,
        take: build::over_nvcc,
    },
    Measurement {
        name: "analysis",
        slow: false,
        take: analysis::growth,
    },
    Measurement {
        name: "kernels",
        slow: false,
        take: kernels::speed,
    },
    Measurement {
        name: "cold",
        slow: true,
        take: whole::cold,
    },
];

/// Takes the measurements named (all but the slow ones without names), prints a table, writes JSON.
pub fn run(names: &[String], json: Option<&Path>) -> Result<(), ChoreError> {
    let wanted: Vec<&Measurement> = MEASUREMENTS
        .iter()
        .filter(|one| is_wanted(one, names))
        .collect();
    if wanted.is_empty() {
        let known = MEASUREMENTS
            .iter()
            .map(|one| one.name)
            .collect::<Vec<_>>()
            .join(", ");
        return Err(ChoreError::Unexpected {
            what: format!("no figure is called {}", names.join(" or ")),
            hint: format!("figures: {known}"),
        });
    }
    setup::run()?;
    stage::run(false)?;
    let mut figures = Vec::new();
    for measurement in wanted {
        println!("==> measuring {}", measurement.name);
        figures.extend((measurement.take)()?);
    }
    print!("\n{}", figure::table(&figures));
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&figures).unwrap_or_default();
        std::fs::write(path, text + "\n").map_err(file("write", path))?;
    }
    Ok(())
}

fn is_wanted(measurement: &Measurement, names: &[String]) -> bool {
    match names {
        [] => !measurement.slow,
        names => names
            .iter()
            .any(|name| measurement.name.contains(name.as_str())),
    }
}
