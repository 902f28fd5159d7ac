//! What a device tells of itself: the attributes by number and `cudaDeviceProp` by offset (CUDA 13).
//! Values that are neither inputs nor fixed by the compute capability have no entry, and read as unknown.

use crate::input::DeviceProperties;

/// Bytes of `cudaDeviceProp`.
pub const SIZE: u64 = 1008;

/// Limits that follow from the compute capability (CUDA C++ programming guide, compute capabilities).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads that an SM holds.
    pub threads_per_sm: u32,
    /// Blocks that an SM holds.
    pub blocks_per_sm: u32,
    /// Shared memory of an SM in bytes.
    pub shared_per_sm: u32,
    /// Most shared memory of a block that asks for more than the usual 48 KiB.
    pub shared_per_block_optin: u32,
}

/// Shared memory that the driver takes of each block.
pub const RESERVED_SHARED: u32 = 1024;
/// Registers of an SM and of a block.
pub const REGISTERS: u32 = 65_536;
/// Most shared memory of a block that does not ask for more.
const SHARED_PER_BLOCK: u32 = 48 << 10;

/// The limits of a compute capability; `None` where they are not known here.
pub fn limits(capability: (u32, u32)) -> Option<Limits> {
    let (threads_per_sm, blocks_per_sm, shared_kib) = match capability {
        (7, 0) => (2048, 32, 96),
        (7, 5) => (1024, 16, 64),
        (8, 0) => (2048, 32, 164),
        (8, 6) => (1536, 16, 100),
        (8, 9) => (1536, 24, 100),
        (9, 0) | (10, 0) | (10, 3) => (2048, 32, 228),
        (12, 0) => (1536, 24, 100),
        _ => return None,
    };
    let reserved = if capability.0 >= 8 {
        RESERVED_SHARED
    } else {
        0
    };
    Some(Limits {
        threads_per_sm,
        blocks_per_sm,
        shared_per_sm: shared_kib << 10,
        shared_per_block_optin: (shared_kib << 10) - reserved,
    })
}

/// The value of an attribute by its number, which runtime and driver share.
pub fn attribute(device: &DeviceProperties, number: i32) -> Option<u32> {
    if let Some(given) = device.attributes.get(&number) {
        return Some(given.cast_unsigned());
    }
    let limits = limits(device.compute_capability);
    let known = |value: u32| (value != 0).then_some(value);
    Some(match number {
        1..=3 => [1024, 1024, 64]
            .get(usize::try_from(number - 1).ok()?)
            .copied()?,
        4 => 64,
        5 => i32::MAX as u32,
        6 | 7 => 65_535,
        8 => SHARED_PER_BLOCK,
        9 => 64 << 10,
        10 => migfit_schema::units::WARP_THREADS as u32,
        11 => i32::MAX as u32,
        12 | 82 => REGISTERS,
        13 => known(device.clock_khz)?,
        14 | 30 => 512,
        16 => device.sm_count,
        17 | 18 | 20 | 35 | 84 | 86 => 0,
        15 | 19 | 31 | 41 | 78 | 79 | 80 | 83 | 89 | 90 | 95 | 99 | 115 => 1,
        38 => known(device.l2_bytes)?,
        39 => limits?.threads_per_sm,
        51 => 32,
        75 => device.compute_capability.0,
        76 => device.compute_capability.1,
        81 => limits?.shared_per_sm,
        97 => limits?.shared_per_block_optin,
        // Host page tables, Windows handles: not on this kind of host. Virtual memory and its file descriptors: yes.
        100 | 101 | 104 | 105 => 0,
        102 | 103 => 1,
        106 => limits?.blocks_per_sm,
        // Clusters.
        120 => u32::from(device.compute_capability.0 >= 9),
        111 => RESERVED_SHARED,
        _ => return texture_extent(number),
    })
}

/// Most texels or layers of textures and surfaces: the same on all compute capabilities from 6.0 on (programming guide).
fn texture_extent(number: i32) -> Option<u32> {
    Some(match number {
        21 | 22 => 131_072,
        23 => 65_536,
        24..=26 => 16_384,
        27 | 28 | 42 | 45 | 46 | 52 | 53 | 73 | 74 | 77 => 32_768,
        29 | 43 => 2048,
        54 => 2046,
        _ => return None,
    })
}

/// A field of `cudaDeviceProp`: offset, size in bytes, value.
pub type Field = (u64, usize, u64);

/// How a CUDA release lays `cudaDeviceProp` out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// CUDA 11 and 12; the latter only appends.
    Twelve,
    /// CUDA 13 and later, which dropped the clocks and what was deprecated.
    Thirteen,
}

impl Layout {
    /// The layout behind a call: CUDA 12 has a name of its own, CUDA 11 a structure of a size of its own.
    pub fn of(name: &str, room: u64) -> Layout {
        const CUDA_11: u64 = 728;
        match name == "cudaGetDeviceProperties_v2" || room == CUDA_11 {
            true => Layout::Twelve,
            false => Layout::Thirteen,
        }
    }

    /// Bytes of the structure.
    pub fn size(self, room: u64) -> u64 {
        match self {
            Layout::Twelve => room.min(1032),
            Layout::Thirteen => SIZE,
        }
    }

