//! Nodes of graphs by one description of any kind: that of kernels and copies is another in the runtime.

use crate::border::Out;
use crate::bound::bound;
use crate::error::{Outcome, Status, checked};
use crate::exports::graph_node::by_function;
use crate::regions::{Copy3D, RegionCopy};
use crate::structures::NodeLaunch;

/// `cudaGraphNodeParams`, and `CUgraphNodeParams`: a kind, and room for every description.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyNode {
    kind: u32,
    reserved: [i32; 3],
    what: [u64; 29],
    end: u64,
}

/// The runtime's description of a copy, or with the other kind of region the driver's.
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyNode<Region> {
    flags: [i32; 2],
    context: usize,
    copy: Region,
}

const _: () = assert!(size_of::<AnyNode>() == 256);

exports! {
    fn cudaGraphNodeSetParams(node: usize, given: Out<AnyNode>) {
        let set = bound()?.set_any;
        // SAFETY: the description lives through the call.
        with_described(given, |described| checked(unsafe { set(node, described) }))
    }

    fn cudaGraphExecNodeSetParams(graph: usize, node: usize, given: Out<AnyNode>) {
        let set = bound()?.executable_any;
        // SAFETY: the description lives through the call.
        with_described(given, |described| checked(unsafe { set(graph, node, described) }))
    }
}

/// Adds a node of any kind behind others: their list, the data of the edges from them, and their count.
pub fn add_any(
    node: usize,
    graph: usize,
    (behind, edges, count): (usize, usize, usize),
    given: Out<AnyNode>,
) -> Outcome {
    let add = bound()?.add_any;
    with_described(given, |described| {
        // SAFETY: the driver checks the pointers; the description lives through the call.
        checked(unsafe { add(node, graph, behind, edges, count, described) })
    })
}

/// Calls the driver with a description in its form. Where it tells an address in it, the caller is told, too.
fn with_described(given: Out<AnyNode>, call: impl FnOnce(*mut AnyNode) -> Outcome) -> Outcome {
    const ALLOCATION: u32 = 10;
    // SAFETY: not null, as `room` checks, so by the C interface it is a whole description.
    let node = unsafe { given.room()?.read_unaligned() };
    let mut described = node.described()?;
    call(&raw mut described)?;
    match node.kind {
        ALLOCATION => given.put(described),
        _ => Ok(()),
    }
}

impl AnyNode {
    /// In the driver's form.
    fn described(self) -> Outcome<AnyNode> {
        const KERNEL: u32 = 0;
        const COPY: u32 = 1;
        let mut described = self;
        match self.kind {
            KERNEL => {
                described.what = [0; 29];
                described.set(by_function(self.part::<NodeLaunch>())?);
            }
            COPY => {
                let given = self.part::<CopyNode<RegionCopy>>();
                described.what = [0; 29];
                described.set(CopyNode::<Copy3D> {
                    flags: given.flags,
                    context: 0,
                    copy: given.copy.described()?,
                });
            }
            kind if kind > 18 => return Err(Status::INVALID_VALUE),
            _ => {}
        }
        Ok(described)
    }

    fn part<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: a plain structure of the interface that is no larger than the room, which is all initialised.
        unsafe { self.what.as_ptr().cast::<T>().read_unaligned() }
    }

    fn set<T: Copy>(&mut self, part: T) {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: as above.
        unsafe { self.what.as_mut_ptr().cast::<T>().write_unaligned(part) };
    }
}
