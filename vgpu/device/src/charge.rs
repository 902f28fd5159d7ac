//! Device memory that belongs to no context (`cuMemCreate`, memory of graphs): charged to the calling process while the
//! value lives. Where its bytes lie is the caller's matter.

use crate::state::{Holder, Slice, StateError, VirtualGpu};
use migfit_schema::units::Bytes;
use std::sync::Arc;

/// Bytes of a slice that the calling process holds.
pub struct Charge {
    gpu: Arc<VirtualGpu>,
    slice: Slice,
    holder: Holder,
    bytes: Bytes,
}

impl Charge {
    /// Charges bytes.
    ///
    /// # Errors
    /// `OutOfMemory` when the slice does not hold them, `NotFound` when the slice is gone.
    pub fn new(gpu: &Arc<VirtualGpu>, slice: &Slice, bytes: Bytes) -> Result<Charge, StateError> {
        let holder = Holder::here(slice.instance)?;
        gpu.charge_to(&holder, slice, bytes)?;
        Ok(Charge {
            gpu: Arc::clone(gpu),
            slice: slice.clone(),
            holder,
            bytes,
        })
    }

    /// Charges more, or gives some back.
    ///
    /// # Errors
    /// As `new`; then it is what it was.
    pub fn resize(&mut self, bytes: Bytes) -> Result<(), StateError> {
        match bytes.0.checked_sub(self.bytes.0) {
            Some(0) => {}
            Some(more) => self.gpu.charge_to(&self.holder, &self.slice, Bytes(more))?,
            None => self
                .gpu
                .uncharge_from(&self.holder, Bytes(self.bytes.0 - bytes.0))?,
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        // A forked child holds nothing. A refund that fails ends with the process anyway: its row is forgotten then.
        if self.holder.pid == std::process::id() {
            let _ = self.gpu.uncharge_from(&self.holder, self.bytes);
        }
    }
}
