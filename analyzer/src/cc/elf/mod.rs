//! ELF files of 64 bits, little-endian: sections read by name, written, imports listed, and the file put in its place.

mod error;
mod imports;
mod put;
mod read;
mod replace;

pub use error::ElfError;
pub use imports::{Imports, imports};
pub use put::put_section;
pub use read::{calls_cuda, is_object, section};
pub use replace::replace_file;
