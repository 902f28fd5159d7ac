//! The parts of the installation, and the switch that turns them off.

use crate::doctor::finding::{Finding, State};
use crate::run::installation::{Installation, looks_like};
use std::path::Path;

/// Programs that belong beside `migfit`.
const PROGRAMS: [(&str, &str); 2] = [
    ("migfit-cc", "the compiler driver of migfit build"),
    ("migfit-analyze", "the analysis of migfit build"),
];
const REINSTALL: &str =
    "install migfit again; from the source tree: cargo xtask stage, then target/migfit/bin/migfit";

/// Findings about what belongs to migfit itself; `bin`: the folder of this program.
#[must_use]
pub fn parts(bin: &Path, installation: &Installation) -> Vec<Finding> {
    let programs = PROGRAMS.map(|(name, what)| program(&bin.join(name), name, what));
    let mut found: Vec<Finding> = programs.into();
    found.push(runtime(&installation.runtime_library()));
    found.push(match installation.virtual_gpu() {
        Ok(_) => Finding::ok(
            "install.virtual-gpu",
            "the virtual GPU's three libraries are there",
        ),
        Err(error) => Finding::new(
            "install.virtual-gpu",
            State::Broken,
            error.to_string(),
            REINSTALL,
        ),
    });
    found.extend(switch(std::env::var("MIGFIT").ok().as_deref()));
    found
}

fn program(file: &Path, name: &str, what: &str) -> Finding {
    let id = format!("install.{name}");
    match file.is_file() {
        true => Finding::ok(id, format!("{name}: {what}")),
        false => Finding::new(
            id,
            State::Broken,
            format!("{name} ({what}) is missing: {}", file.display()),
            REINSTALL,
        ),
    }
}

fn runtime(library: &Path) -> Finding {
    let id = "install.runtime";
    let text = library.to_string_lossy();
    if text.contains([' ', ':']) {
        return Finding::new(
            id,
            State::Broken,
            format!("a path with a space or colon cannot be preloaded: {text}"),
            "install migfit in a folder without spaces and colons in its path",
        );
    }
    match looks_like(library, b"cuInit") {
        Ok(()) => Finding::ok(
            id,
            "libmigfit_runtime.so, which is preloaded into jobs, is there",
        ),
        Err(reason) => Finding::new(id, State::Broken, format!("{text} {reason}"), REINSTALL),
    }
}

/// `MIGFIT=off` is meant, and easily forgotten.
fn switch(value: Option<&str>) -> Option<Finding> {
    (value == Some("off")).then(|| {
        Finding::new(
            "install.switch",
            State::Warn,
            "MIGFIT=off: builds are not looked at and nothing is recorded in runs",
            "unset MIGFIT",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("migfit-cc"), "").unwrap();
        let found = parts(folder.path(), &Installation::at(folder.path()));
        let states: Vec<_> = found.iter().map(|f| (f.id.as_str(), f.state)).collect();
        assert_eq!(
            states,
            [
                ("install.migfit-cc", State::Ok),
                ("install.migfit-analyze", State::Broken),
                ("install.runtime", State::Broken),
                ("install.virtual-gpu", State::Broken),
            ]
        );
        assert!(found[2].what.ends_with("libmigfit_runtime.so is missing"));
    }

    #[test]
    fn a_path_that_cannot_be_preloaded_and_the_switch_are_told() {
        let found = runtime(Path::new("/a b/libmigfit_runtime.so"));
        assert!(found.what.contains("cannot be preloaded"));
        assert_eq!(switch(Some("off")).unwrap().mend.unwrap(), "unset MIGFIT");
        assert_eq!(switch(Some("on")).or(switch(None)), None);
    }
}
