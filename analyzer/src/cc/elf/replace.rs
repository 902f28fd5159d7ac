//! Puts new bytes in a file's place in one step, so that an interrupted or full disk leaves the old ones.

use std::io::Write as _;
use std::path::Path;

/// Replaces the file's contents; permissions stay, and a link leads to the new contents.
pub fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let target = path.canonicalize()?;
    let permissions = target.metadata()?.permissions();
    let folder = target.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::Builder::new()
        .prefix(".migfit-")
        .tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().set_permissions(permissions)?;
    new.persist(&target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn permissions_and_links_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("prog"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o751)).unwrap();
        symlink(&file, &link).unwrap();
        replace_file(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o751);
        assert!(link.is_symlink());
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    }
}
