//! A place in the user's source.

use serde::{Deserialize, Serialize};
use std::fmt;

/// `file:line` in the user's source; line 0 where the compiler gave none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The file as the compiler was given it (absolute or relative to the build folder).
    pub file: String,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
}

impl fmt::Display for Site {
    /// The file's last component and the line, as people say it: `lud.cu:133`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        match (name.is_empty(), self.line) {
            (true, _) => write!(f, "unknown place"),
            (false, 0) => write!(f, "{name}"),
            (false, line) => write!(f, "{name}:{line}"),
        }
    }
}
