//! What the virtual GPU's SMs can do, by compute capability, and the numbers of the driver's device attributes.

use crate::driver::Driver;
use crate::status::{Outcome, Status};

/// Most threads in a block.
pub const BLOCK_THREADS: u32 = 1024;
/// Most threads in a block by dimension.
pub const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks in a grid by dimension.
pub const GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Shared memory of a block that needs no opting in.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Registers of an SM, and of a block.
pub const REGISTERS: u32 = 65536;

/// What differs between architectures; from the programming guide's table of compute capabilities, but for clocks, bus
/// and cache, which are those of the largest board of that kind.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    /// Threads of an SM.
    pub threads: u32,
    /// Blocks of an SM.
    pub blocks: u32,
    /// KiB of shared memory of an SM. A block can have 1 KiB less, which the system takes.
    pub shared_kib: u32,
    /// SM clock in kHz.
    pub clock_khz: u32,
    /// Memory clock in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// MiB of level-2 cache.
    pub l2_mib: u32,
    /// Times that single precision is faster than double.
    pub single_to_double: u32,
}

/// The architecture of a compute capability.
pub fn architecture(capability: (u32, u32)) -> Architecture {
    let (threads, blocks, shared_kib) = match capability {
        (8, 0) => (2048, 32, 164),
        (8, _) => (1536, 16, 100),
        (12, _) => (1536, 24, 100),
        _ => (2048, 32, 228),
    };
    let single_to_double = match capability {
        (8, 0) | (9 | 10, _) => 2,
        _ => 64,
    };
    let (clock_khz, memory_clock_khz, bus_bits, l2_mib) = match capability.0 {
        8 => (1_410_000, 1_215_000, 5120, 40),
        9 => (1_980_000, 2_619_000, 5120, 50),
        12 => (2_617_000, 14_001_000, 512, 128),
        _ => (1_965_000, 3_996_000, 8192, 126),
    };
    Architecture {
        threads,
        blocks,
        shared_kib,
        clock_khz,
        memory_clock_khz,
        bus_bits,
        l2_mib,
        single_to_double,
    }
}

/// A device attribute by the driver's number. What a GPU with MIG, or the virtual one, has not is 0.
pub fn attribute(driver: &Driver, number: u32) -> Outcome<i32> {
    let model = driver.gpu.model();
    let kind = architecture(model.compute_capability);
    let has_clusters = u32::from(model.compute_capability.0 >= 9);
    // A slice has its share of the memory bus and of the cache.
    let (part, all) = driver.slice.memory_slices;
    let share = |whole: u32| (u64::from(whole) * u64::from(part) / u64::from(all.max(1))) as u32;
    let value = match number {
        1 => BLOCK_THREADS,
        2 => BLOCK[0],
        3 => BLOCK[1],
        4 => BLOCK[2],
        5 => GRID[0],
        6 => GRID[1],
        7 => GRID[2],
        8 => SHARED_PER_BLOCK,
        9 => 64 << 10,
        10 => 32,
        11 => 0x7fff_ffff,
        12 | 82 => REGISTERS,
        13 => kind.clock_khz,
        14 | 30 => 512,
        // Copies beside kernels, mapped host memory, concurrent kernels, error correction.
        15 | 19 | 31 | 32 => 1,
        16 => driver.slice.sms,
        33 => driver.pci_bus(),
        36 => kind.memory_clock_khz,
        37 => share(kind.bus_bits),
        38 => share(kind.l2_mib << 20),
        39 => kind.threads,
        40 => 3,
        41 | 44 => 1,
        51 => 32,
        75 => model.compute_capability.0,
        76 => model.compute_capability.1,
        // Stream priorities, L1 for global and local memory, managed memory.
        78..=80 | 83 => 1,
        81 => kind.shared_kib << 10,
        87 => kind.single_to_double,
        // Managed memory is shared with the host at all times; preemption; host pointers of registered memory;
        // cooperative launches; registering host memory; reserved addresses and memory mapped there.
        89 | 90 | 91 | 95 | 99 | 102 => 1,
        97 => (kind.shared_kib - 1) << 10,
        106 => kind.blocks,
        // Lines of the cache that can be kept, and the largest window of them: not with MIG.
        108 | 109 => 0,
        111 => 1024,
        // Read-only registration, memory pools.
        113 | 115 => 1,
        // Clusters of blocks.
        120 => has_clusters,
        126 => 1 + 3 * has_clusters,
        139 => return Ok((model.pci_device << 16 | 0x10de).cast_signed()),
        // No node of memory, neither the GPU's nor the host's nearest.
        131 | 134 => return Ok(-1),
        0 | 162.. => return Err(Status::INVALID_VALUE),
        _ => texture_extent(number),
    };
    i32::try_from(value).map_err(|_| Status::INVALID_VALUE)
}

/// Most texels or layers of a kind of texture or surface; 0 for other attributes.
fn texture_extent(number: u32) -> u32 {
    match number {
        21 | 22 | 70..=72 => 131_072,
        23 => 65536,
        24..=26 => 16384,
        27 | 28 | 42 | 45 | 46 | 52 | 53 | 55..=61 | 63 | 64 | 66 | 67 | 73 | 74 | 77 => 32768,
        29 | 43 | 62 | 65 => 2048,
        54 | 68 => 2046,
        69 => 0x1000_0000,
        _ => 0,
    }
}
