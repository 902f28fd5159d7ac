//! Why a section could not be read or written.

/// Why a section could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// Not an ELF file of 64 bits, little-endian, or a broken one.
    #[error("not an ELF file that migfit can read (64 bits, little-endian): {0}")]
    Unreadable(#[from] object::read::Error),
    /// A section or segment that lies outside the file.
    #[error("a section lies outside the file")]
    OutOfFile,
    /// More than fits the format's numbers.
    #[error("the file is too large for another section")]
    TooLarge,
    /// What was written cannot be found again: the file's table of section names is damaged.
    #[error("the section cannot be read back: the file's table of section names is damaged")]
    NotReadBack,
}
