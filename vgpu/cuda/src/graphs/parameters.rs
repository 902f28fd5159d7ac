//! The interface's descriptions of nodes <-> the work that they mean.

use super::graph::Graph;
use super::memory::Block;
use crate::copying::{Copy, Fill};
use crate::handles::Object;
use crate::host_calls::HostCall;
use crate::launching::{ALONE, Given, KernelNode, Launch};
use crate::status::{Outcome, Status};
use crate::streams;
use crate::work::Work;
use std::sync::Arc;

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernel {
    function: usize,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    list: usize,
    buffer: usize,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelV2 {
    /// The first form.
    pub first: Kernel,
    /// A kernel where there is no function.
    kernel: usize,
    context: usize,
}

/// `CUDA_MEMSET_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Memset {
    start: u64,
    pitch: u64,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

/// `CUDA_HOST_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    function: usize,
    data: usize,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    kind: u32,
    handle_types: u32,
    location: u32,
    id: i32,
    pool: [u64; 9],
    accesses: usize,
    access_count: usize,
    bytes: usize,
    /// The address, which the graph gives.
    pub address: u64,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Memcpy {
    flags: [i32; 2],
    context: usize,
    copy: Copy,
}

/// `CUgraphNodeParams`: a kind, and one of the others.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    kind: u32,
    reserved: [i32; 3],
    what: [u64; 29],
    end: u64,
}

const _: () = {
    assert!(size_of::<Kernel>() == 56 && size_of::<KernelV2>() == 72);
    assert!(size_of::<Memset>() == 40 && size_of::<Host>() == 16);
    assert!(size_of::<Allocation>() == 120 && size_of::<Memcpy>() == 216);
    assert!(size_of::<Node>() == 256);
};

impl Kernel {
    /// The launch that it describes, with its arguments as they are now.
    pub fn work(self) -> Outcome<Work> {
        let launch = Launch {
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            stream: 0,
            cooperative: false,
            cluster: ALONE,
        };
        let given = Given {
            list: self.list,
            buffer: self.buffer,
        };
        Ok(Work::Launch(KernelNode::new(self.function, launch, given)?))
    }

    /// The description of a launch. The arguments are the node's own, as long as it has them.
    pub fn of(work: &Work) -> Outcome<Kernel> {
        let Work::Launch(node) = work else {
            return Err(Status::INVALID_VALUE);
        };
        Ok(Kernel {
            function: node.kernel,
            grid: node.launch.grid,
            block: node.launch.block,
            shared: node.launch.shared,
            list: node.arguments.list(),
            buffer: 0,
        })
    }
}

impl KernelV2 {
    /// The launch that it describes.
    pub fn work(self) -> Outcome<Work> {
        let function = match self.first.function {
            0 => self.kernel,
            function => function,
        };
        Kernel {
            function,
            ..self.first
        }
        .work()
    }

    /// The description of a launch.
    pub fn of(work: &Work) -> Outcome<KernelV2> {
        Ok(KernelV2 {
            first: Kernel::of(work)?,
            kernel: 0,
            context: 0,
        })
    }
}

impl Memset {
    /// The fill that it describes.
    pub fn work(self) -> Outcome<Work> {
        let fill = Fill {
            start: self.start,
            pitch: self.pitch,
            value: self.value,
            element: self.element,
            width: self.width,
            height: self.height,
        };
        // Memory of the graph itself is not there before it is launched.
        Ok(Work::Fill(fill))
    }

    /// The description of a fill.
    pub fn of(work: &Work) -> Outcome<Memset> {
        let Work::Fill(fill) = work else {
            return Err(Status::INVALID_VALUE);
        };
        Ok(Memset {
            start: fill.start,
            pitch: fill.pitch,
            value: fill.value,
            element: fill.element,
            width: fill.width,
            height: fill.height,
        })
    }
}

impl Host {
    /// The call that it describes.
    pub fn work(self) -> Outcome<Work> {
        if self.function == 0 {
            return Err(Status::INVALID_VALUE);
        }
        Ok(Work::Call(HostCall {
            function: self.function,
            data: self.data,
            stream: None,
        }))
    }

    /// The description of a call.
    pub fn of(work: &Work) -> Outcome<Host> {
        let Work::Call(HostCall { function, data, .. }) = *work else {
            return Err(Status::INVALID_VALUE);
        };
        Ok(Host { function, data })
    }
}

