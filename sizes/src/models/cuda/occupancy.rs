//! How many blocks of a kernel an SM holds at once, as CUDA's occupancy calculator counts.

use super::properties::{REGISTERS, RESERVED_SHARED, limits};
use migfit_schema::kernel::Kernel;

/// Registers of a warp are given out in units of this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory is given out in units of this many bytes.
const SHARED_UNIT: u64 = 128;
/// Warps are spread over this many schedulers.
const SCHEDULERS: u32 = 4;

/// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that an SM holds. `None` where the
/// kernel's registers or the device's limits are not known.
pub fn blocks_per_sm(
    kernel: &Kernel,
    capability: (u32, u32),
    threads: u32,
    dynamic: u64,
) -> Option<u32> {
    let limits = limits(capability)?;
    let (registers, fixed) = (kernel.registers?, kernel.static_shared?);
    if threads == 0 || threads > 1024 {
        return Some(0);
    }
    let warps = threads.div_ceil(32);
    let by_warps = limits.threads_per_sm / 32 / warps;
    let by_registers = if registers == 0 {
        u32::MAX
    } else {
        let per_warp = registers
            .checked_mul(32)?
            .checked_next_multiple_of(REGISTER_UNIT)?;
        (REGISTERS / per_warp / SCHEDULERS * SCHEDULERS) / warps
    };
    let shared = u64::from(fixed).saturating_add(dynamic);
    if shared > u64::from(limits.shared_per_block_optin) {
        return Some(0);
    }
    let reserved = if capability.0 >= 8 {
        u64::from(RESERVED_SHARED)
    } else {
        0
    };
    let per_block = (shared + reserved).next_multiple_of(SHARED_UNIT).max(1);
    let by_shared = u32::try_from(u64::from(limits.shared_per_sm) / per_block).unwrap_or(u32::MAX);
    Some(
        by_warps
            .min(by_registers)
            .min(by_shared)
            .min(limits.blocks_per_sm),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(registers: u32, static_shared: u32) -> Kernel {
        Kernel {
            symbol: "k".to_owned(),
            name: "k".to_owned(),
            registers: Some(registers),
            static_shared: Some(static_shared),
        }
    }

    #[test]
    fn the_scarcest_resource_decides() {
        let a100 = (8, 0);
        assert_eq!(blocks_per_sm(&kernel(32, 0), a100, 256, 0), Some(8));
        assert_eq!(blocks_per_sm(&kernel(64, 0), a100, 256, 0), Some(4));
        assert_eq!(blocks_per_sm(&kernel(16, 48 << 10), a100, 128, 0), Some(3));
        assert_eq!(blocks_per_sm(&kernel(16, 0), a100, 32, 0), Some(32));
        assert_eq!(blocks_per_sm(&kernel(16, 0), a100, 2048, 0), Some(0));
    }

    #[test]
    fn without_registers_nothing_is_said() {
        let unknown = Kernel {
            registers: None,
            ..kernel(1, 0)
        };
        assert_eq!(blocks_per_sm(&unknown, (8, 0), 256, 0), None);
    }
}
