//! Links the library as `libcudart.so.13` with its version node, and generates, from files of plain facts: a stub for
//! every name of the runtime interface that `src/exports` does not define, second names, and the names of results.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const SONAME: &str = "libcudart.so.13";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=runtime-names.txt");
    println!("cargo::rerun-if-changed=runtime-errors.txt");
    println!("cargo::rerun-if-changed=src/exports");
    let text = fs::read_to_string("runtime-names.txt")?;
    let names: Vec<&str> = facts(&text).collect();
    let defined = defined_names()?;
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("stubs.rs"), stubs(&names, &defined)?)?;
    fs::write(
        out.join("errors.rs"),
        errors(&fs::read_to_string("runtime-errors.txt")?)?,
    )?;
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    // Programs ask for the names under a version called as the library; without it the loader warns at each start.
    // GNU ld can give all names that version; lld, rustc's default, cannot.
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    Ok(())
}

fn facts(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// Functions that `src/exports` defines: its lines `fn cudaName(` and `fn __cudaName(`.
fn defined_names() -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir("src/exports")? {
        let text = fs::read_to_string(file?.path())?;
        for line in text.lines() {
            let name = line
                .split_once("fn ")
                .and_then(|(_, rest)| rest.split_once('('));
            let name = name
                .map(|(name, _)| name)
                .filter(|name| name.trim_start_matches('_').starts_with("cuda"));
            found.extend(name.map(str::to_owned));
        }
    }
    Ok(found)
}

fn stubs(names: &[&str], defined: &BTreeSet<String>) -> Result<String, std::fmt::Error> {
    let base = |name: &str| {
        let base = name.strip_suffix("_ptsz").or(name.strip_suffix("_ptds"));
        base.filter(|base| defined.contains(*base))
            .map(str::to_owned)
    };
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !defined.contains(**name))
        .collect();
    let mut text = String::from("stubs! {\n");
    for name in missing.iter().filter(|name| base(name).is_none()) {
        writeln!(text, "    {name}")?;
    }
    text.push_str("}\naliases! {\n");
    for name in missing {
        if let Some(base) = base(name) {
            writeln!(text, "    {name} = {base}")?;
        }
    }
    text.push_str("}\n");
    Ok(text)
}

/// `(value, name, text)`; the text is the name in words: `cudaErrorInvalidValue`, `invalid value`.
fn errors(text: &str) -> Result<String, std::fmt::Error> {
    let mut table = String::from("&[\n");
    for (value, name) in facts(text).filter_map(|line| line.split_once(' ')) {
        let mut words = String::new();
        for letter in name
            .trim_start_matches("cuda")
            .trim_start_matches("Error")
            .chars()
        {
            if letter.is_uppercase() && !words.is_empty() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        }
        // The texts that programs print most, as every CUDA programmer knows them.
        let text = match value {
            "0" => "no error",
            "1" => "invalid argument",
            "2" => "out of memory",
            "9" => "invalid configuration argument",
            "98" => "invalid device function",
            "100" => "no CUDA-capable device is detected",
            _ => &words,
        };
        writeln!(table, "    ({value}, c{name:?}, c{text:?}),")?;
    }
    table.push(']');
    Ok(table)
}