impl Allocation {
    /// Memory as it describes it; its address is told in it from now on.
    pub fn work(&mut self) -> Outcome<Work> {
        const PINNED: u32 = 1;
        const ON_DEVICE: u32 = 1;
        if self.kind != PINNED {
            return Err(Status::INVALID_VALUE);
        }
        if self.location != ON_DEVICE || self.id != 0 || self.handle_types != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        let block = Block::new(self.bytes as u64)?;
        self.address = block.address;
        Ok(Work::Allocate(block))
    }

    /// The description of memory.
    pub fn of(work: &Work) -> Outcome<Allocation> {
        let Work::Allocate(block) = work else {
            return Err(Status::INVALID_VALUE);
        };
        Ok(Allocation {
            kind: 1,
            handle_types: 0,
            location: 1,
            id: 0,
            pool: [0; 9],
            accesses: 0,
            access_count: 0,
            bytes: usize::try_from(block.requested).map_err(|_| Status::INVALID_VALUE)?,
            address: block.address,
        })
    }
}

/// The address that a node frees.
pub fn freed(work: &Work) -> Outcome<u64> {
    match work {
        Work::Free(address) => Ok(*address),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The copy of a node.
pub fn copied(work: &Work) -> Outcome<Copy> {
    match work {
        Work::Copy(copy) => Ok(*copy),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The graph of a node.
pub fn child(work: &Work) -> Outcome<Arc<Graph>> {
    match work {
        Work::Child(graph) => Ok(Arc::clone(graph)),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The event that a node records (`records`) or waits for.
pub fn event(work: &Work, records: bool) -> Outcome<usize> {
    match (work, records) {
        (Work::Record(event), true) | (Work::Await(event), false) => Ok(*event),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// Recording of an event, or waiting for it.
pub fn event_work(handle: usize, records: bool) -> Outcome<Work> {
    streams::event(handle)?;
    Ok(if records {
        Work::Record(handle)
    } else {
        Work::Await(handle)
    })
}

impl Node {
    /// What it describes. For memory the address is told in it.
    pub fn work(&mut self) -> Outcome<Work> {
        let first = usize::try_from(self.what[0]).map_err(|_| Status::INVALID_VALUE)?;
        match self.kind {
            0 => self.part::<KernelV2>().work(),
            1 => Ok(Work::Copy(self.part::<Memcpy>().copy)),
            2 => self.part::<Memset>().work(),
            3 => self.part::<Host>().work(),
            4 => Ok(Work::Child(super::get(first)?)),
            5 => Ok(Work::Nothing),
            6 => event_work(first, false),
            7 => event_work(first, true),
            10 => {
                let mut allocation = self.part::<Allocation>();
                let work = allocation.work()?;
                self.set(allocation);
                Ok(work)
            }
            11 => Ok(Work::Free(self.what[0])),
            8 | 9 | 12..=18 => {
                crate::log::unsupported(&format!("graph node of type {}", self.kind));
                Err(Status::NOT_SUPPORTED)
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// The description of work.
    pub fn of(work: &Work) -> Outcome<Node> {
        let mut node = Node {
            kind: work.kind(),
            reserved: [0; 3],
            what: [0; 29],
            end: 0,
        };
        match work {
            Work::Launch(_) => node.set(KernelV2::of(work)?),
            Work::Copy(copy) => node.set(Memcpy {
                flags: [0; 2],
                context: 0,
                copy: *copy,
            }),
            Work::Fill(_) => node.set(Memset::of(work)?),
            Work::Call(_) => node.set(Host::of(work)?),
            Work::Child(graph) => node.set(graph.handle()),
            Work::Nothing => {}
            Work::Await(event) | Work::Record(event) => node.set(*event),
            Work::Allocate(_) => node.set(Allocation::of(work)?),
            Work::Free(address) => node.set(*address),
        }
        Ok(node)
    }

    fn part<T: core::marker::Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: a plain structure of the interface that is no larger than the room, which is all initialised.
        unsafe { self.what.as_ptr().cast::<T>().read_unaligned() }
    }

    fn set<T: core::marker::Copy>(&mut self, part: T) {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: as above.
        unsafe { self.what.as_mut_ptr().cast::<T>().write_unaligned(part) };
    }
}
