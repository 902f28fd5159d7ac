//! How many blocks of a kernel an SM holds at once. Registers are modelled: the virtual GPU has no assembler that would
//! tell them, so every kernel is taken to use as many as let an SM be full.

use crate::driver::Driver;
use crate::images::Kernel;
use crate::limits;

/// Modelled registers of a thread.
pub const REGISTERS_PER_THREAD: u32 = 32;
/// Shared memory that the system takes of each block.
const SYSTEM_SHARED: u64 = 1024;
const WARP: u32 = 32;

/// Blocks of `threads` threads with this much dynamic shared memory that an SM holds at once; 0 where none fits.
pub fn blocks_per_sm(driver: &Driver, kernel: &Kernel, threads: u32, dynamic_shared: u64) -> u32 {
    let kind = limits::architecture(driver.gpu.model().compute_capability);
    let most = kernel.outline.most_threads.unwrap_or(limits::BLOCK_THREADS);
    if threads == 0 || threads > most.min(limits::BLOCK_THREADS) {
        return 0;
    }
    let threads = threads.next_multiple_of(WARP);
    let shared = u64::from(kernel.static_shared()).saturating_add(dynamic_shared);
    if shared > (u64::from(kind.shared_kib) - 1) << 10 {
        return 0;
    }
    let by_shared = (u64::from(kind.shared_kib) << 10) / (shared + SYSTEM_SHARED);
    let by_registers = limits::REGISTERS / (threads * REGISTERS_PER_THREAD);
    let by_shared = u32::try_from(by_shared).unwrap_or(u32::MAX);
    (kind.threads / threads)
        .min(kind.blocks)
        .min(by_shared)
        .min(by_registers)
}
