//! What `migfit build` costs over nvcc: processor time of a compile under it (IR, side pass) in both manners, over that of
//! the same nvcc command by itself. Processor time, so that other load does not matter.

use super::figure::{Figure, median};
use crate::error::{ChoreError, file};
use crate::setup::cuda;
use crate::{paths, process};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rounds of all three commands in turns.
const ROUNDS: usize = 5;
/// Part of nvcc's own time that a pass beside the user's compiler may cost.
const BESIDE: f64 = 0.60;
/// The same where clang compiles, IR and object in one.
const CLANG: f64 = 0.15;

/// Sources, from a small kernel to Thrust.
const SOURCES: [&str; 4] = [
    "rodinia/lud/lud.cu",
    "rodinia/kmeans/kmeans_cuda.cu",
    "rodinia/particlefilter/filter_gpu.cu",
    "tests/fixtures/projects/own/sorted.cu",
];

/// Cost of both manners for each source.
pub fn over_nvcc() -> Result<Vec<Figure>, ChoreError> {
    let folder = paths::target().join("bench/build");
    std::fs::create_dir_all(&folder).map_err(file("create", &folder))?;
    let mut figures = Vec::new();
    for source in SOURCES {
        let path = paths::root().join(source);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let [beside, clang] = costs(&folder, &path)?;
        figures.push(Figure::below(
            format!("build: over nvcc's time, own compiler, {name}"),
            beside,
            "ratio",
            BESIDE,
        ));
        figures.push(Figure::below(
            format!("build: over nvcc's time, clang, {name}"),
            clang,
            "ratio",
            CLANG,
        ));
    }
    Ok(figures)
}

fn costs(folder: &Path, source: &Path) -> Result<[f64; 2], ChoreError> {
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let manners: [&[&str]; 3] = [
            &[],
            &["build", "--host-compiler", "user", "--"],
            &["build", "--host-compiler", "clang", "--"],
        ];
        for (times, manner) in times.iter_mut().zip(manners) {
            times.push(seconds(&mut compile(folder, source, manner)?)?);
        }
    }
    let [alone, user, clang] = times.map(median);
    println!(
        "    {}: nvcc {alone:.2} s, {user:.2} s, {clang:.2} s",
        source.display()
    );
    Ok([user / alone - 1.0, clang / alone - 1.0])
}

fn compile(folder: &Path, source: &Path, manner: &[&str]) -> Result<Command, ChoreError> {
    let program = match manner {
        [] => PathBuf::from("nvcc"),
        _ => paths::program("migfit"),
    };
    let mut command = Command::new(program);
    command.args(manner);
    if !manner.is_empty() {
        command.arg("nvcc");
    }
    command
        .args(["-O2", "-c"])
        .arg(source)
        .args(["-o", "object.o"]);
    command
        .env("PATH", cuda::path_variable()?)
        .current_dir(folder);
    Ok(command)
}

/// Processor time of a command and all that it waited for.
pub fn seconds(command: &mut Command) -> Result<f64, ChoreError> {
    let before = of_children()?;
    process::quiet(command, "run the command by hand")?;
    Ok(of_children()? - before)
}

/// Processor time of all our children that ended.
fn of_children() -> Result<f64, ChoreError> {
    /// The kernel's unit in this file on every Linux.
    const TICKS: f64 = 100.0;
    let path = Path::new("/proc/self/stat");
    let text = std::fs::read_to_string(path).map_err(file("read", path))?;
    Ok(ticks(&text).unwrap_or(f64::NAN) / TICKS)
}

/// Fields 16 and 17, counted from the state behind the command's name.
fn ticks(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(13);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read_behind_any_name() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 40 41 250 50 20 0";
        assert_eq!(ticks(stat), Some(300.0));
        assert!(of_children().is_ok_and(|seconds| seconds >= 0.0));
    }
}
