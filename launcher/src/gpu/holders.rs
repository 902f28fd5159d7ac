//! Who holds a GPU or a GPU instance: processes that the driver lists, else those that hold its device node open, each
//! with its command. Reads /proc; a folder in its shape does for tests.

use crate::gpu::capability;
use crate::gpu::driver::ToldProcess;
use std::fmt;
use std::path::{Path, PathBuf};

/// Characters of a command line that are shown.
const SHOWN: usize = 60;

/// A process that holds a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its command line, cut; none where the system does not show it.
    pub command: Option<String>,
    /// The device node that it holds open; none where the driver lists it with a context.
    pub node: Option<PathBuf>,
}

/// All that are visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders(pub Vec<Holder>);

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// `/proc`.
    pub proc: &'p Path,
    /// Minor number of the GPU's device node.
    pub minor: Option<u32>,
    /// The GPU instance; none: the whole GPU.
    pub gi: Option<u32>,
}

impl Holders {
    /// Those whom the driver lists on this place; where it lists none, those who hold its device nodes open.
    #[must_use]
    pub fn find(listed: &[ToldProcess], place: Place<'_>) -> Holders {
        let here = |process: &&ToldProcess| place.gi.is_none() || process.gi == place.gi;
        let listed: Vec<Holder> = listed
            .iter()
            .filter(here)
            .map(|process| Holder {
                pid: process.pid,
                command: command(place.proc, process.pid),
                node: None,
            })
            .collect();
        if !listed.is_empty() {
            return Holders(listed);
        }
        let of_instance = place.minor.zip(place.gi).and_then(|(minor, gi)| {
            capability::node(place.proc, &format!("gpu{minor}/mig/gi{gi}/access"))
        });
        let of_gpu = place
            .minor
            .map(|minor| PathBuf::from(format!("/dev/nvidia{minor}")));
        let nodes = of_instance.into_iter().chain(of_gpu);
        let found = nodes.map(|node| holding(place.proc, &node));
        Holders(
            found
                .into_iter()
                .find(|found| !found.is_empty())
                .unwrap_or_default(),
        )
    }
}

/// Processes other than this one that hold a device node open, as far as this user may look.
#[must_use]
pub fn holding(proc: &Path, node: &Path) -> Vec<Holder> {
    let entries = proc.read_dir().into_iter().flatten().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut pids: Vec<u32> = pids.filter(|&pid| pid != std::process::id()).collect();
    pids.sort_unstable();
    pids.retain(|&pid| holds(&proc.join(pid.to_string()), node));
    let holder = |pid| Holder {
        pid,
        command: command(proc, pid),
        node: Some(node.to_owned()),
    };
    pids.into_iter().map(holder).collect()
}

fn holds(process: &Path, node: &Path) -> bool {
    let files = process.join("fd").read_dir();
    let mut files = files.into_iter().flatten().filter_map(Result::ok);
    files.any(|file| std::fs::read_link(file.path()).is_ok_and(|target| target == node))
}

/// The command line of a process, cut to a readable length.
#[must_use]
pub fn command(proc: &Path, pid: u32) -> Option<String> {
    let folder = proc.join(pid.to_string());
    let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
    let words = line
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    let line = match words.is_empty() {
        false => words.join(" "),
        true => std::fs::read_to_string(folder.join("comm"))
            .ok()?
            .trim()
            .to_owned(),
    };
    let clean: String = line
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    Some(match clean.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &clean[..end]),
        None => clean,
    })
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.command.as_deref().unwrap_or("command not visible");
        write!(f, "pid {} ({command})", self.pid)?;
        match &self.node {
            Some(node) => write!(f, ", which holds {} open", node.display()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Holders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(
                "no process is visible; another user's, or a profiler, DCGM or persistence client, holds it",
            );
        }
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder in the shape of /proc with processes that hold these files.
    fn proc(processes: &[(u32, &str, &str)]) -> tempfile::TempDir {
        let proc = tempfile::tempdir().unwrap();
        for (pid, cmdline, file) in processes {
            let folder = proc.path().join(pid.to_string());
            std::fs::create_dir_all(folder.join("fd")).unwrap();
            std::fs::write(folder.join("cmdline"), cmdline.replace(' ', "\0")).unwrap();
            std::fs::write(folder.join("comm"), "kernel-name\n").unwrap();
            symlink(file, folder.join("fd/3")).unwrap();
        }
        proc
    }

    fn found(proc: &Path, listed: &[(u32, Option<u32>)], gi: Option<u32>) -> String {
        let listed = listed.iter().map(|&(pid, gi)| ToldProcess { pid, gi });
        let place = Place {
            proc,
            minor: Some(0),
            gi,
        };
        Holders::find(&listed.collect::<Vec<_>>(), place).to_string()
    }

    #[test]
    fn who_is_listed_is_named_with_the_command() {
        let proc = proc(&[(71, "./a.out 4096", "/dev/null"), (72, "", "/dev/null")]);
        let listed = [(71, Some(9)), (72, Some(9)), (73, Some(9)), (74, Some(1))];
        assert_eq!(
            found(proc.path(), &listed, Some(9)),
            "pid 71 (./a.out 4096); pid 72 (kernel-name); pid 73 (command not visible)"
        );
        assert!(found(proc.path(), &listed, None).contains("pid 74"));
    }

    #[test]
    fn where_none_is_listed_open_device_nodes_tell() {
        let proc = proc(&[
            (81, "nv-hostengine -n", "/dev/nvidia0"),
            (82, "bash", "/dev/tty"),
            (83, "./b", "/dev/nvidia-caps/nvidia-cap30"),
        ]);
        let gpu = found(proc.path(), &[], None);
        assert_eq!(
            gpu,
            "pid 81 (nv-hostengine -n), which holds /dev/nvidia0 open"
        );
        let access = proc.path().join("driver/nvidia/capabilities/gpu0/mig/gi9");
        std::fs::create_dir_all(&access).unwrap();
        std::fs::write(access.join("access"), "DeviceFileMinor: 30\n").unwrap();
        let instance = found(proc.path(), &[], Some(9));
        assert!(instance.starts_with("pid 83 (./b), which holds /dev/nvidia-caps"));
    }

    #[test]
    fn nobody_visible_says_who_it_may_be() {
        let proc = proc(&[]);
        let said = found(proc.path(), &[], Some(1));
        assert!(said.contains("no process is visible") && said.contains("DCGM"));
    }

    #[test]
    fn a_long_or_strange_command_line_is_cut_and_cleaned() {
        let long = format!("./a\u{1b}[31m {}", "é".repeat(200));
        let proc = proc(&[(91, &long, "/dev/null")]);
        let shown = command(proc.path(), 91).unwrap();
        assert!(shown.starts_with("./a?[31m é") && shown.ends_with("..."));
        assert_eq!(shown.chars().count(), SHOWN + 3);
    }
}
