//! Where the state file of a virtual GPU is: as the environment says, or in a folder of the user's own.

use super::error::StateError;
use crate::model::Model;
use crate::settings::variable;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The state file that `MIGFIT_VGPU_STATE`, or else `MIGFIT_VGPU`, names; of several GPUs that of the first.
pub fn named_by_environment() -> Result<PathBuf, StateError> {
    match (variable("MIGFIT_VGPU_STATE"), variable("MIGFIT_VGPU")) {
        (Some(path), _) => Ok(PathBuf::from(path)),
        (None, Some(models)) => {
            let named = models.split(',').map(|model| Model::named(model.trim()));
            let names: Result<Vec<_>, _> = named.map(|model| Ok(model?.name)).collect();
            default_path(&names?.join("+"))
        }
        (None, None) => Err(StateError::NotConfigured),
    }
}

/// The state file of the GPU with this number, which lies beside that of the first.
pub fn of_number(first: &Path, number: usize) -> PathBuf {
    let mut path = first.as_os_str().to_owned();
    if number > 0 {
        path.push(format!(".{number}"));
    }
    PathBuf::from(path)
}

/// The path that names the GPU: the real folder, since the file itself may not be there yet.
pub fn absolute(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // The folder may be missing; making the file tells so.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.file_name()
        .map_or_else(|| folder.clone(), |name| folder.join(name))
}

fn default_path(model: &str) -> Result<PathBuf, StateError> {
    // SAFETY: getuid has no preconditions and cannot fail.
    let user = unsafe { libc::getuid() };
    let base = variable("XDG_RUNTIME_DIR").unwrap_or_else(|| "/tmp".to_owned());
    let folder = Path::new(&base).join(format!("migfit-vgpu-{user}"));
    own_folder(&folder, user).map_err(|source| StateError::File {
        path: folder.clone(),
        what: "used for state files",
        source,
    })?;
    Ok(folder.join(format!("{model}.state")))
}

/// Makes the folder for this user alone. In /tmp anyone could have made it before: then it is not used.
fn own_folder(folder: &Path, user: u32) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let about = folder.symlink_metadata()?;
    if about.is_dir() && about.uid() == user {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it is not a folder of this user",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_ones_own_is_made_and_another_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("state");
        // SAFETY: getuid has no preconditions and cannot fail.
        let user = unsafe { libc::getuid() };
        own_folder(&folder, user).unwrap();
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        own_folder(&folder, user).unwrap();
        assert!(own_folder(&folder, user + 1).is_err());
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert!(own_folder(&link, user).is_err());
    }
}
