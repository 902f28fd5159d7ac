//! The GPU that a job is sized for: a model, real or virtual.

use migfit_mig::Model;
use std::fmt;

/// The GPU that a job is sized for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board<'m> {
    /// Its model.
    pub model: &'m Model,
    /// Whether it is our virtual GPU, whose context is modelled.
    pub is_virtual: bool,
}

impl<'m> Board<'m> {
    /// A board of this model.
    #[must_use]
    pub fn real(model: &'m Model) -> Board<'m> {
        Board {
            model,
            is_virtual: false,
        }
    }

    /// The virtual GPU of this model.
    #[must_use]
    pub fn virtual_gpu(model: &'m Model) -> Board<'m> {
        Board {
            model,
            is_virtual: true,
        }
    }
}

impl fmt::Display for Board<'_> {
    /// `a100-40gb`, `virtual:a100-40gb`: as `--gpu` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.is_virtual { "virtual:" } else { "" };
        write!(f, "{prefix}{}", self.model.name)
    }
}
