//! Other programs that manage MIG or hold GPUs: found by the names of their processes and service files.

use crate::doctor::finding::{Finding, State};
use crate::gpu::holders::command;
use std::path::Path;

/// A service that gets in the way: names of its processes, its service file, what it does, what mends it.
struct Service {
    id: &'static str,
    processes: &'static [&'static str],
    unit: &'static str,
    does: &'static str,
    mend: &'static str,
}

const SERVICES: [Service; 3] = [
    Service {
        id: "services.mig-manager",
        processes: &["nvidia-mig-manager", "nvidia-mig-parted"],
        unit: "nvidia-mig-manager.service",
        does: "sets MIG layouts of its own, at each start of the machine and on demand",
        mend: "keep the GPUs to one of the two: systemctl disable --now nvidia-mig-manager",
    },
    Service {
        id: "services.dcgm",
        processes: &["nv-hostengine", "dcgm-exporter"],
        unit: "nvidia-dcgm.service",
        does: "keeps MIG devices open, so that slices may stay in use",
        mend: "if slices stay in use: systemctl stop nvidia-dcgm",
    },
    Service {
        id: "services.slurm",
        processes: &["slurmd"],
        unit: "slurmd.service",
        does: "gives GPUs to jobs: what it does not give to you is not yours to cut",
        mend: "run migfit inside a job that holds the whole GPU",
    },
];

/// Folders of service files, below the root folder.
const UNIT_FOLDERS: [&str; 3] = [
    "etc/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
];

/// Findings about services; `root`: `/`.
#[must_use]
pub fn services(root: &Path) -> Vec<Finding> {
    let running = running(&root.join("proc"));
    let found: Vec<Finding> = SERVICES
        .iter()
        .filter_map(|service| seen(service, root, &running))
        .collect();
    match found.is_empty() {
        false => found,
        true => vec![Finding::ok(
            "services",
            "no other manager of MIG, and no monitor that holds it, was seen",
        )],
    }
}

fn seen(service: &Service, root: &Path, running: &[String]) -> Option<Finding> {
    let process = service
        .processes
        .iter()
        .find(|name| running.iter().any(|one| one == *name));
    let is_installed = UNIT_FOLDERS
        .iter()
        .any(|folder| root.join(folder).join(service.unit).exists());
    let what = match (process, is_installed) {
        (Some(process), _) => format!("{process} runs here: it {}", service.does),
        (None, true) => format!("{} is installed: it {}", service.unit, service.does),
        (None, false) => return None,
    };
    Some(Finding::new(service.id, State::Warn, what, service.mend))
}

/// Names of the programs that run.
fn running(proc: &Path) -> Vec<String> {
    let entries = proc.read_dir().into_iter().flatten().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let programs = pids.filter_map(|pid| {
        let line = command(proc, pid)?;
        let program = line.split(' ').next()?.to_owned();
        Some(program.rsplit('/').next()?.to_owned())
    });
    programs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(processes: &[&str], units: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (number, line) in processes.iter().enumerate() {
            let folder = root.path().join(format!("proc/{}", number + 10));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("cmdline"), line.replace(' ', "\0")).unwrap();
        }
        let folder = root.path().join(UNIT_FOLDERS[0]);
        std::fs::create_dir_all(&folder).unwrap();
        for unit in units {
            std::fs::write(folder.join(unit), "").unwrap();
        }
        root
    }

    #[test]
    fn what_runs_and_what_is_installed_is_told() {
        let root = machine(
            &["/usr/bin/nv-hostengine -n", "bash -c nvidia-mig-manager"],
            &["nvidia-mig-manager.service"],
        );
        let found = services(root.path());
        let whats: Vec<_> = found.iter().map(|found| found.what.as_str()).collect();
        assert_eq!(
            whats,
            [
                "nvidia-mig-manager.service is installed: it sets MIG layouts of its own, at each start of the machine \
                 and on demand",
                "nv-hostengine runs here: it keeps MIG devices open, so that slices may stay in use",
            ]
        );
        assert!(
            found
                .iter()
                .all(|found| found.state == State::Warn && found.mend.is_some())
        );
    }

    #[test]
    fn a_quiet_machine_is_ok() {
        let root = machine(&["bash"], &[]);
        assert_eq!(services(root.path())[0].state, State::Ok);
    }
}
