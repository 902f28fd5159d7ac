//! Links the library as `libcuda.so.1` and generates, from files of plain facts: a stub for every name of the driver
//! interface that `src/exports` does not define, the look-up table of all names, and the names of results.

#[path = "../facts.rs"]
mod facts;

use std::collections::BTreeSet;
use std::error::Error;

/// A line of `driver-names.txt`.
struct Name<'a> {
    symbol: &'a str,
    base: &'a str,
    version: &'a str,
    per_thread: Option<&'a str>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Our own look-ups must find our functions, not those of a library that was preloaded to hook them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    let lines = facts::read("driver-names.txt")?;
    let mut names: Vec<Name> = lines.iter().filter_map(|line| parse(line)).collect();
    // A runtime looks hundreds of names up at its start: they are searched by halves.
    names.sort_by_key(|name| name.base);
    facts::write("stubs.rs", &stubs(&names, &facts::defined("cu")?))?;
    facts::write("names.rs", &facts::call("names", names.iter().map(row)))?;
    facts::write("errors.rs", &errors(&facts::read("driver-errors.txt")?))
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

fn stubs(names: &[Name], defined: &BTreeSet<String>) -> String {
    let (done, missing): (Vec<&Name>, Vec<&Name>) =
        names.iter().partition(|name| defined.contains(name.symbol));
    let stubs = missing
        .into_iter()
        .flat_map(|name| [Some(name.symbol), name.per_thread])
        .flatten()
        .map(str::to_owned);
    let aliases = done.into_iter().filter_map(|name| {
        let per_thread = name.per_thread.filter(|form| !defined.contains(*form))?;
        Some(format!("{per_thread} = {}", name.symbol))
    });
    facts::call("stubs", stubs) + &facts::call("aliases", aliases)
}

/// A row of the look-up table.
fn row(name: &Name) -> String {
    let per_thread = name.per_thread.unwrap_or(name.symbol);
    format!(
        "{:?} {} {} {per_thread}",
        name.base, name.version, name.symbol
    )
}

/// `(value, name, text)`; without one of its own the text is the name in words.
fn errors(lines: &[String]) -> String {
    let rows = lines.iter().filter_map(|line| line.split_once(' '));
    let rows: String = rows
        .map(|(value, rest)| {
            let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let words = name
                .trim_start_matches("CUDA_")
                .trim_start_matches("ERROR_");
            let text = match (value, text) {
                ("0", _) => "no error".to_owned(),
                (_, "") => words.to_lowercase().replace('_', " "),
                (_, text) => text.to_owned(),
            };
            format!("    ({value}, c{name:?}, c{text:?}),\n")
        })
        .collect();
    format!("&[\n{rows}]")
}
