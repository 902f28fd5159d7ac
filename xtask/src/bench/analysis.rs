//! What the analysis costs as modules grow: processor time of `migfit-analyze` on generated modules of three sizes,
//! within the address space that it may take at most.

use super::build::seconds;
use super::figure::Figure;
use super::module;
use crate::error::{ChoreError, file};
use crate::paths;
use std::process::Command;

/// Instructions of each module.
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];
/// Seconds for the largest.
const LARGEST: f64 = 60.0;
/// KiB of address space for each.
const SPACE: u32 = 2 << 20;

/// Time of each size, and growth from each to the next over that of n log n.
pub fn growth() -> Result<Vec<Figure>, ChoreError> {
    let folder = paths::target().join("bench/analysis");
    std::fs::create_dir_all(&folder).map_err(file("create", &folder))?;
    let mut times = Vec::new();
    for instructions in SIZES {
        let path = folder.join(format!("{instructions}.ll"));
        std::fs::write(&path, module::text(instructions)).map_err(file("write", &path))?;
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -v {SPACE}; exec \"$@\""), "sh"])
            .arg(paths::program("migfit-analyze"))
            .args(["profile", "--name", "grown", "--out"])
            .arg(folder.join("profile"))
            .arg(&path);
        let took = seconds(&mut command)?;
        println!("    {instructions} instructions: {took:.2} s of processor time, within 2 GiB");
        times.push((instructions as f64, took));
        std::fs::remove_file(&path).map_err(file("remove", &path))?;
    }
    let steps = times.windows(2).filter_map(|pair| match pair {
        [smaller, larger] => Some(step(*smaller, *larger)),
        _ => None,
    });
    let largest = times.last().map_or(f64::NAN, |(_, took)| *took);
    let name = "analysis: 1,000,000 instructions in 2 GiB";
    let mut figures = vec![Figure::below(name, largest, "s", LARGEST)];
    figures.extend(steps);
    Ok(figures)
}

/// How much more time the larger takes than n log n would have it. What does not grow (the process, LLVM's start) is in
/// both, which makes the first step look better than it is.
fn step((small, before): (f64, f64), (large, after): (f64, f64)) -> Figure {
    let fair = large * large.ln() / (small * small.ln());
    let name = format!("analysis: growth {small} to {large} over n log n");
    // A tenth is what two runs of one module differ by.
    Figure::below(name, after / before / fair, "ratio", 1.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_held_against_n_log_n() {
        assert!(step((1e4, 1.0), (1e5, 12.0)).holds);
        assert!(!step((1e4, 1.0), (1e5, 100.0)).holds);
    }
}
