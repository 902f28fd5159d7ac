//! Memory of graphs' nodes: addresses are reserved when the node is made, memory is mapped there when the graph comes to
//! it. All of it comes from one pool of the process, which keeps what was freed until it is trimmed.

use crate::driver::driver;
use crate::mapping;
use crate::status::{Outcome, Status};
use crate::virtual_memory;
use migfit_schema::units::Bytes;
use migfit_vgpu_device::Charge;
use migfit_vgpu_device::memory::GRANULE;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Addresses of a node that allocates.
pub struct Block {
    /// The first one.
    pub address: u64,
    /// Bytes that were asked for.
    pub requested: u64,
    /// Whole granules.
    bytes: u64,
}

/// The memory of all graphs.
#[derive(Default)]
struct Pool {
    charge: Option<Charge>,
    /// Blocks that have memory now, and so keep their addresses.
    live: BTreeMap<u64, Arc<Block>>,
    used: u64,
    used_high: u64,
    reserved_high: u64,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    charge: None,
    live: BTreeMap::new(),
    used: 0,
    used_high: 0,
    reserved_high: 0,
});

impl Block {
    /// Reserves addresses for so many bytes.
    pub fn new(requested: u64) -> Outcome<Arc<Block>> {
        let bytes = requested
            .checked_next_multiple_of(GRANULE)
            .ok_or(Status::OUT_OF_MEMORY)?;
        if bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let address = mapping::reserve(bytes, GRANULE)?;
        Ok(Arc::new(Block {
            address,
            requested,
            bytes,
        }))
    }

    /// Whether it has memory now.
    pub fn is_live(&self) -> bool {
        pool().live.contains_key(&self.address)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        mapping::release(self.address, self.bytes);
    }
}

/// Gives a block its memory.
pub fn allocate(block: &Arc<Block>) -> Outcome {
    let mut pool = pool();
    if pool.live.contains_key(&block.address) {
        return Err(Status::INVALID_VALUE);
    }
    let used = pool.used + block.bytes;
    pool.hold(used)?;
    mapping::back(block.address, block.bytes)?;
    virtual_memory::note_mapped(block.address, block.requested);
    pool.used = used;
    pool.used_high = pool.used_high.max(pool.used);
    pool.live.insert(block.address, Arc::clone(block));
    Ok(())
}

/// Takes the memory of the block at this address; the pool keeps it.
pub fn free(address: u64) -> Outcome {
    let block = pool().live.remove(&address).ok_or(Status::INVALID_VALUE)?;
    virtual_memory::note_unmapped(address);
    mapping::unmap(address, block.bytes)?;
    pool().used -= block.bytes;
    Ok(())
}

/// Whether a block with memory begins here.
pub fn begins_at(address: u64) -> bool {
    pool().live.contains_key(&address)
}

/// Gives back what no block uses.
pub fn trim() -> Outcome {
    driver()?;
    let mut pool = pool();
    let used = pool.used;
    match &mut pool.charge {
        Some(charge) => Ok(charge.resize(Bytes(used))?),
        None => Ok(()),
    }
}

/// The numbers of `CUgraphMem_attribute`, in its order: used now and at most, reserved now and at most.
pub fn counts() -> [u64; 4] {
    let pool = pool();
    [
        pool.used,
        pool.used_high,
        pool.reserved(),
        pool.reserved_high,
    ]
}

/// Lets one of the two high-water marks begin anew.
pub fn reset(attribute: u32) -> Outcome {
    let mut pool = pool();
    match attribute {
        1 => pool.used_high = pool.used,
        3 => pool.reserved_high = pool.reserved(),
        _ => return Err(Status::INVALID_VALUE),
    }
    Ok(())
}

/// The last context is gone, and with it all memory of graphs.
pub fn end_all() {
    let live: Vec<u64> = pool().live.keys().copied().collect();
    for address in live {
        // It was alive a moment ago; whoever freed it since did the same.
        let _ = free(address);
    }
    pool().charge = None;
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn reserved(&self) -> u64 {
        self.charge.as_ref().map_or(0, |charge| charge.bytes().0)
    }

    /// Makes sure that it holds so many bytes.
    fn hold(&mut self, bytes: u64) -> Outcome {
        if bytes > self.reserved() {
            match &mut self.charge {
                Some(charge) => charge.resize(Bytes(bytes))?,
                None => {
                    let driver = driver()?;
                    self.charge = Some(Charge::new(&driver.gpu, &driver.slice, Bytes(bytes))?);
                }
            }
            self.reserved_high = self.reserved_high.max(bytes);
        }
        Ok(())
    }
}
