//! The programs under rodinia/: argument lists, and the device bytes that the formula in each README gives for them.
//! The formulas are worked out here, by hand, and know nothing of what the analyzer finds.

use crate::program::rodinia_folder;

/// A program with one argument list.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its folder and file name.
    pub program: &'static str,
    /// Seen from the folder rodinia.
    pub arguments: &'static str,
    /// Most device bytes at the same time.
    pub bytes: u64,
    /// What of its launches can be known before.
    pub launches: Known,
}

/// What can be known of a program's launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Shapes and how often.
    All,
    /// Shapes; how often comes from what the device computes.
    Shapes,
    /// Some shapes; others come from what the device computes.
    SomeShapes,
}

/// Two argument lists and more for each program.
#[must_use]
pub fn cases() -> Vec<Case> {
    [
        hotspot(),
        nw(),
        lud(),
        bfs(),
        gaussian(),
        pathfinder(),
        nn(),
        kmeans(),
        srad(),
        backprop(),
        streamcluster(),
        lava_md(),
        particlefilter(),
    ]
    .concat()
}

fn known(program: &'static str, arguments: &'static str, bytes: u64) -> Case {
    Case {
        program,
        arguments,
        bytes,
        launches: Known::All,
    }
}

fn hotspot() -> Vec<Case> {
    let case = |arguments, n: u64| known("hotspot", arguments, 12 * n * n);
    vec![
        case("512 2 20 inputs/temp_512 inputs/power_512 /dev/null", 512),
        case("512 3 7 inputs/temp_512 inputs/power_512 /dev/null", 512),
        case(
            "1024 1 5 inputs/temp_1024 inputs/power_1024 /dev/null",
            1024,
        ),
    ]
}

fn nw() -> Vec<Case> {
    let case = |arguments, n: u64| known("nw", arguments, 8 * (n + 1) * (n + 1));
    vec![
        case("16 10", 16),
        case("1024 7", 1024),
        case("2048 10 inputs/sequences_2048", 2048),
    ]
}

fn lud() -> Vec<Case> {
    let case = |arguments, n: u64| known("lud", arguments, 4 * n * n);
    vec![
        case("-i inputs/matrix_128", 128),
        case("--size 48", 48),
        case("-s 1024", 1024),
    ]
}

fn bfs() -> Vec<Case> {
    let case = |arguments: &'static str| {
        let (nodes, edges) = graph_size(arguments);
        Case {
            launches: Known::Shapes,
            ..known("bfs", arguments, 15 * nodes + 4 * edges + 1)
        }
    };
    vec![
        case("inputs/graph_4096"),
        case("inputs/graph_65536"),
        case("inputs/graph_262144"),
    ]
}

fn gaussian() -> Vec<Case> {
    let case = |arguments, n: u64| known("gaussian", arguments, 8 * n * n + 4 * n);
    vec![
        case("-f inputs/system_64", 64),
        case("-q -s 100", 100),
        case("-s 1024 -q", 1024),
    ]
}

fn pathfinder() -> Vec<Case> {
    let case =
        |arguments, cols: u64, rows: u64| known("pathfinder", arguments, 4 * cols * (rows + 1));
    vec![
        case("1000 50 7", 1000, 50),
        case("129 2 127", 129, 2),
        case("100000 100 20", 100_000, 100),
    ]
}

fn nn() -> Vec<Case> {
    let case = |arguments, records: u64| known("nn", arguments, 12 * records);
    vec![
        case("inputs/records_10000 -r 5 -lat 30 -lng 90", 10_000),
        case("inputs/records_42764 -q", 42_764),
    ]
}

fn kmeans() -> Vec<Case> {
    let case = |arguments, points: u64, most: u64| {
        let features = 34;
        let bytes = 8 * points * features + 4 * points + 4 * most * features;
        Case {
            launches: Known::Shapes,
            ..known("kmeans", arguments, bytes)
        }
    };
    vec![
        case("-i inputs/points_10000", 10_000, 5),
        case("-m 7 -n 2 -i inputs/points_10000 -l 2", 10_000, 7),
        case("-b -i inputs/points_65536.bin -m 8 -n 8 -t 0.01", 65_536, 8),
    ]
}

fn srad() -> Vec<Case> {
    let case = |arguments, rows: u64, cols: u64| known("srad", arguments, 24 * rows * cols);
    vec![
        case("16 32 0 15 0 15 0.5 3", 16, 32),
        case("512 256 0 127 0 127 0.5 10", 512, 256),
    ]
}

fn backprop() -> Vec<Case> {
    let case = |arguments, inputs: u64| known("backprop", arguments, 144 * inputs + 208);
    vec![case("16", 16), case("65536", 65_536)]
}

fn streamcluster() -> Vec<Case> {
    let case = |arguments, points: u64, most: u64, dim: u64| Case {
        launches: Known::SomeShapes,
        ..known(
            "streamcluster",
            arguments,
            points * (8 * most + 4 * dim + 21),
        )
    };
    vec![
        case("3 6 8 1000 500 100 none /dev/null 1", 500, 6, 8),
        case(
            "4 8 32 0 2048 500 inputs/stream_16384 /dev/null 1",
            2048,
            8,
            32,
        ),
        case("2 3 4 300 100 200 none /dev/null 1", 200, 3, 4),
    ]
}

fn lava_md() -> Vec<Case> {
    let case = |arguments, across: u64| known("lavaMD", arguments, 7856 * across.pow(3));
    vec![case("-boxes1d 1", 1), case("-boxes1d 12", 12)]
}

fn particlefilter() -> Vec<Case> {
    let case = |arguments, pixels: u64, guesses: u64| {
        known("particlefilter", arguments, 352 * guesses + pixels + 552)
    };
    vec![
        case("-x 128 -y 128 -z 10 -np 1000", 128 * 128 * 10, 1000),
        case("-np 40000 -x 64 -z 5 -y 80", 64 * 80 * 5, 40_000),
    ]
}

/// Nodes and edges of a graph file of bfs: n, then n pairs (first edge, edges), then the source, then e.
fn graph_size(path: &str) -> (u64, u64) {
    let text = std::fs::read_to_string(rodinia_folder().join(path));
    let text = text.expect("the graph was generated");
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().expect("a number"));
    let nodes = numbers.next().expect("a node count");
    let after_source = usize::try_from(2 * nodes + 1).expect("small");
    let edges = numbers.nth(after_source).expect("an edge count");
    (nodes, edges)
}
