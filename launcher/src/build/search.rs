//! Looks a program up in a PATH that is not our own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A file of this name in one of PATH's folders; a name with a slash is a path of its own.
pub(super) fn in_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return std::path::absolute(name).ok().filter(|p| p.is_file());
    }
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_has_the_name_wins() {
        let folder = tempfile::tempdir().unwrap();
        let (empty, full) = (folder.path().join("empty"), folder.path().join("full"));
        for place in [&empty, &full] {
            std::fs::create_dir(place).unwrap();
        }
        std::fs::write(full.join("cc"), "").unwrap();
        let path = std::env::join_paths([&empty, &full]).unwrap();
        assert_eq!(in_path("cc".as_ref(), &path), Some(full.join("cc")));
        assert_eq!(in_path("c++".as_ref(), &path), None);
        assert_eq!(in_path("/no/such/cc".as_ref(), &path), None);
    }
}
