//! Launches.

use crate::border::In;
use crate::launching::{self, ALONE, CLUSTER, COOPERATIVE, Given, HINTS, Launch};
use crate::status::{Outcome, Status};

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Configuration {
    grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    stream: usize,
    attributes: usize,
    attribute_count: u32,
}

/// `CUlaunchAttribute`: an id and a value of eight words, of which the first is enough here.
#[repr(C)]
#[derive(Clone, Copy)]
struct Attribute {
    id: u32,
    pad: u32,
    value: [u32; 16],
}

const _: () = assert!(size_of::<Configuration>() == 56 && size_of::<Attribute>() == 72);

exports! {
    fn cuLaunchKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: usize, arguments: usize, extra: usize,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { grid, block, shared, stream, cooperative: false, cluster: ALONE };
        launching::launch(function, &launch, Given { list: arguments, buffer: extra })
    }

    fn cuLaunchCooperativeKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: usize, arguments: usize,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { grid, block, shared, stream, cooperative: true, cluster: ALONE };
        launching::launch(function, &launch, Given { list: arguments, buffer: 0 })
    }

    fn cuLaunchKernelEx(configuration: In<Configuration>, function: usize, arguments: usize, extra: usize) {
        let given = configuration.get()?;
        launching::launch(function, &given.launch()?, Given { list: arguments, buffer: extra })
    }
}

impl Configuration {
    /// Its attributes.
    fn attributes(&self) -> Outcome<Vec<Attribute>> {
        let first = std::ptr::with_exposed_provenance::<Attribute>(self.attributes);
        if first.is_null() && self.attribute_count > 0 {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller vouches for as many attributes as it says.
        let nth = |nth: u32| unsafe { first.add(nth as usize).read_unaligned() };
        Ok((0..self.attribute_count).map(nth).collect())
    }

    /// The launch that it describes. Attributes that would change what is computed and are not done here are refused.
    fn launch(&self) -> Outcome<Launch> {
        let mut launch = Launch {
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            stream: self.stream,
            cooperative: false,
            cluster: ALONE,
        };
        for attribute in self.attributes()? {
            let [x, y, z, ..] = attribute.value;
            match attribute.id {
                COOPERATIVE => launch.cooperative = x != 0,
                CLUSTER => launch.cluster = [x, y, z],
                id if HINTS.contains(&id) => {}
                id => {
                    crate::log::unsupported(&format!("launch attribute {id}"));
                    return Err(Status::NOT_SUPPORTED);
                }
            }
        }
        Ok(launch)
    }

    /// Blocks of a cluster that it asks for.
    pub(super) fn cluster(&self) -> Outcome<u32> {
        let cluster = self.launch()?.cluster;
        Ok(cluster.into_iter().fold(1, u32::saturating_mul))
    }
}
