//! Links the library as `libnvidia-ml.so.1` and generates, from a file of plain facts, a stub for every name of
//! nvml.h that `src/exports` does not define.

#[path = "../facts.rs"]
mod facts;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnvidia-ml.so.1");
    let names = facts::read("nvml-names.txt")?;
    let defined = facts::defined("nvml")?;
    if let Some(stray) = defined.iter().find(|name| !names.contains(name)) {
        return Err(format!("{stray} is no name of nvml.h: see nvml-names.txt").into());
    }
    let missing = names.into_iter().filter(|name| !defined.contains(name));
    facts::write("stubs.rs", &facts::call("stubs", missing))
}
