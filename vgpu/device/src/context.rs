//! A context: the calling process's hold on a slice, with its device memory. All that it holds is charged in the
//! state file, so that other processes see it, and comes back when the context ends or the process dies.

use crate::memory::{Allocation, Heap};
use crate::state::{Holder, MemoryUse, Slice, StateError, VirtualGpu};
use migfit_schema::units::{Bytes, Mib};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a context costs before anything is allocated: modelled as a fixed part and a part per SM (local memory and
/// launch queues grow with the SMs). Not a measured figure.
#[must_use]
pub fn context_cost(sms: u32) -> Bytes {
    const FIXED: Mib = Mib(64);
    const PER_SM: u64 = 4;
    Mib(FIXED.0 + PER_SM * u64::from(sms)).to_bytes()
}

/// A context of the calling process.
pub struct Context {
    gpu: Arc<VirtualGpu>,
    slice: Slice,
    holder: Holder,
    heap: Mutex<Heap>,
}

impl Context {
    /// Makes a context on a slice and charges its cost.
    ///
    /// # Errors
    /// `OutOfMemory` when the slice does not hold it, `NotFound` when the slice is gone.
    pub fn new(gpu: Arc<VirtualGpu>, slice: Slice) -> Result<Context, StateError> {
        let cost = context_cost(slice.sms);
        let holder = Holder::here(slice.instance)?;
        gpu.charge_to(&holder, &slice, cost)?;
        let heap = Heap::new(slice.memory.to_bytes().0).inspect_err(|_| {
            // The error below is the one to tell; a charge that stays ends with this process.
            let _ = gpu.uncharge_from(&holder, cost);
        });
        let heap = heap.map_err(|source| StateError::File {
            path: gpu.path().to_owned(),
            what: "given an address range for device memory",
            source,
        })?;
        Ok(Context {
            gpu,
            slice,
            holder,
            heap: Mutex::new(heap),
        })
    }

    /// The slice that it is on.
    #[must_use]
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    /// False in a child that was forked after the context was made: it has no context, as with CUDA.
    #[must_use]
    pub fn belongs_here(&self) -> bool {
        self.holder.pid == std::process::id()
    }

    /// Allocates device memory.
    ///
    /// # Errors
    /// `OutOfMemory` when the slice (or the host) does not hold it.
    pub fn allocate(&self, bytes: Bytes) -> Result<u64, StateError> {
        let mut heap = self.heap();
        let cost = heap.cost(bytes.0);
        if cost > 0 {
            self.gpu.charge_to(&self.holder, &self.slice, Bytes(cost))?;
        }
        let address = heap.allocate(bytes.0);
        address.ok_or_else(|| {
            // The host has no room; the charge must not stay.
            let _ = self.gpu.uncharge_from(&self.holder, Bytes(cost));
            StateError::OutOfMemory {
                wanted: cost,
                free: 0,
            }
        })
    }

    /// Frees device memory. `Ok(false)` when nothing of this context lives at the address.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn free(&self, address: u64) -> Result<bool, StateError> {
        match self.heap().free(address) {
            None => Ok(false),
            Some(0) => Ok(true),
            Some(refund) => self
                .gpu
                .uncharge_from(&self.holder, Bytes(refund))
                .map(|()| true),
        }
    }

    /// Gives a live allocation another size that takes the same units of memory; `false` when it would take others.
    #[must_use]
    pub fn resize(&self, address: u64, bytes: Bytes) -> bool {
        self.heap().resize(address, bytes.0)
    }

    /// The live allocation that holds this address.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.heap().find(address)
    }

    /// Bytes charged for this context: its own cost and what backs its allocations.
    #[must_use]
    pub fn held(&self) -> Bytes {
        context_cost(self.slice.sms).saturating_add(Bytes(self.heap().backing()))
    }

    /// Memory of the GPU instance (or the whole GPU), other processes included.
    ///
    /// # Errors
    /// When the state file cannot be locked.
    pub fn memory(&self) -> Result<MemoryUse, StateError> {
        self.gpu
            .memory(self.slice.instance.map(|(gpu_instance, _)| gpu_instance))
    }

    fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.belongs_here() {
            // A refund that fails ends with the process anyway: its row is forgotten then.
            let _ = self.gpu.uncharge_from(&self.holder, self.held());
        }
    }
}
