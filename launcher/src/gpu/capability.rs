//! The driver's capability files: which device node stands for a right, and whether this process may open it. Reads
//! /proc/driver/nvidia/capabilities; a folder in its shape does for tests.

use rustix::fs::{Access, access};
use std::path::{Path, PathBuf};

/// The right to create and destroy GPU instances and compute instances.
pub const CONFIG: &str = "mig/config";
/// The right to list those of others.
pub const MONITOR: &str = "mig/monitor";

/// What this process may do with a right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Right {
    /// Its device node can be opened.
    Open(PathBuf),
    /// Its device node is there and cannot be opened.
    Closed(PathBuf),
    /// The driver has no such file, or not in this container.
    NoFile,
}

/// The device node that stands for a right.
#[must_use]
pub fn node(proc: &Path, name: &str) -> Option<PathBuf> {
    let file = proc.join("driver/nvidia/capabilities").join(name);
    let text = std::fs::read_to_string(file).ok()?;
    let minor = text
        .lines()
        .find_map(|line| line.strip_prefix("DeviceFileMinor:"))?;
    let minor: u32 = minor.trim().parse().ok()?;
    Some(PathBuf::from(format!("/dev/nvidia-caps/nvidia-cap{minor}")))
}

/// What this process may do with a right; nothing is opened.
#[must_use]
pub fn right(proc: &Path, name: &str) -> Right {
    match node(proc, name) {
        None => Right::NoFile,
        Some(node) => match access(&node, Access::READ_OK) {
            Ok(()) => Right::Open(node),
            Err(_) => Right::Closed(node),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_is_a_device_node_by_its_minor_number() {
        let proc = tempfile::tempdir().unwrap();
        assert_eq!(right(proc.path(), CONFIG), Right::NoFile);
        let folder = proc.path().join("driver/nvidia/capabilities/mig");
        std::fs::create_dir_all(&folder).unwrap();
        let text = "DeviceFileMinor: 1\nDeviceFileMode: 256\nDeviceFileModify: 1\n";
        std::fs::write(folder.join("config"), text).unwrap();
        let expected = PathBuf::from("/dev/nvidia-caps/nvidia-cap1");
        assert_eq!(node(proc.path(), CONFIG), Some(expected.clone()));
        // No machine of ours has the node, so that nobody may open it.
        if !expected.exists() {
            assert_eq!(right(proc.path(), CONFIG), Right::Closed(expected));
        }
        std::fs::write(folder.join("config"), "DeviceFileMinor: x\n").unwrap();
        assert_eq!(right(proc.path(), CONFIG), Right::NoFile);
    }
}
