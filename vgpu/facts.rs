//! Part of the build scripts of `nvml`, `cuda` and `cudart`: files of plain facts and the sources in `src/exports` in,
//! generated macro calls out. Each script says itself which names get what.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// The lines of a file of facts, without comments; the script runs again when the file changes.
pub fn read(file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={file}");
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let lines = text.lines();
    Ok(lines
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// Functions that `src/exports` defines: whatever stands between `fn ` and a parenthesis and begins so, underscores aside.
pub fn defined(start: &str) -> Result<BTreeSet<String>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/exports");
    let mut found = BTreeSet::new();
    for file in fs::read_dir("src/exports")? {
        let text = fs::read_to_string(file?.path())?;
        let functions = text.lines().filter_map(|line| line.split_once("fn "));
        let names = functions.filter_map(|(_, rest)| rest.split_once('('));
        let ours = names
            .map(|(name, _)| name)
            .filter(|name| name.trim_start_matches('_').starts_with(start));
        found.extend(ours.map(str::to_owned));
    }
    Ok(found)
}

/// A call of a macro with these lines in its braces.
pub fn call(name: &str, lines: impl IntoIterator<Item = String>) -> String {
    let lines: String = lines
        .into_iter()
        .map(|line| format!("    {line}\n"))
        .collect();
    format!("{name}! {{\n{lines}}}\n")
}

/// Writes a generated file where `include!` finds it.
pub fn write(name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    Ok(fs::write(Path::new(&out).join(name), text)?)
}
