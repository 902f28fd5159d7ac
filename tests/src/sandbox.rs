//! A folder of its own for one test; gone with it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A folder of its own for one test.
pub struct Sandbox(tempfile::TempDir);

impl Sandbox {
    /// An empty one.
    ///
    /// # Panics
    /// When no temporary folder can be made.
    #[must_use]
    pub fn new() -> Sandbox {
        let folder = tempfile::Builder::new().prefix("migfit-e2e-").tempdir();
        Sandbox(folder.expect("a temporary folder can be made"))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// A path in it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A path in it, as text.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("a file of the sandbox can be written");
        path
    }

    /// Writes a file that can be run.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put_script(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.put(name, contents);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("own files can be made executable");
        path
    }

    /// Makes a named pipe: whoever opens one end waits for the other.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo failed");
        path
    }
}

impl Default for Sandbox {
    fn default() -> Sandbox {
        Sandbox::new()
    }
}
