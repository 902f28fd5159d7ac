//! Paths that end in folders which the system fills for each process: what is there is not the program's own, and may
//! be other when it runs. Reads links; opens nothing.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Folders that the system fills.
const SYSTEM: [&str; 3] = ["/proc", "/dev", "/sys"];
/// Most links that are followed, as the kernel has it.
const MOST_LINKS: usize = 40;

/// True where a path, or a link on its way, leads into a folder of the system. The path is absolute.
pub fn is_of_system(path: &Path) -> bool {
    let mut links = 0;
    let mut waiting = parts(path);
    let mut at = PathBuf::from("/");
    while let Some(part) = waiting.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        if SYSTEM.iter().any(|folder| at.starts_with(folder)) {
            return true;
        }
        if let Ok(target) = at.read_link() {
            links += 1;
            if links > MOST_LINKS {
                return false;
            }
            if target.is_absolute() {
                at = PathBuf::from("/");
            } else {
                at.pop();
            }
            waiting.extend(parts(&target));
        }
    }
    false
}

/// The names on a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_steps_up_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("own"), b"1").unwrap();
        symlink("own", path.join("link")).unwrap();
        symlink("/dev/stdin", path.join("first")).unwrap();
        symlink("first", path.join("second")).unwrap();
        symlink("loop", path.join("loop")).unwrap();
        assert!(!is_of_system(&path.join("own")));
        assert!(!is_of_system(&path.join("link")));
        assert!(!is_of_system(&path.join("loop")));
        assert!(is_of_system(&path.join("second")));
        assert!(is_of_system(Path::new("/proc/self/stat")));
        assert!(is_of_system(Path::new("/usr/../dev/./stdin")));
        assert!(!is_of_system(Path::new("/devices/x")));
    }
}
