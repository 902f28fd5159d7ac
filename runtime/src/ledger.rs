//! The device memory that lives now. Comes in: allocations and frees. Goes out: sums. Pure: it must not know the
//! driver or the record. Sums saturate.

use crate::physical::Physical;
use crate::rounding::{self, Rounded};
use std::collections::BTreeMap;

/// What an allocation is known by. Pointers, arrays and mipmapped arrays are numbered by the driver independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Block {
    /// A device pointer.
    Pointer(u64),
    /// A `CUarray`.
    Array(u64),
    /// A `CUmipmappedArray`.
    Mipmap(u64),
    /// What the nodes of all graphs hold of a device.
    Graphs(i32),
}

/// A living allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Living {
    /// Its bytes.
    pub bytes: u64,
    /// The context it was made in; 0 where unknown.
    pub context: u64,
    /// The pool that it is from; 0: none.
    pub pool: u64,
}

/// All living allocations of a process and their sums.
#[derive(Default)]
pub struct Ledger {
    living: BTreeMap<Block, Living>,
    /// Memory made by `cuMemCreate`, which has handles and mappings instead of an owner.
    pub physical: Physical,
    /// Of each pool what living allocations take, and what it holds beyond that.
    pools: BTreeMap<u64, Pool>,
    current: u64,
    rounded: Rounded,
}

#[derive(Default)]
struct Pool {
    used: u64,
    kept: u64,
}

impl Ledger {
    /// Requested bytes alive.
    pub fn current(&self) -> u64 {
        self.current
    }

    /// Bytes that the driver takes for them.
    pub fn rounded(&self) -> u64 {
        self.rounded.total()
    }

    /// A new allocation. One of the same name that was still there has gone unseen.
    pub fn insert(&mut self, block: Block, living: Living) {
        if let Some(unseen) = self.living.insert(block, living) {
            self.free(unseen);
        }
        self.add(living.bytes);
        if living.pool != 0 {
            let pool = self.pools.entry(living.pool).or_default();
            pool.used = pool.used.saturating_add(rounding::units(living.bytes));
        }
    }

    /// A pool holds so many bytes of the device; `None`: as many as its living allocations take.
    pub fn pool_holds(&mut self, pool: u64, reserved: Option<u64>) {
        let Some(pool) = self.pools.get_mut(&pool) else {
            return;
        };
        let kept = reserved.map_or(0, |reserved| reserved.saturating_sub(pool.used));
        self.rounded.keep(pool.kept, kept);
        pool.kept = kept;
    }

    /// Takes an allocation out whose bytes are still held.
    pub fn take(&mut self, block: Block) -> Option<Living> {
        self.living.remove(&block)
    }

    /// Undoes `take`.
    pub fn put_back(&mut self, block: Block, living: Living) {
        self.living.insert(block, living);
    }

    /// The bytes of an allocation that was taken out are held no more.
    pub fn free(&mut self, living: Living) {
        self.subtract(living.bytes);
        if let Some(pool) = self.pools.get_mut(&living.pool) {
            pool.used = pool.used.saturating_sub(rounding::units(living.bytes));
        }
    }

    /// All allocations of a context are gone. One in an unknown context stays: rather too much than too little.
    pub fn free_context(&mut self, context: u64) {
        let of_context = |living: &Living| context != 0 && living.context == context;
        let gone = self.living.extract_if(.., |_, living| of_context(living));
        let gone: Vec<_> = gone.collect();
        for (_, living) in gone {
            self.free(living);
        }
    }

    /// Counts bytes in.
    pub fn add(&mut self, bytes: u64) {
        self.current = self.current.saturating_add(bytes);
        self.rounded.add(bytes);
    }

    /// Counts bytes out.
    pub fn subtract(&mut self, bytes: u64) {
        self.current = self.current.saturating_sub(bytes);
        self.rounded.subtract(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Block = Block::Pointer(0x1000);
    const TWO: Block = Block::Array(0x1000);

    fn living(bytes: u64, context: u64) -> Living {
        Living {
            bytes,
            context,
            pool: 0,
        }
    }

    #[test]
    fn bytes_are_held_until_the_free_is_done() {
        let mut ledger = Ledger::default();
        ledger.insert(ONE, living(100, 1));
        ledger.insert(TWO, living(50, 1));
        let taken = ledger.take(ONE).unwrap();
        assert_eq!(ledger.current(), 150);
        assert_eq!(ledger.take(ONE), None);
        ledger.put_back(ONE, taken);
        let taken = ledger.take(ONE).unwrap();
        ledger.free(taken);
        assert_eq!(ledger.current(), 50);
    }

    #[test]
    fn an_address_given_again_replaces_the_block_that_went_unseen() {
        let mut ledger = Ledger::default();
        ledger.insert(ONE, living(100, 1));
        ledger.insert(ONE, living(30, 1));
        assert_eq!(ledger.current(), 30);
    }

    #[test]
    fn a_context_takes_its_own_memory_along() {
        let mut ledger = Ledger::default();
        ledger.insert(Block::Pointer(1), living(100, 7));
        ledger.insert(Block::Pointer(2), living(10, 8));
        ledger.insert(Block::Pointer(3), living(1, 0));
        ledger.free_context(7);
        assert_eq!(ledger.current(), 11);
        ledger.free_context(0);
        assert_eq!(ledger.current(), 11, "0 is no context");
    }

    #[test]
    fn what_a_pool_keeps_is_held_but_not_used() {
        const MIB: u64 = 1 << 20;
        let mut ledger = Ledger::default();
        let of_pool = |bytes| Living {
            pool: 9,
            ..living(bytes, 1)
        };
        ledger.insert(ONE, of_pool(3 * MIB));
        ledger.pool_holds(9, Some(4 * MIB));
        ledger.insert(TWO, of_pool(1000));
        ledger.pool_holds(9, Some(4 * MIB + 1024));
        assert_eq!(
            (ledger.current(), ledger.rounded()),
            (3 * MIB + 1000, 6 * MIB)
        );
        let taken = ledger.take(ONE).unwrap();
        ledger.free(taken);
        ledger.pool_holds(9, Some(4 * MIB + 1024));
        assert_eq!((ledger.current(), ledger.rounded()), (1000, 6 * MIB));
        ledger.pool_holds(9, Some(1024));
        assert_eq!((ledger.current(), ledger.rounded()), (1000, 2 * MIB));
        ledger.pool_holds(8, Some(MIB));
        ledger.pool_holds(9, Some(64 * MIB));
        ledger.pool_holds(9, None);
        assert_eq!(ledger.rounded(), 2 * MIB);
    }

    #[test]
    fn sums_saturate() {
        let mut ledger = Ledger::default();
        ledger.insert(Block::Pointer(1), living(u64::MAX, 1));
        ledger.insert(Block::Pointer(2), living(u64::MAX, 1));
        assert_eq!(ledger.current(), u64::MAX);
        ledger.free_context(1);
        assert_eq!(ledger.current(), 0);
    }
}
