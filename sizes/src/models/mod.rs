//! Models of functions outside the program: libc, parts of libstdc++, the CUDA runtime and driver.
//! Each takes the host and the arguments and gives the result; one table finds them by name.

mod assumed;
pub mod at_exit;
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
pub mod lines;
pub mod math;
pub mod mpi;
pub mod number;
pub mod openmp;
pub mod options;
pub mod paths;
pub mod print;
pub mod print_list;
pub mod process;
pub mod random;
pub mod scan;
pub mod scan_float;
pub mod scan_format;
pub mod scan_input;
mod scan_pass;
mod settings;
pub mod stat;
pub mod stdio;
mod string;
mod string_members;
pub mod system_path;
pub mod table;
pub mod text;
pub mod text_search;
pub mod threads;
pub mod tokens;
mod unchecked;

pub use table::{Model, find, gives_new_memory, only_reads};
