//! Links the library as `libcuda.so.1` and generates, from files of plain facts: a stub for every name of the driver
//! interface that `src/exports` does not define, the look-up table of all names, and the names of results.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// A line of `driver-names.txt`.
struct Name<'a> {
    symbol: &'a str,
    base: &'a str,
    version: &'a str,
    per_thread: Option<&'a str>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=driver-names.txt");
    println!("cargo::rerun-if-changed=driver-errors.txt");
    println!("cargo::rerun-if-changed=src/exports");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Our own look-ups must find our functions, not those of a library that was preloaded to hook them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    let text = fs::read_to_string("driver-names.txt")?;
    let names: Vec<Name> = facts(&text).filter_map(parse).collect();
    let defined = defined_names()?;
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("stubs.rs"), stubs(&names, &defined)?)?;
    fs::write(out.join("names.rs"), table(&names)?)?;
    fs::write(
        out.join("errors.rs"),
        errors(&fs::read_to_string("driver-errors.txt")?)?,
    )?;
    Ok(())
}

fn facts(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn parse(line: &str) -> Option<Name<'_>> {
    let mut words = line.split(' ');
    let (symbol, base, version) = (words.next()?, words.next()?, words.next()?);
    let per_thread = words.next().filter(|word| *word != "-");
    Some(Name {
        symbol,
        base,
        version,
        per_thread,
    })
}

/// Functions that `src/exports` defines: its lines `fn cuName(`.
fn defined_names() -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir("src/exports")? {
        let text = fs::read_to_string(file?.path())?;
        let names = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("fn cu"));
        found.extend(
            names
                .filter_map(|line| line.split_once('('))
                .map(|(name, _)| format!("cu{name}")),
        );
    }
    Ok(found)
}

fn stubs(names: &[Name], defined: &BTreeSet<String>) -> Result<String, std::fmt::Error> {
    let mut text = String::from("stubs! {\n");
    for name in names.iter().filter(|name| !defined.contains(name.symbol)) {
        writeln!(text, "    {}", name.symbol)?;
        if let Some(per_thread) = name.per_thread {
            writeln!(text, "    {per_thread}")?;
        }
    }
    text.push_str("}\naliases! {\n");
    for name in names.iter().filter(|name| defined.contains(name.symbol)) {
        if let Some(per_thread) = name.per_thread.filter(|name| !defined.contains(*name)) {
            writeln!(text, "    {per_thread} = {}", name.symbol)?;
        }
    }
    text.push_str("}\n");
    Ok(text)
}

fn table(names: &[Name]) -> Result<String, std::fmt::Error> {
    let mut text = String::from("names! {\n");
    for Name {
        symbol,
        base,
        version,
        per_thread,
    } in names
    {
        writeln!(
            text,
            "    {base:?} {version} {symbol} {}",
            per_thread.unwrap_or(symbol)
        )?;
    }
    text.push_str("}\n");
    Ok(text)
}

/// `(value, name with its NUL, text with its NUL)`; the text is the name in words.
fn errors(text: &str) -> Result<String, std::fmt::Error> {
    let mut table = String::from("&[\n");
    for (value, name) in facts(text).filter_map(|line| line.split_once(' ')) {
        let words = name
            .trim_start_matches("CUDA_")
            .trim_start_matches("ERROR_");
        let words = words.to_lowercase().replace('_', " ");
        let words = if value == "0" {
            "no error"
        } else {
            words.as_str()
        };
        writeln!(table, "    ({value}, c{name:?}, c{words:?}),")?;
    }
    table.push(']');
    Ok(table)
}
