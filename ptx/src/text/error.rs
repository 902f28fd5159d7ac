//! Where something stands in a PTX text, and why a text is none.

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in bytes.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a PTX text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX {at}: {what}")]
pub struct PtxError {
    /// Where.
    pub at: Place,
    /// What was expected or found.
    pub what: String,
}

impl PtxError {
    /// An error at a place.
    #[must_use]
    pub fn new(at: Place, what: impl Into<String>) -> PtxError {
        PtxError {
            at,
            what: what.into(),
        }
    }
}
