//! Memory that is no plain allocation: what it takes of the slice, what it gives back, and what happens when there is no
//! more. Tests of this process share the slice, so each looks at bytes of its own only.

use super::lab::{OwnContext, SLICE_BYTES};
use crate::arrays::{self, Descriptor};
use crate::contexts;
use crate::graphs::memory::{self, Block};
use crate::pools::{self, Count};
use crate::status::Status;
use crate::virtual_memory::{self, Properties};

const MIB: u64 = 1 << 20;
const MORE_THAN_THERE_IS: u64 = (SLICE_BYTES as u64).next_multiple_of(2 * MIB);

/// Bytes that a context holds, itself included.
fn held(context: &OwnContext) -> u64 {
    contexts::get(context.0).unwrap().memory.held().0
}

#[test]
fn a_pool_keeps_up_to_its_threshold_and_gives_out_again() {
    let context = OwnContext::new();
    let before = held(&context);
    let handle = pools::create(0).unwrap();
    let pool = pools::get(handle).unwrap();
    pool.set_threshold(6 * MIB);
    let (one, two) = (
        pool.allocate(4 * MIB).unwrap(),
        pool.allocate(3 * MIB).unwrap(),
    );
    assert_eq!(held(&context) - before, 8 * MIB);
    pools::free(handle, one).unwrap();
    assert_eq!(
        pool.count(Count::Reserved),
        4 * MIB,
        "the rest is beyond the threshold"
    );
    pools::free(handle, two).unwrap();
    assert_eq!(
        (pool.count(Count::Reserved), pool.count(Count::Used)),
        (4 * MIB, 0)
    );
    let again = pool.allocate(4 * MIB - 5).unwrap();
    assert_eq!((again, held(&context) - before), (two, 4 * MIB));
    let found = contexts::get(context.0)
        .unwrap()
        .memory
        .find(again)
        .unwrap();
    assert_eq!(found.requested, 4 * MIB - 5);
    assert_eq!(pools::free(handle, one), Err(Status::INVALID_VALUE));
    pools::destroy(handle).unwrap();
    assert_eq!(
        held(&context) - before,
        4 * MIB,
        "blocks outlive their pool"
    );
    pools::free(handle, again).unwrap();
    assert_eq!(held(&context), before);
}

#[test]
fn a_pools_blocks_go_with_their_context() {
    let context = OwnContext::new();
    let handle = pools::create(0).unwrap();
    let pool = pools::get(handle).unwrap();
    let block = pool.allocate(2 * MIB).unwrap();
    assert_eq!(
        pool.allocate(MORE_THAN_THERE_IS),
        Err(Status::OUT_OF_MEMORY)
    );
    drop(context);
    assert_eq!(
        (pool.count(Count::Used), pool.count(Count::Reserved)),
        (0, 0)
    );
    assert_eq!(pools::free(handle, block), Err(Status::INVALID_VALUE));
    pools::destroy(handle).unwrap();
}

#[test]
fn arrays_take_their_elements_and_cannot_be_freed_as_pointers() {
    let context = OwnContext::new();
    let before = held(&context);
    let plan = Descriptor {
        width: 1024,
        height: 1024,
        depth: 0,
        format: 0x20,
        channels: 1,
        flags: 0,
    };
    let array = arrays::create(plan).unwrap();
    let mipmap = arrays::create_mipmap(plan, 3).unwrap();
    assert_eq!(
        held(&context) - before,
        4 * MIB + 6 * MIB,
        "levels of 4, 1 and 0.25 MiB"
    );
    let address = arrays::get(array).unwrap().address;
    assert_eq!(crate::exports::free(address), Err(Status::INVALID_VALUE));
    let level = arrays::mipmap(mipmap).unwrap().levels[2].address;
    assert_eq!(
        level,
        arrays::mipmap(mipmap).unwrap().levels[0].address + 5 * MIB
    );
    arrays::destroy(array).unwrap();
    arrays::destroy_mipmap(mipmap).unwrap();
    assert_eq!(held(&context), before);
}

#[test]
fn mapped_memory_lives_as_long_as_a_handle_or_a_mapping() {
    const ON_DEVICE: Properties = Properties {
        kind: 1,
        handle_types: 0,
        location: 1,
        id: 0,
        security: 0,
        flags: 0,
    };
    let _context = OwnContext::new();
    let full = virtual_memory::create(MORE_THAN_THERE_IS, ON_DEVICE);
    assert_eq!(full, Err(Status::OUT_OF_MEMORY));
    let shared = Properties {
        handle_types: 1,
        ..ON_DEVICE
    };
    assert_eq!(
        virtual_memory::create(2 * MIB, shared),
        Err(Status::NOT_SUPPORTED)
    );
    let at = virtual_memory::reserve(8 * MIB, 0).unwrap();
    let handle = virtual_memory::create(4 * MIB, ON_DEVICE).unwrap();
    virtual_memory::map(at, 4 * MIB, 0, handle).unwrap();
    assert_eq!(virtual_memory::span(at), None, "nobody may access it yet");
    virtual_memory::set_access(at, 4 * MIB, 3).unwrap();
    assert_eq!(virtual_memory::span(at + MIB), Some((at, 4 * MIB)));
    virtual_memory::release(handle).unwrap();
    assert!(virtual_memory::memory(handle).is_err());
    assert_eq!(virtual_memory::retain(at + 3 * MIB), Ok(handle));
    virtual_memory::release(handle).unwrap();
    for (start, bytes) in [(at + 2 * MIB, 2 * MIB), (at, 2 * MIB), (at, 8 * MIB)] {
        assert_eq!(
            virtual_memory::unmap(start, bytes),
            Err(Status::INVALID_VALUE)
        );
    }
    virtual_memory::unmap(at, 4 * MIB).unwrap();
    assert_eq!(virtual_memory::retain(at), Err(Status::INVALID_VALUE));
    virtual_memory::release_addresses(at, 8 * MIB).unwrap();
}

#[test]
fn memory_of_graphs_is_kept_until_it_is_trimmed_and_comes_back_whole_after_a_lack() {
    let _context = OwnContext::new();
    let block = Block::new(3 * MIB).unwrap();
    let huge = Block::new(MORE_THAN_THERE_IS).unwrap();
    memory::allocate(&block).unwrap();
    assert_eq!(memory::allocate(&block), Err(Status::INVALID_VALUE));
    assert_eq!(memory::allocate(&huge), Err(Status::OUT_OF_MEMORY));
    let [used, _, reserved, _] = memory::counts();
    assert_eq!((used, reserved), (4 * MIB, 4 * MIB));
    assert_eq!(
        virtual_memory::span(block.address),
        Some((block.address, 3 * MIB))
    );
    memory::free(block.address).unwrap();
    assert_eq!(virtual_memory::span(block.address), None);
    assert_eq!(memory::counts()[..1], [0]);
    memory::trim().unwrap();
    assert_eq!(memory::counts()[2], 0);
    assert_eq!(memory::free(block.address), Err(Status::INVALID_VALUE));
}
