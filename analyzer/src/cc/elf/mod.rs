//! ELF files of 64 bits, little-endian: sections read by name, written, names shared with others listed, and the file
//! put in its place.

mod append;
mod dynamic_names;
mod error;
mod put;
mod read;
mod replace;

pub use append::append_section;
pub use dynamic_names::dynamic_names;
pub use error::ElfError;
pub use put::put_section;
pub use read::{calls_cuda, defined_names, has_section_beginning, is_object, section};
pub use replace::replace_file;
