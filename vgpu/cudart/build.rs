//! Links the library as `libcudart.so.13` (or `.12`) with its version node, and generates, from files of plain facts: a stub for
//! every name of the runtime interface that `src/exports` does not define, second names, and the names of results.

#[path = "../facts.rs"]
mod facts;

use std::collections::BTreeSet;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut names = facts::read("runtime-names.txt")?;
    let is_twelve = std::env::var_os("CARGO_FEATURE_TWELVE").is_some();
    if is_twelve {
        names.extend(facts::read("runtime-names-12.txt")?);
    }
    let soname = if is_twelve {
        "libcudart.so.12"
    } else {
        "libcudart.so.13"
    };
    facts::write("stubs.rs", &stubs(&names, &facts::defined("cuda")?))?;
    facts::write("errors.rs", &errors(&facts::read("runtime-errors.txt")?))?;
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    // Programs ask for the names under a version called as the library; without it the loader warns at each start.
    // GNU ld can give all names that version; lld, rustc's default, cannot.
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    Ok(())
}

fn stubs(names: &[String], defined: &BTreeSet<String>) -> String {
    // A form for per-thread default streams of a function that is done.
    let base = |name: &str| {
        let base = name.strip_suffix("_ptsz").or(name.strip_suffix("_ptds"))?;
        defined.contains(base).then(|| base.to_owned())
    };
    let missing = || names.iter().filter(|name| !defined.contains(*name));
    let stubs = missing().filter(|name| base(name).is_none()).cloned();
    let aliases = missing().filter_map(|name| Some(format!("{name} = {}", base(name)?)));
    facts::call("stubs", stubs) + &facts::call("aliases", aliases)
}

/// `(value, name, text)`; without one of its own the text is the name in words.
fn errors(lines: &[String]) -> String {
    let rows = lines.iter().filter_map(|line| line.split_once(' '));
    let rows: String = rows
        .map(|(value, rest)| {
            let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let text = match (value, text) {
                ("0", _) => "no error".to_owned(),
                (_, "") => words(name),
                (_, text) => text.to_owned(),
            };
            format!("    ({value}, c{name:?}, c{text:?}),\n")
        })
        .collect();
    format!("&[\n{rows}]")
}

fn words(name: &str) -> String {
    let name = name.trim_start_matches("cuda").trim_start_matches("Error");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
