//! The kernels of this process by handle, and their rows in the run record. Comes in: names and launch shapes. Goes out:
//! the word that counts such launches. It must not know the driver.

use crate::record::{Record, Word};
use cust::function::{BlockSize, GridSize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one launch asked for besides the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub grid: GridSize,
    /// Threads of a block.
    pub block: BlockSize,
    /// Dynamic shared memory in bytes.
    pub shared: u32,
}

impl Shape {
    /// The shape that the driver's numbers mean.
    pub fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> Shape {
        Shape {
            grid: GridSize::from(<(u32, u32, u32)>::from(grid)),
            block: BlockSize::from(<(u32, u32, u32)>::from(block)),
            shared,
        }
    }

    /// As the record lays it out: grid, block, shared memory.
    fn numbers(self) -> [u64; 7] {
        let Shape {
            grid,
            block,
            shared,
        } = self;
        [grid.x, grid.y, grid.z, block.x, block.y, block.z, shared].map(u64::from)
    }
}

/// Names by handle, rows by name and shape.
#[derive(Default)]
pub struct Kernels {
    names: BTreeMap<usize, Arc<[u8]>>,
    rows: BTreeMap<Vec<u8>, BTreeMap<[u64; 7], Word>>,
}

impl Kernels {
    /// A handle now stands for the kernel of this name. (A handle that is given again was asked for by name again.)
    pub fn learn(&mut self, handle: usize, name: &[u8]) {
        self.names.insert(handle, name.into());
    }

    /// One handle now stands for the same kernel as another.
    pub fn learn_same(&mut self, handle: usize, as_other: usize) {
        if let Some(name) = self.name(as_other) {
            self.names.insert(handle, name);
        }
    }

    /// The name of a handle that the program asked for by name.
    pub fn name(&self, handle: usize) -> Option<Arc<[u8]>> {
        self.names.get(&handle).cloned()
    }

    /// The word that counts launches of this kernel with this shape; `None` where the record's table is full.
    pub fn row(&mut self, record: &Record, name: &[u8], shape: Shape) -> Option<Word> {
        let numbers = shape.numbers();
        if let Some(row) = self.rows.get(name).and_then(|rows| rows.get(&numbers)) {
            return Some(*row);
        }
        let row = record.kernel(name, numbers)?;
        self.rows
            .entry(name.to_vec())
            .or_default()
            .insert(numbers, row);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_one_row_for_each_shape_whatever_its_handle() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::create(folder.path(), 80).unwrap();
        let mut kernels = Kernels::default();
        let shape = |x: u32| Shape {
            grid: x.into(),
            block: 32.into(),
            shared: 0,
        };
        let first = kernels.row(&record, b"k", shape(1)).unwrap();
        record.count(first);
        let again = kernels.row(&record, b"k", shape(1)).unwrap();
        record.count(again);
        kernels.row(&record, b"k", shape(2)).unwrap();
        kernels.row(&record, b"other", shape(1)).unwrap();
        assert_eq!(record.get(first), 2);
        assert_eq!(record.get(crate::record::word!(kernel_rows)), 3);
    }

    #[test]
    fn names_follow_from_handle_to_handle() {
        let mut kernels = Kernels::default();
        kernels.learn(1, b"k");
        kernels.learn_same(2, 1);
        kernels.learn_same(3, 9);
        assert_eq!(kernels.name(2).as_deref(), Some(&b"k"[..]));
        assert_eq!(kernels.name(3), None);
        kernels.learn(1, b"other");
        assert_eq!(kernels.name(2).as_deref(), Some(&b"k"[..]));
    }
}
