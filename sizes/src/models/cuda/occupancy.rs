//! How many blocks of a kernel an SM holds at once, as CUDA's occupancy calculator counts.

use super::properties::{RESERVED_SHARED, attribute};
use crate::input::DeviceProperties;
use migfit_schema::kernel::KernelUse;

/// Registers of a warp are given out in units of this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory is given out in units of this many bytes.
const SHARED_UNIT: u64 = 128;
/// Warps are spread over this many schedulers.
const SCHEDULERS: u32 = 4;

/// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that an SM holds. `None` where the
/// kernel's registers or the device's limits are not known.
pub fn blocks_per_sm(
    kernel: KernelUse,
    device: &DeviceProperties,
    threads: u32,
    dynamic: u64,
) -> Option<u32> {
    let limit = |number: i32| attribute(device, number);
    let (threads_per_sm, shared_per_sm) = (limit(39)?, limit(81)?);
    let (shared_optin, blocks_most) = (limit(97)?, limit(106)?);
    let registers_per_sm = limit(82)?;
    let (registers, fixed) = (kernel.registers?, kernel.static_shared?);
    if threads == 0 || threads > 1024 {
        return Some(0);
    }
    let warps = threads.div_ceil(32);
    let by_warps = threads_per_sm / 32 / warps;
    let by_registers = warps_by_registers(registers, registers_per_sm) / warps;
    let shared = u64::from(fixed).saturating_add(dynamic);
    if shared > u64::from(shared_optin) {
        return Some(0);
    }
    let reserved = if device.compute_capability.0 >= 8 {
        u64::from(RESERVED_SHARED)
    } else {
        0
    };
    let per_block = (shared + reserved).next_multiple_of(SHARED_UNIT).max(1);
    let by_shared = u32::try_from(u64::from(shared_per_sm) / per_block).unwrap_or(u32::MAX);
    Some(by_warps.min(by_registers).min(by_shared).min(blocks_most))
}

/// Warps of an SM whose registers it has.
fn warps_by_registers(registers: u32, of_sm: u32) -> u32 {
    let per_warp = registers
        .saturating_mul(32)
        .checked_next_multiple_of(REGISTER_UNIT);
    match per_warp {
        Some(0) => u32::MAX,
        Some(per_warp) => of_sm / per_warp / SCHEDULERS * SCHEDULERS,
        None => 0,
    }
}

/// Threads of the largest block whose registers an SM has; `None` where the device's are not known.
pub fn threads_by_registers(registers: u32, device: &DeviceProperties) -> Option<u32> {
    let of_sm = attribute(device, 82)?;
    Some(warps_by_registers(registers, of_sm).saturating_mul(32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::kernel::UseBasis;

    fn kernel(registers: u32, static_shared: u32) -> KernelUse {
        KernelUse {
            registers: Some(registers),
            static_shared: Some(static_shared),
            most_threads: None,
            ptx: None,
            binary: 80,
            basis: UseBasis::Machine,
        }
    }

    fn device(compute_capability: (u32, u32)) -> DeviceProperties {
        DeviceProperties {
            compute_capability,
            ..DeviceProperties::default()
        }
    }

    #[test]
    fn what_a_device_file_says_counts() {
        let mut given = device((8, 0));
        given.attributes.insert(39, 1024);
        assert_eq!(blocks_per_sm(kernel(32, 0), &given, 256, 0), Some(4));
    }

    #[test]
    fn the_scarcest_resource_decides() {
        let a100 = &device((8, 0));
        assert_eq!(blocks_per_sm(kernel(32, 0), a100, 256, 0), Some(8));
        assert_eq!(blocks_per_sm(kernel(64, 0), a100, 256, 0), Some(4));
        assert_eq!(blocks_per_sm(kernel(16, 48 << 10), a100, 128, 0), Some(3));
        assert_eq!(blocks_per_sm(kernel(16, 0), a100, 32, 0), Some(32));
        assert_eq!(blocks_per_sm(kernel(16, 0), a100, 2048, 0), Some(0));
    }

    #[test]
    fn without_registers_nothing_is_said() {
        let unknown = KernelUse {
            registers: None,
            ..kernel(1, 0)
        };
        assert_eq!(blocks_per_sm(unknown, &device((8, 0)), 256, 0), None);
    }
}
