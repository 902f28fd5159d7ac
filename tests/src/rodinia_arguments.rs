//! Sizes that stand in the input files of the programs under rodinia/, read by the test itself.

use crate::program::rodinia_folder;

/// Nodes and edges of a graph file of bfs: n, then n pairs (first edge, edges), then the source, then e.
///
/// # Panics
/// When the file is not of that form.
#[must_use]
pub fn graph_size(name: &str) -> (u64, u64) {
    let path = rodinia_folder().join("inputs").join(name);
    let text = std::fs::read_to_string(&path).expect("the graph was generated");
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().expect("a number"));
    let nodes = numbers.next().expect("a node count");
    let after_source = usize::try_from(2 * nodes + 1).expect("small");
    let edges = numbers.nth(after_source).expect("an edge count");
    (nodes, edges)
}
