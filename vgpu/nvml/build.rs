//! Links the library as `libnvidia-ml.so.1` and generates, from a file of plain facts, a stub for every name of
//! nvml.h that `src/exports` does not define.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=nvml-names.txt");
    println!("cargo::rerun-if-changed=src/exports");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnvidia-ml.so.1");
    let text = fs::read_to_string("nvml-names.txt")?;
    let names: Vec<&str> = text.lines().filter(|l| l.starts_with("nvml")).collect();
    let defined = defined_names()?;
    if let Some(stray) = defined.iter().find(|d| !names.contains(&d.as_str())) {
        return Err(format!("{stray} is no name of nvml.h: see nvml-names.txt").into());
    }
    let stubs = names.iter().filter(|n| !defined.contains(**n));
    let lines: String = stubs.map(|n| format!("    {n}\n")).collect();
    let out = env::var("OUT_DIR")?;
    fs::write(
        Path::new(&out).join("stubs.rs"),
        format!("stubs! {{\n{lines}}}\n"),
    )?;
    Ok(())
}

/// Functions that `src/exports` defines: whatever follows `fn nvml` up to the parenthesis.
fn defined_names() -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir("src/exports")? {
        let text = fs::read_to_string(file?.path())?;
        let names = text.lines().filter_map(|l| l.split_once("fn nvml"));
        let names = names.filter_map(|(_, rest)| rest.split_once('('));
        found.extend(names.map(|(name, _)| format!("nvml{name}")));
    }
    Ok(found)
}
