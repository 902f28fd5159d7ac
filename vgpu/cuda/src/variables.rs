//! The variables of loaded device code -> one block of a context's device memory. Code that is loaded takes whole
//! granules for them, as on a GPU, whether or not a kernel uses them. It must not know when code is loaded.

use crate::contexts::{self, CudaContext};
use crate::execution::Code;
use crate::initial::addresses;
use crate::status::{Outcome, Status};
use migfit_ptx::link;
use migfit_ptx::outline::Variable;
use migfit_schema::units::Bytes;
use migfit_vgpu_device::memory::GRANULE;
use migfit_vgpu_execution::Symbols;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The variables of one piece of device code.
pub struct Variables {
    /// By name: what is declared, and where it lies in the block.
    declared: BTreeMap<String, (Variable, u64)>,
    /// Bytes of the block: whole granules, or none.
    bytes: u64,
    /// Addresses of the blocks, by context.
    placed: Mutex<BTreeMap<u64, u64>>,
}

impl Variables {
    /// Lays variables out, one behind the other.
    pub fn new(variables: BTreeMap<String, Variable>) -> Variables {
        let mut end = 0_u64;
        let mut place = |(name, variable): (String, Variable)| {
            let start = end.checked_next_multiple_of(variable.align as u64);
            let start = start.unwrap_or(u64::MAX);
            end = start.saturating_add(variable.bytes as u64);
            (name, (variable, start))
        };
        let declared = variables.into_iter().map(&mut place).collect();
        Variables {
            declared,
            bytes: end.div_ceil(GRANULE).saturating_mul(GRANULE),
            placed: Mutex::default(),
        }
    }

    /// Gives them memory in a context, with their first values, unless they have it.
    pub fn place(&self, context: &CudaContext, code: &Code) -> Outcome {
        self.block(context, code).map(drop)
    }

    /// Their block in a context, where they have been given memory; 0 where there are none.
    pub fn block_in(&self, context: &CudaContext) -> Outcome<u64> {
        if self.bytes == 0 {
            return Ok(0);
        }
        let block = self.placed().get(&context.id).copied();
        block.ok_or(Status::INVALID_HANDLE)
    }

    /// Address and size of one of them in a context.
    pub fn find(&self, context: &CudaContext, name: &str, code: &Code) -> Outcome<(u64, usize)> {
        let (variable, offset) = self.declared.get(name).ok_or(Status::NOT_FOUND)?;
        Ok((self.block(context, code)? + offset, variable.bytes))
    }

    /// Whether a block of theirs begins at this address: the program did not allocate it, so it cannot free it.
    pub fn begin_at(&self, address: u64) -> bool {
        self.placed().values().any(|block| *block == address)
    }

    /// Whether a managed one lies at this address.
    pub fn manages(&self, address: u64) -> bool {
        let placed = self.placed();
        let lies_there = |block: u64, variable: &Variable, offset: u64| {
            let within = address.checked_sub(block.saturating_add(offset));
            variable.managed && within.is_some_and(|within| within < variable.bytes as u64)
        };
        placed.values().any(|block| {
            let mut declared = self.declared.values();
            declared.any(|(variable, offset)| lies_there(*block, variable, *offset))
        })
    }

    /// Gives all their memory back.
    pub fn free(&self) -> Outcome {
        let placed = std::mem::take(&mut *self.placed());
        for block in placed.into_values() {
            if let Some(owner) = contexts::owner_of(block) {
                owner.memory.free(block)?;
            }
        }
        Ok(())
    }

    /// Their block in this context went with it.
    pub fn context_ended(&self, context: u64) {
        self.placed().remove(&context);
    }

    /// The block in a context; 0 where there are no variables.
    fn block(&self, context: &CudaContext, code: &Code) -> Outcome<u64> {
        if self.bytes == 0 {
            return Ok(0);
        }
        let mut placed = self.placed();
        if let Some(block) = placed.get(&context.id) {
            return Ok(*block);
        }
        let block = context.memory.allocate(Bytes(self.bytes))?;
        placed.insert(context.id, block);
        for (variable, offset) in self.declared.values() {
            let initial = variable.initial.as_deref().unwrap_or_default();
            set(
                block + offset,
                initial.get(..variable.bytes).unwrap_or(initial),
            );
        }
        if self
            .declared
            .values()
            .any(|(variable, _)| variable.initial.is_none())
        {
            for (offset, bytes) in addresses(code.program()?, self, block) {
                set(block + offset, &bytes);
            }
        }
        Ok(block)
    }

    fn placed(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.placed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a variable's first bytes. The rest is zero already: whole granules are new pages.
fn set(address: u64, initial: &[u8]) {
    let Ok(address) = usize::try_from(address) else {
        return;
    };
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the heap just gave out the block, and the variable lies within it.
    unsafe { std::ptr::copy_nonoverlapping(initial.as_ptr(), start, initial.len()) };
}

impl Symbols for Variables {
    fn offset(&self, file: usize, name: &str) -> Option<u64> {
        let own = self.declared.get(&link::apart(name, file));
        let found = own.or_else(|| self.declared.get(name));
        found.map(|(_, offset)| *offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_ptx::outline::Linkage;

    fn variables(sizes: &[(&str, usize, usize)]) -> Variables {
        let declared = sizes.iter().map(|&(name, bytes, align)| {
            let variable = Variable {
                bytes,
                align,
                constant: false,
                managed: false,
                linkage: Linkage::Visible,
                initial: Some(Vec::new()),
            };
            (name.to_owned(), variable)
        });
        Variables::new(declared.collect())
    }

    #[test]
    fn variables_lie_one_behind_the_other_in_whole_granules() {
        let found = variables(&[("a", 3, 1), ("b", 8, 8), ("c", 1 << 21, 256)]);
        let starts: Vec<_> = found.declared.values().map(|(_, start)| *start).collect();
        assert_eq!((starts, found.bytes), (vec![0, 8, 256], 2 * GRANULE));
        assert_eq!(variables(&[]).bytes, 0);
        assert_eq!(variables(&[("empty", 0, 4)]).bytes, 0);
    }

    #[test]
    fn more_than_all_memory_is_no_small_number() {
        let found = variables(&[("a", usize::MAX, 8), ("b", 8, 8)]);
        assert!(found.bytes >= u64::MAX - GRANULE);
    }
}
