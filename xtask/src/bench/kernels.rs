//! The virtual GPU's own speed: kernels of rodinia/ on one worker against the plain algorithm of `--verify`, both on
//! one core, and how long their compilation takes.

use super::figure::{Figure, median};
use crate::error::{ChoreError, file};
use crate::{demo, paths, process};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Runs of each kind; the median counts.
const RUNS: usize = 3;
/// Seconds of plain work below which a ratio would be noise: such a program is named and left out of the mean.
const LEAST_PLAIN: f64 = 0.02;
/// Programs whose check does the kernels' whole work, and arguments that make it long enough to be timed.
const PROGRAMS: [(&str, &str); 11] = [
    (
        "hotspot",
        "1024 2 40 inputs/temp_1024 inputs/power_1024 /dev/null",
    ),
    ("nw", "8192 10"),
    ("lud", "-s 1024"),
    ("bfs", "inputs/graph_262144"),
    ("gaussian", "-s 1024 -q"),
    ("pathfinder", "100000 400 20"),
    ("nn", "inputs/records_42764 -q"),
    ("srad", "2048 2048 0 127 0 127 0.5 4"),
    ("backprop", "1048560"),
    (
        "streamcluster",
        "4 8 32 0 2048 500 inputs/stream_16384 /dev/null 1",
    ),
    ("lavaMD", "-boxes1d 10"),
];

/// Seconds of one run: all of it, and of that the kernels and their compilation.
#[derive(Clone, Copy, Default)]
struct Times {
    whole: f64,
    kernels: f64,
    compiling: f64,
    instructions: f64,
}

/// Kernels against plain C, and compilation.
pub fn speed() -> Result<Vec<Figure>, ChoreError> {
    let folder = demo::built_programs()?;
    let (mut ratios, mut compiling, mut instructions) = (Vec::new(), 0.0, 0.0);
    for (name, arguments) in PROGRAMS {
        let (mut plain, mut kernels) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let alone = timed(&folder, name, arguments, false)?;
            let checked = timed(&folder, name, arguments, true)?;
            let host = |times: Times| times.whole - times.kernels - times.compiling;
            plain.push(host(checked) - host(alone));
            kernels.push(alone.kernels);
            compiling += alone.compiling;
            instructions += alone.instructions;
        }
        let (plain, kernels) = (median(plain), median(kernels));
        if plain < LEAST_PLAIN {
            println!("    {name}: kernels {kernels:.3} s; plain C is too short to be timed");
            continue;
        }
        let ratio = kernels / plain;
        println!("    {name}: kernels {kernels:.3} s, plain C {plain:.3} s, ratio {ratio:.2}");
        ratios.push(ratio);
    }
    let logs = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
    let mean = (logs / ratios.len() as f64).exp();
    let worst = ratios.iter().copied().fold(f64::NAN, f64::max);
    let each = compiling * 1e3 / (instructions / 1e3);
    let count = ratios.len();
    Ok(vec![
        Figure::below(
            format!("kernels: mean over plain C, {count} programs"),
            mean,
            "times",
            4.0,
        ),
        Figure::below("kernels: worst over plain C", worst, "times", 15.0),
        Figure::below("kernels: compiling 1,000 instructions", each, "ms", 5.0),
    ])
}

fn timed(folder: &Path, name: &str, arguments: &str, check: bool) -> Result<Times, ChoreError> {
    let bed = paths::target().join("bench/kernels");
    std::fs::create_dir_all(&bed).map_err(file("create", &bed))?;
    let path: PathBuf = bed.join("times");
    std::fs::write(&path, "").map_err(file("write", &path))?;
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(folder.join(name).join(name));
    command.args(arguments.split(' '));
    command.args(check.then_some("--verify"));
    command
        .current_dir(folder)
        .env("LD_LIBRARY_PATH", paths::prefix().join("lib/migfit/vgpu"))
        .env("MIGFIT_VGPU", "a100-40gb")
        .env("MIGFIT_VGPU_MIG", "none")
        .env("MIGFIT_VGPU_STATE", bed.join("gpu.state"))
        .env("MIGFIT_VGPU_WORKERS", "1")
        .env("MIGFIT_VGPU_TIMES", &path);
    let begun = Instant::now();
    process::quiet(&mut command, "run the command by hand")?;
    let whole = begun.elapsed().as_secs_f64();
    let text = std::fs::read_to_string(&path).map_err(file("read", &path))?;
    let none = Times {
        whole,
        ..Times::default()
    };
    Ok(text.lines().fold(none, counted))
}

/// Adds a line of the virtual GPU's times.
fn counted(mut times: Times, line: &str) -> Times {
    let mut words = line.split(' ');
    let kind = words.next();
    let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
    let (count, seconds) = (number().unwrap_or(0.0), number().unwrap_or(0.0) / 1e9);
    if kind == Some("ran") {
        times.kernels += seconds;
    } else {
        times.compiling += seconds;
        times.instructions += count;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_by_kind() {
        let lines = [
            "compiled 300 2000000 a",
            "ran 64 5000000 a",
            "ran 64 1000000 a",
        ];
        let sum = lines.into_iter().fold(Times::default(), counted);
        assert_eq!((sum.instructions, sum.compiling), (300.0, 0.002));
        assert!((sum.kernels - 0.006).abs() < 1e-12);
    }
}