    /// (offset, size, number of the attribute with the same meaning), behind what both layouts share.
    fn same(self) -> &'static [(u64, usize, i32)] {
        match self {
            Layout::Twelve => &TWELVE,
            Layout::Thirteen => &THIRTEEN,
        }
    }
}

/// What both layouts begin with.
const BOTH: [(u64, usize, i32); 15] = [
    (296, 8, 8),
    (304, 4, 12),
    (308, 4, 10),
    (312, 8, 11),
    (320, 4, 1),
    (324, 4, 2),
    (328, 4, 3),
    (332, 4, 4),
    (336, 4, 5),
    (340, 4, 6),
    (344, 4, 7),
    (352, 8, 9),
    (360, 4, 75),
    (364, 4, 76),
    (368, 8, 14),
];

const THIRTEEN: [(u64, usize, i32); 27] = [
    (376, 8, 51),
    (384, 4, 16),
    (388, 4, 18),
    (392, 4, 19),
    (396, 4, 21),
    (560, 4, 31),
    (588, 4, 41),
    (592, 4, 37),
    (596, 4, 38),
    (604, 4, 39),
    (608, 4, 78),
    (612, 4, 79),
    (616, 4, 80),
    (624, 8, 81),
    (632, 4, 82),
    (636, 4, 83),
    (640, 4, 84),
    (648, 4, 86),
    (652, 4, 88),
    (656, 4, 89),
    (660, 4, 90),
    (668, 4, 95),
    (672, 8, 97),
    (688, 4, 106),
    (696, 8, 111),
    (704, 4, 99),
    (720, 4, 115),
];

const TWELVE: [(u64, usize, i32); 35] = [
    (348, 4, 13),
    (376, 8, 51),
    (384, 4, 15),
    (388, 4, 16),
    (392, 4, 17),
    (396, 4, 18),
    (400, 4, 19),
    (404, 4, 20),
    (408, 4, 21),
    (420, 4, 22),
    (424, 4, 23),
    (456, 4, 24),
    (460, 4, 25),
    (464, 4, 26),
    (576, 4, 31),
    (596, 4, 35),
    (604, 4, 41),
    (608, 4, 36),
    (612, 4, 37),
    (616, 4, 38),
    (624, 4, 39),
    (628, 4, 78),
    (632, 4, 79),
    (636, 4, 80),
    (640, 8, 81),
    (648, 4, 82),
    (652, 4, 83),
    (656, 4, 84),
    (664, 4, 86),
    (672, 4, 88),
    (676, 4, 89),
    (688, 4, 95),
    (696, 8, 97),
    (712, 4, 106),
    (720, 8, 111),
];

/// The fields of `cudaDeviceProp` whose values are known, but for the name at offset 0.
pub fn fields(device: &DeviceProperties, layout: Layout) -> Vec<Field> {
    let mut fields = vec![(288, 8, device.total_bytes)];
    for (offset, size, number) in BOTH.iter().chain(layout.same()) {
        if let Some(value) = attribute(device, *number) {
            fields.push((*offset, *size, u64::from(value)));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> DeviceProperties {
        DeviceProperties {
            name: "virtual".to_owned(),
            compute_capability: (8, 0),
            sm_count: 28,
            total_bytes: 9856 << 20,
            l2_bytes: 10 << 20,
            clock_khz: 1_410_000,
            ..DeviceProperties::default()
        }
    }

    #[test]
    fn fields_do_not_overlap_and_lie_within() {
        for layout in [Layout::Twelve, Layout::Thirteen] {
            let mut fields = fields(&device(), layout);
            fields.sort_unstable();
            let mut end = 256;
            for (offset, size, _) in fields {
                assert!(offset >= end, "field at {offset} begins before {end}");
                assert_eq!(offset % size as u64, 0);
                end = offset + size as u64;
            }
            assert!(end <= layout.size(1032));
        }
    }

    #[test]
    fn a_release_is_told_by_name_or_size() {
        assert_eq!(
            Layout::of("cudaGetDeviceProperties_v2", 1032),
            Layout::Twelve
        );
        assert_eq!(Layout::of("cudaGetDeviceProperties", 728), Layout::Twelve);
        assert_eq!(
            Layout::of("cudaGetDeviceProperties", 1008),
            Layout::Thirteen
        );
        let sms = |layout| {
            fields(&device(), layout)
                .iter()
                .find(|field| field.2 == 28)
                .unwrap()
                .0
        };
        assert_eq!((sms(Layout::Twelve), sms(Layout::Thirteen)), (388, 384));
    }

    #[test]
    fn what_is_given_comes_before_what_is_derived() {
        let mut given = device();
        given.attributes.insert(39, 777);
        given.attributes.insert(37, 5120);
        assert_eq!(attribute(&given, 39), Some(777));
        assert_eq!(attribute(&given, 37), Some(5120));
    }

    #[test]
    fn inputs_come_through_and_the_rest_is_not_made_up() {
        assert_eq!(attribute(&device(), 16), Some(28));
        assert_eq!(attribute(&device(), 39), Some(2048));
        assert_eq!(attribute(&device(), 37), None);
        let odd = DeviceProperties {
            compute_capability: (6, 1),
            ..device()
        };
        assert_eq!(attribute(&odd, 39), None);
    }
}
