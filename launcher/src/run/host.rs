//! What this host has for jobs: cores that this process may use, and memory that is free now. Reads /proc and the
//! control groups; knows no job.

use crate::policy::HostRoom;
use migfit_schema::units::Bytes;
use std::path::{Path, PathBuf};

/// Control groups of both versions have these.
struct Files {
    /// Below the mount of all control groups.
    folder: &'static str,
    limit: &'static str,
    used: &'static str,
    /// Key in `memory.stat` of file pages that the system gives up when it must.
    reclaimable: &'static str,
}

const VERSIONS: [Files; 2] = [
    Files {
        folder: "",
        limit: "memory.max",
        used: "memory.current",
        reclaimable: "inactive_file",
    },
    Files {
        folder: "memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        reclaimable: "total_inactive_file",
    },
];

/// What this host has for all jobs together, as it is now.
#[must_use]
pub fn room() -> HostRoom {
    // The cores of the affinity mask, or fewer where a control group's quota allows fewer.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    HostRoom {
        cpus: u32::try_from(cores).unwrap_or(u32::MAX),
        memory: free_memory(Path::new("/proc"), Path::new("/sys/fs/cgroup")),
    }
}

/// The least of what the system says is available, and of what each control group around us leaves.
fn free_memory(proc: &Path, groups: &Path) -> Option<Bytes> {
    let system = std::fs::read_to_string(proc.join("meminfo")).ok();
    let system = system.and_then(|text| available(&text));
    let own = std::fs::read_to_string(proc.join("self/cgroup")).unwrap_or_default();
    let groups = VERSIONS.iter().flat_map(|version| {
        let mount = groups.join(version.folder);
        let around = enclosing(&mount, &own_group(&own, version));
        around.into_iter().filter_map(|group| left(&group, version))
    });
    system.into_iter().chain(groups).min().map(Bytes)
}

/// `MemAvailable` of /proc/meminfo, which counts in KiB.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

/// Path of our control group below its mount: `0::/PATH`, or `N:memory:/PATH`.
fn own_group(own: &str, version: &Files) -> PathBuf {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let is_it = match version.folder {
            "" => controllers.is_empty(),
            memory => controllers.split(',').any(|one| one == memory),
        };
        is_it.then_some(path)
    });
    PathBuf::from(path.unwrap_or_default().trim_start_matches('/'))
}

/// A group and those around it, up to the mount. In a container the path may be that of the host: what is not there
/// says nothing.
fn enclosing(mount: &Path, group: &Path) -> Vec<PathBuf> {
    group.ancestors().map(|part| mount.join(part)).collect()
}

/// What a group leaves; none where it has no limit.
fn left(group: &Path, version: &Files) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // `max` is no number: no limit.
    let (limit, used) = (number(version.limit)?, number(version.used)?);
    let stat = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let reclaimable = stat.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == version.reclaimable).then(|| value.trim().parse::<u64>().ok())?
    });
    Some(limit.saturating_sub(used.saturating_sub(reclaimable.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system with 1,000 KiB available and these files of control groups.
    fn system(own: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
        let base = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = base.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(
            "proc/meminfo",
            "MemTotal:  9999 kB\nMemAvailable:     1000 kB\n",
        );
        put("proc/self/cgroup", own);
        for (path, text) in files {
            put(&format!("groups/{path}"), text);
        }
        base
    }

    fn free(own: &str, files: &[(&str, &str)]) -> Option<u64> {
        let base = system(own, files);
        let memory = free_memory(&base.path().join("proc"), &base.path().join("groups"));
        memory.map(|bytes| bytes.0)
    }

    #[test]
    fn without_a_limit_it_is_what_the_system_has_available() {
        assert_eq!(free("", &[]), Some(1000 << 10));
        let none = [("a/memory.max", "max\n"), ("a/memory.current", "5\n")];
        assert_eq!(free("0::/a\n", &none), Some(1000 << 10));
    }

    #[test]
    fn a_group_of_version_two_leaves_what_it_cannot_give_up() {
        let files = [
            ("a/b/memory.max", "9000\n"),
            ("a/b/memory.current", "4000\n"),
            ("a/b/memory.stat", "anon 1\ninactive_file 1500\n"),
        ];
        assert_eq!(free("0::/a/b\n", &files), Some(6500));
    }

    #[test]
    fn a_group_further_out_may_leave_less() {
        let files = [
            ("a/memory.max", "5000\n"),
            ("a/memory.current", "4900\n"),
            ("a/b/memory.max", "9000\n"),
            ("a/b/memory.current", "0\n"),
        ];
        assert_eq!(free("0::/a/b\n", &files), Some(100));
    }

    #[test]
    fn a_group_of_version_one_and_a_container_s_own_root() {
        let files = [
            ("memory/memory.limit_in_bytes", "8000\n"),
            ("memory/memory.usage_in_bytes", "9000\n"),
            ("memory/memory.stat", "total_inactive_file 3000\n"),
        ];
        // The path is the host's: only the root of the mount is there.
        assert_eq!(free("9:cpu:/x\n4:memory:/docker/abc\n", &files), Some(2000));
    }

    #[test]
    fn this_host_has_a_core_and_memory() {
        let room = room();
        assert!(room.cpus >= 1);
        assert!(room.memory.is_none_or(|memory| memory.0 > 0));
    }
}
