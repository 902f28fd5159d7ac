//! Models of functions outside the program: libc, parts of libstdc++, the CUDA runtime and driver.
//! Each takes the host and the arguments and gives the result; one table finds them by name.

mod assumed;
pub mod callback;
pub mod clock;
pub mod ctype;
pub mod cuda;
pub mod cxx;
pub mod environment;
pub mod errno;
pub mod fallback;
pub mod files;
pub mod float_text;
pub mod heap;
pub mod jumps;
pub mod math;
pub mod number;
pub mod options;
pub mod print;
pub mod process;
pub mod random;
pub mod scan;
pub mod scan_float;
pub mod scan_format;
pub mod scan_input;
mod scan_pass;
pub mod stdio;
mod string;
mod string_members;
pub mod system_path;
pub mod table;
pub mod text;
pub mod text_search;
mod unchecked;

pub use table::{Model, find, gives_new_memory, only_reads};
