//! Launches that a driver refuses, by their shape and what the kernel may have of shared memory. Knows no memory.

use migfit_schema::kernel::Extent;

/// cudaErrorInvalidConfiguration.
const INVALID_CONFIGURATION: i32 = 9;
/// cudaErrorInvalidValue.
const INVALID_VALUE: i32 = 1;

/// Most blocks of a grid, by dimension.
const GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Most threads of a block, by dimension.
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most threads of a block.
const BLOCK_THREADS: u64 = 1024;

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The runtime's error.
    pub error: i32,
    /// What is wrong with the shape: "grid of 0 blocks".
    pub what: String,
}

/// The refusal of a launch with what is known of its shape.
pub fn refusal(
    grid: Option<Extent>,
    block: Option<Extent>,
    shared: Option<u64>,
    most_shared: u64,
) -> Option<Refusal> {
    let what = grid
        .and_then(|grid| wrong("grid", "blocks", grid, GRID, u64::MAX))
        .or_else(|| block.and_then(|block| wrong("block", "threads", block, BLOCK, BLOCK_THREADS)));
    if let Some(what) = what {
        let error = INVALID_CONFIGURATION;
        return Some(Refusal { error, what });
    }
    let bytes = shared.filter(|bytes| *bytes > most_shared)?;
    Some(Refusal {
        error: INVALID_VALUE,
        what: format!("{bytes} bytes of dynamic shared memory, where {most_shared} are the most"),
    })
}

fn wrong(part: &str, of: &str, extent: Extent, most: [u32; 3], in_all: u64) -> Option<String> {
    let each = [extent.x, extent.y, extent.z];
    let fits = each
        .iter()
        .zip(most)
        .all(|(extent, most)| (1..=most).contains(extent));
    let count = extent.count();
    match fits && count <= in_all {
        true => None,
        false if count == 0 => Some(format!("{part} of 0 {of}")),
        false => Some(format!("{part} of {extent} {of}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(grid: [u32; 3], block: [u32; 3], shared: u64) -> Option<String> {
        let extent = |[x, y, z]: [u32; 3]| Some(Extent { x, y, z });
        refusal(extent(grid), extent(block), Some(shared), 227 << 10).map(|refusal| refusal.what)
    }

    #[test]
    fn the_largest_shapes_pass_and_one_more_does_not() {
        let most = [i32::MAX as u32, 65_535, 65_535];
        assert_eq!(what(most, [1024, 1, 1], 227 << 10), None);
        assert_eq!(what(most, [4, 4, 64], 0), None);
        let refused = |grid, block, shared| what(grid, block, shared).unwrap();
        assert_eq!(refused([0, 1, 1], [1; 3], 0), "grid of 0 blocks");
        assert_eq!(
            refused([1 << 31, 1, 1], [1; 3], 0),
            "grid of 2147483648 blocks"
        );
        assert_eq!(refused([1, 65_536, 1], [1; 3], 0), "grid of 1x65536 blocks");
        assert_eq!(
            refused([1, 1, 65_536], [1; 3], 0),
            "grid of 1x1x65536 blocks"
        );
        assert_eq!(refused([1; 3], [32, 0, 1], 0), "block of 0 threads");
        assert_eq!(refused([1; 3], [1025, 1, 1], 0), "block of 1025 threads");
        assert_eq!(refused([1; 3], [1, 1, 65], 0), "block of 1x1x65 threads");
        assert_eq!(refused([1; 3], [32, 33, 1], 0), "block of 32x33 threads");
        let bytes = (227 << 10) + 1;
        assert_eq!(
            refused([1; 3], [1; 3], bytes),
            "232449 bytes of dynamic shared memory, where 232448 are the most"
        );
    }

    #[test]
    fn what_is_not_known_is_not_refused() {
        assert_eq!(refusal(None, None, None, 0), None);
    }
}
