//! Memory pools (`cuMemAllocAsync`): blocks that a pool keeps when they are freed, up to its release threshold, and gives
//! out again. Kept memory stays charged to the slice. Work is complete when a call returns, so a free counts at once.

use crate::contexts;
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::status::{Outcome, Status};
use crate::uses::{self, Use};
use migfit_schema::units::Bytes;
use migfit_vgpu_device::memory::units;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A `CUmemoryPool`.
pub struct Pool {
    handle: usize,
    /// The most that it may reserve; 0: as much as there is.
    pub most: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes that it may keep when they are free.
    threshold: u64,
    used: u64,
    used_high: u64,
    reserved_high: u64,
    blocks: BTreeMap<u64, Block>,
    kept: BTreeMap<u64, Block>,
    /// How it may reuse memory, by attribute: all ways are one here.
    options: BTreeMap<u32, i32>,
}

#[derive(Clone, Copy)]
struct Block {
    units: u64,
    context: u64,
}

/// A number that a pool tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Bytes that it holds of the slice, now.
    Reserved,
    /// The most of them since the last reset.
    ReservedHigh,
    /// Bytes of them that the program uses, now.
    Used,
    /// The most of them since the last reset.
    UsedHigh,
}

impl Object for Pool {
    fn handle(&self) -> usize {
        self.handle
    }
}

static POOLS: Handles<Pool> = Handles::new();
static DEFAULT: OnceLock<Arc<Pool>> = OnceLock::new();
/// Handle of the pool that allocations without a pool take from; 0: the default one.
static CURRENT: AtomicUsize = AtomicUsize::new(0);

/// Makes a pool.
pub fn create(most: u64) -> Outcome<usize> {
    driver()?;
    Ok(POOLS.insert(Arc::new(pool(most))))
}

fn pool(most: u64) -> Pool {
    Pool {
        handle: next_handle(),
        most,
        state: Mutex::default(),
    }
}

/// The device's default pool.
pub fn default_pool() -> Arc<Pool> {
    let default = DEFAULT.get_or_init(|| {
        let default = Arc::new(pool(0));
        POOLS.insert(Arc::clone(&default));
        default
    });
    Arc::clone(default)
}

/// The pool of a handle.
pub fn get(handle: usize) -> Outcome<Arc<Pool>> {
    driver()?;
    default_pool();
    POOLS.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// The pool that allocations without a pool take from.
pub fn current() -> Arc<Pool> {
    let chosen = POOLS.get(CURRENT.load(Ordering::Relaxed));
    chosen.unwrap_or_else(|_| default_pool())
}

/// Makes it the pool that allocations without a pool take from.
pub fn set_current(handle: usize) -> Outcome {
    get(handle)?;
    CURRENT.store(handle, Ordering::Relaxed);
    Ok(())
}

/// Ends a pool; its blocks live on until they are freed.
pub fn destroy(handle: usize) -> Outcome {
    let pool = get(handle)?;
    if handle == default_pool().handle {
        return Err(Status::INVALID_VALUE);
    }
    POOLS.remove(handle)?;
    pool.trim(0)
}

/// Frees the block of a pool that begins here.
pub fn free(handle: usize, address: u64) -> Outcome {
    match POOLS.get(handle) {
        Ok(pool) => pool.free(address),
        // The pool is gone before its block.
        Err(_) => give_back(address),
    }
}

/// The blocks in a context went with it.
pub fn context_ended(context: u64) {
    let _ = POOLS.find(|pool| {
        let mut state = pool.state();
        state.blocks.retain(|_, block| block.context != context);
        state.kept.retain(|_, block| block.context != context);
        state.used = state.blocks.values().map(|block| block.units).sum();
        None::<()>
    });
}

/// Gives memory back to the slice.
fn give_back(address: u64) -> Outcome {
    uses::forget(address);
    if let Some(owner) = contexts::owner_of(address) {
        owner.memory.free(address)?;
    }
    Ok(())
}

impl Pool {
    /// Gives out a block, in the current context.
    pub fn allocate(&self, bytes: u64) -> Outcome<u64> {
        let context = contexts::current()?;
        let mut state = self.state();
        let units = units(bytes);
        let same = |block: &Block| block.units == units && block.context == context.id;
        let kept = state.kept.iter().find(|(_, block)| same(block));
        let kept = kept.map(|(address, _)| *address);
        let kept = kept.filter(|address| context.memory.resize(*address, Bytes(bytes)));
        let address = match kept {
            Some(address) => address,
            None => {
                // Kept memory in other pieces makes room for the new one.
                let keep = state.reserved().saturating_sub(units);
                state.trim(keep)?;
                if self.most > 0 && state.reserved().saturating_add(units) > self.most {
                    return Err(Status::OUT_OF_MEMORY);
                }
                let address = context.memory.allocate(Bytes(bytes)).or_else(|error| {
                    state.trim(0)?;
                    context
                        .memory
                        .allocate(Bytes(bytes))
                        .map_err(|_| Status::from(error))
                })?;
                uses::note(address, context.id, Use::Pool(self.handle));
                address
            }
        };
        state.kept.remove(&address);
        let context = context.id;
        state.blocks.insert(address, Block { units, context });
        state.used += units;
        state.used_high = state.used_high.max(state.used);
        state.reserved_high = state.reserved_high.max(state.reserved());
        Ok(address)
    }

    fn free(&self, address: u64) -> Outcome {
        let mut state = self.state();
        let block = state.blocks.remove(&address).ok_or(Status::INVALID_VALUE)?;
        state.used -= block.units;
        state.kept.insert(address, block);
        let threshold = state.threshold;
        if state.reserved() > threshold {
            state.trim(threshold)?;
        }
        Ok(())
    }

    /// Gives kept memory back until the pool holds no more than this, or only what is used.
    pub fn trim(&self, keep: u64) -> Outcome {
        self.state().trim(keep)
    }

    /// A number that it tells.
    pub fn count(&self, which: Count) -> u64 {
        let state = self.state();
        match which {
            Count::Reserved => state.reserved(),
            Count::ReservedHigh => state.reserved_high,
            Count::Used => state.used,
            Count::UsedHigh => state.used_high,
        }
    }

    /// Lets a high-water mark begin anew; other numbers cannot be set.
    pub fn reset(&self, which: Count) -> Outcome {
        let mut state = self.state();
        match which {
            Count::ReservedHigh => state.reserved_high = state.reserved(),
            Count::UsedHigh => state.used_high = state.used,
            Count::Reserved | Count::Used => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    /// Bytes that it may keep when they are free.
    pub fn threshold(&self) -> u64 {
        self.state().threshold
    }

    /// Sets them; what it keeps now is given back when the next block is freed.
    pub fn set_threshold(&self, bytes: u64) {
        self.state().threshold = bytes;
    }

    /// One of the ways of reuse, by the number of its attribute; all are on at first.
    pub fn option(&self, attribute: u32) -> i32 {
        self.state().options.get(&attribute).copied().unwrap_or(1)
    }

    /// Sets it.
    pub fn set_option(&self, attribute: u32, value: i32) {
        self.state().options.insert(attribute, value);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn reserved(&self) -> u64 {
        self.kept
            .values()
            .fold(self.used, |sum, block| sum + block.units)
    }

    fn trim(&mut self, keep: u64) -> Outcome {
        while self.reserved() > keep {
            let Some((address, _)) = self.kept.pop_first() else {
                break;
            };
            give_back(address)?;
        }
        Ok(())
    }
}
