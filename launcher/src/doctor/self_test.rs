//! The preload's self-test: a small program of ours runs as a job would, and tells whether the hooks were found. On a
//! real driver nothing is allocated; on the virtual GPU the whole path is gone, to the run record.

use crate::doctor::DoctorError;
use crate::doctor::client::{BYTES, Seen};
use crate::doctor::finding::{Finding, State};
use crate::run::installation::Installation;
use migfit_mig::Model;
use migfit_schema::record::RECORD_DIR_VARIABLE;
use migfit_schema::report::Report;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The hidden verb.
const VERB: &str = "self-test";
const REPORT_IT: &str = "please report this with the output of migfit doctor --json";

/// Tries the hooks under the driver of this machine. Needs a driver, no GPU and no permission.
///
/// # Errors
/// When no temporary folder can be made.
pub fn on_the_driver(
    migfit: &Path,
    installation: &Installation,
) -> Result<Vec<Finding>, DoctorError> {
    let records = tempfile::tempdir().map_err(DoctorError::NoFolder)?;
    let mut command = Command::new(migfit);
    command
        .arg(VERB)
        .env("LD_PRELOAD", installation.runtime_library())
        .env(RECORD_DIR_VARIABLE, records.path())
        .env_remove("MIGFIT");
    let seen = answered(command.stdin(Stdio::null()).output());
    Ok(match seen {
        Ok(seen) => hooks(&seen, "under this machine's driver"),
        Err(trouble) => vec![failed(&trouble)],
    })
}

/// Runs the whole path on a virtual GPU of its own; `why` says why a virtual one.
///
/// # Errors
/// When no temporary folder can be made.
pub fn on_the_virtual_gpu(
    migfit: &Path,
    model: &Model,
    why: &str,
) -> Result<Vec<Finding>, DoctorError> {
    let folder = tempfile::tempdir().map_err(DoctorError::NoFolder)?;
    let out = folder.path().join("out");
    // A link of its own gives the job the same name, whatever this program is called.
    let program = folder.path().join("client");
    std::os::unix::fs::symlink(migfit, &program).map_err(DoctorError::NoFolder)?;
    let jobs = format!(
        "[[jobs]]\nname = \"self-test\"\ncommand = [{:?}, \"{VERB}\", \"--allocate\"]\nmemory = \"64 MiB\"\n",
        program.display().to_string()
    );
    let file = folder.path().join("jobs.toml");
    std::fs::write(&file, jobs).map_err(DoctorError::NoFolder)?;
    let mut command = Command::new(migfit);
    command
        .args([
            "run",
            "--quiet",
            "--json",
            "--gpu",
            &format!("virtual:{}", model.name),
            "-f",
        ])
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .env_remove("MIGFIT_VGPU_STATE")
        .env_remove("MIGFIT")
        .stdin(Stdio::null());
    let ran = command.output();
    let seen = std::fs::read_to_string(out.join("jobs/self-test/stdout"));
    let report: Option<Report> = std::fs::read(out.join("report.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some((seen, report)) = seen.ok().and_then(|text| Some((parsed(&text)?, report?))) else {
        let own = std::fs::read_to_string(out.join("jobs/self-test/stderr"));
        let own = own.unwrap_or_default().trim().replace('\n', "; ");
        return Ok(vec![failed(format!("{} {own}", said(ran)).trim_end())]);
    };
    let mut found = hooks(&seen, &format!("on the virtual GPU ({why})"));
    found.push(recorded(&seen, &report));
    Ok(found)
}

fn answered(ran: std::io::Result<Output>) -> Result<Seen, String> {
    let text = ran
        .as_ref()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match text.ok().and_then(|text| parsed(&text)) {
        Some(seen) => Ok(seen),
        None => Err(said(ran)),
    }
}

fn parsed(text: &str) -> Option<Seen> {
    serde_json::from_str(text.trim()).ok()
}

/// What a child said instead of an answer.
fn said(ran: std::io::Result<Output>) -> String {
    match ran {
        Err(error) => format!("it could not be started: {error}"),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr)
                .trim()
                .replace('\n', "; ");
            format!("it ended with {} and said: {text}", output.status)
        }
    }
}

fn failed(trouble: &str) -> Finding {
    Finding::new(
        "preload",
        State::Broken,
        format!("the self-test did not run: {trouble}"),
        REPORT_IT,
    )
}

/// One finding for each way of looking a function up.
fn hooks(seen: &Seen, place: &str) -> Vec<Finding> {
    if let Some(trouble) = &seen.trouble {
        return vec![Finding::new(
            "preload",
            State::Broken,
            format!("the self-test found nothing to hook {place}: {trouble}"),
            "install the driver's CUDA library (libcuda.so.1); in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        )];
    }
    let ways = seen.hooked.iter().map(|(way, hooked)| {
        let id = format!("preload.{way}");
        match hooked {
            true => Finding::ok(id, format!("hooks are found by {} {place}", spelt(way))),
            false => Finding::new(
                id,
                State::Broken,
                format!(
                    "hooks are not found by {} {place}: such programs run unrecorded",
                    spelt(way)
                ),
                REPORT_IT,
            ),
        }
    });
    ways.collect()
}

fn spelt(way: &str) -> &str {
    match way {
        "linked" => "link-time names",
        "get-proc-address" => "cuGetProcAddress",
        other => other,
    }
}

/// Whether the run record holds exactly what was allocated.
fn recorded(seen: &Seen, report: &Report) -> Finding {
    let id = "preload.record";
    let wanted: u64 = BYTES.iter().map(|(_, bytes)| bytes).sum();
    let peak = report.jobs.first().and_then(|job| job.observed_peak_bytes);
    match peak {
        Some(peak) if peak == wanted && seen.allocated == wanted => Finding::ok(
            id,
            format!(
                "the self-test ran on a slice, and the run record holds the {peak} bytes that it allocated"
            ),
        ),
        peak => Finding::new(
            id,
            State::Broken,
            format!(
                "the self-test allocated {} bytes, and the run record holds {}{}",
                seen.allocated,
                peak.map_or_else(|| "none".to_owned(), |peak| peak.to_string()),
                seen.refused
                    .as_ref()
                    .map_or_else(String::new, |why| format!("; {why}"))
            ),
            REPORT_IT,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(hooked: [bool; 3]) -> Seen {
        let ways = BYTES.iter().zip(hooked);
        Seen {
            hooked: ways
                .map(|((way, _), hooked)| (way.to_string(), hooked))
                .collect(),
            ..Seen::default()
        }
    }

    #[test]
    fn a_way_that_misses_the_hooks_is_named() {
        let found = hooks(&seen([true, false, true]), "here");
        let states: Vec<_> = found
            .iter()
            .map(|one| (one.id.as_str(), one.state))
            .collect();
        assert_eq!(
            states,
            [
                ("preload.linked", State::Ok),
                ("preload.dlsym", State::Broken),
                ("preload.get-proc-address", State::Ok),
            ]
        );
        assert_eq!(found[2].what, "hooks are found by cuGetProcAddress here");
    }

    #[test]
    fn a_client_that_finds_no_driver_or_says_nothing_is_broken() {
        let trouble = Seen {
            trouble: Some("there is no libcuda.so.1".to_owned()),
            ..Seen::default()
        };
        assert!(
            hooks(&trouble, "here")[0]
                .what
                .ends_with("there is no libcuda.so.1")
        );
        let silent = Command::new("false").output();
        assert!(answered(silent).unwrap_err().contains("exit status: 1"));
        let absent = Command::new("/no/such/program").output();
        assert!(
            answered(absent)
                .unwrap_err()
                .contains("could not be started")
        );
    }
}
