//! Structures of the driver's interface that the runtime fills in.

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    /// Source.
    pub from: CopyEnd,
    /// Destination.
    pub to: CopyEnd,
    /// Bytes of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// One end of a two-dimensional copy.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyEnd {
    /// Bytes to leave out at the left.
    pub x: usize,
    /// Rows to leave out at the top.
    pub y: usize,
    /// Host 1, device 2, array 3, unified 4.
    pub kind: u32,
    /// Host address.
    pub host: u64,
    /// Device address.
    pub device: u64,
    /// Array.
    pub array: usize,
    /// From one row to the next.
    pub pitch: usize,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfiguration {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Stream.
    pub stream: usize,
    /// Attributes.
    pub attributes: usize,
    /// How many attributes.
    pub attribute_count: u32,
}

/// `CUmemLocation`, which is `cudaMemLocation` too.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    /// Device 1, host 2.
    pub kind: u32,
    /// The device's number.
    pub id: i32,
}

/// `CUDA_KERNEL_NODE_PARAMS`; begins with `cudaKernelNodeParams`, but for what stands for the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelNode {
    /// What the runtime has in the same form.
    pub launch: NodeLaunch,
    /// Instead of a function.
    pub kernel: usize,
    /// The current one where it is null.
    pub context: usize,
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeLaunch {
    /// The driver's function, or the program's host stub.
    pub function: usize,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments.
    pub arguments: usize,
    /// The arguments in another form.
    pub extra: usize,
}

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource {
    /// Array 0, mipmapped array 1, bytes in a row 2, rows 3.
    pub kind: u32,
    /// An array's handle, or an address.
    pub what: u64,
    /// Format and number of channels.
    pub format: [u32; 2],
    /// Bytes in a row; or width, height and pitch of rows.
    pub extents: [usize; 3],
    /// Unused.
    pub rest: [u64; 11],
    /// None are known.
    pub flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling {
    /// How each dimension goes on beyond its end.
    pub address: [u32; 3],
    /// Point or linear.
    pub filter: u32,
    /// Bits of the kinds below.
    pub flags: u32,
    /// The most texels that are looked at.
    pub anisotropy: u32,
    /// Point or linear, between levels.
    pub level_filter: u32,
    /// Bias, least and largest level.
    pub levels: [f32; 3],
    /// What lies beyond the end.
    pub border: [f32; 4],
    /// Unused.
    pub reserved: [i32; 12],
}

const _: () = {
    assert!(size_of::<KernelNode>() == 72 && size_of::<NodeLaunch>() == 56);
    assert!(size_of::<Resource>() == 144 && size_of::<Sampling>() == 104);
};
