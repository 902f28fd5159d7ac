//! Addresses that the program reserves and device memory that it maps there (`cuMemCreate`, `cuMemMap`). Memory lives as
//! long as a handle or a mapping holds it. Graphs map the memory of their nodes here, too.

use crate::driver::driver;
use crate::handles::next_handle;
use crate::mapping::{self, Backing};
use crate::status::{Outcome, Status};
use migfit_schema::units::Bytes;
use migfit_vgpu_device::Charge;
use migfit_vgpu_device::memory::GRANULE;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// Pinned memory is 1, the one kind that there is.
    pub kind: u32,
    /// Ways to hand it to other processes; 0: none.
    pub handle_types: u32,
    /// Device 1, host 2 and more.
    pub location: u32,
    /// The device's number.
    pub id: i32,
    /// Of other systems.
    pub security: usize,
    /// Compression, direct access by others, and their like.
    pub flags: u64,
}

const _: () = assert!(size_of::<Properties>() == 32);

/// Memory made by `cuMemCreate`.
pub struct Physical {
    handle: u64,
    bytes: u64,
    /// As it was asked for.
    pub properties: Properties,
    backing: Backing,
    _charge: Charge,
}

/// Addresses in use.
#[derive(Default)]
struct Addresses {
    /// Bytes of each reserved range.
    reserved: BTreeMap<u64, u64>,
    mapped: BTreeMap<u64, Mapping>,
    /// Memory by handle, and how often each is held.
    handles: BTreeMap<u64, (Arc<Physical>, u64)>,
}

struct Mapping {
    bytes: u64,
    memory: Option<Arc<Physical>>,
    /// 0: none, 1: reading, 3: reading and writing.
    access: u64,
}

static ADDRESSES: Mutex<Addresses> = Mutex::new(Addresses {
    reserved: BTreeMap::new(),
    mapped: BTreeMap::new(),
    handles: BTreeMap::new(),
});

/// Reserves addresses.
pub fn reserve(bytes: u64, alignment: u64) -> Outcome<u64> {
    driver()?;
    require_granules(bytes)?;
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(Status::INVALID_VALUE);
    }
    let address = mapping::reserve(bytes, alignment.max(GRANULE))?;
    addresses().reserved.insert(address, bytes);
    Ok(address)
}

/// Gives reserved addresses back, where nothing is mapped any more.
pub fn release_addresses(address: u64, bytes: u64) -> Outcome {
    driver()?;
    let mut addresses = addresses();
    let whole = addresses.reserved.get(&address) == Some(&bytes);
    if !whole
        || addresses
            .mapped
            .range(address..address + bytes)
            .next()
            .is_some()
    {
        return Err(Status::INVALID_VALUE);
    }
    addresses.reserved.remove(&address);
    mapping::release(address, bytes);
    Ok(())
}

/// Makes device memory.
pub fn create(bytes: u64, properties: Properties) -> Outcome<u64> {
    const PINNED: u32 = 1;
    const ON_DEVICE: u32 = 1;
    let driver = driver()?;
    require_granules(bytes)?;
    if properties.kind != PINNED {
        return Err(Status::INVALID_VALUE);
    }
    if properties.location != ON_DEVICE || properties.handle_types != 0 {
        return Err(Status::NOT_SUPPORTED);
    }
    if properties.id != 0 {
        return Err(Status::INVALID_DEVICE);
    }
    let charge = Charge::new(&driver.gpu, &driver.slice, Bytes(bytes))?;
    let handle = next_handle() as u64;
    let memory = Physical {
        handle,
        bytes,
        properties,
        backing: Backing::new(bytes)?,
        _charge: charge,
    };
    addresses().handles.insert(handle, (Arc::new(memory), 1));
    Ok(handle)
}

/// The memory of a handle.
pub fn memory(handle: u64) -> Outcome<Arc<Physical>> {
    driver()?;
    let addresses = addresses();
    let held = addresses.handles.get(&handle);
    held.map(|(memory, _)| Arc::clone(memory))
        .ok_or(Status::INVALID_VALUE)
}

/// Gives one hold of a handle up.
pub fn release(handle: u64) -> Outcome {
    driver()?;
    let mut addresses = addresses();
    let (_, holds) = addresses
        .handles
        .get_mut(&handle)
        .ok_or(Status::INVALID_VALUE)?;
    *holds -= 1;
    if *holds == 0 {
        addresses.handles.remove(&handle);
    }
    Ok(())
}

/// One more hold of the memory that is mapped at an address; its handle.
pub fn retain(address: u64) -> Outcome<u64> {
    driver()?;
    let mut addresses = addresses();
    let mapped = addresses
        .at(address)
        .and_then(|(_, mapping)| mapping.memory.clone());
    let memory = mapped.ok_or(Status::INVALID_VALUE)?;
    let handle = memory.handle;
    addresses.handles.entry(handle).or_insert((memory, 0)).1 += 1;
    Ok(handle)
}

/// Maps memory at reserved addresses; nobody may access it there yet.
pub fn map(address: u64, bytes: u64, offset: u64, handle: u64) -> Outcome {
    let memory = memory(handle)?;
    require_granules(bytes)?;
    let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    let mut addresses = addresses();
    let free = addresses.is_reserved(address, end) && !addresses.is_mapped(address, end);
    if !free || offset != 0 || bytes > memory.bytes || !address.is_multiple_of(GRANULE) {
        return Err(Status::INVALID_VALUE);
    }
    memory.backing.map(address, bytes)?;
    let mapping = Mapping {
        bytes,
        memory: Some(memory),
        access: 0,
    };
    addresses.mapped.insert(address, mapping);
    Ok(())
}

/// Takes whole mappings back.
pub fn unmap(address: u64, bytes: u64) -> Outcome {
    driver()?;
    let mut addresses = addresses();
    let whole = addresses.whole_mappings(address, bytes)?;
    mapping::unmap(address, bytes)?;
    for start in whole {
        addresses.mapped.remove(&start);
    }
    Ok(())
}

/// Says who may access whole mappings: 0 nobody, 1 for reading, 3 for reading and writing.
pub fn set_access(address: u64, bytes: u64, access: u64) -> Outcome {
    driver()?;
    let mut addresses = addresses();
    for start in addresses.whole_mappings(address, bytes)? {
        if let Some(mapping) = addresses.mapped.get_mut(&start) {
            mapping::protect(start, mapping.bytes, access)?;
            mapping.access = access;
        }
    }
    Ok(())
}

/// Who may access an address.
pub fn access(address: u64) -> Outcome<u64> {
    driver()?;
    let addresses = addresses();
    let mapped = addresses.at(address).map(|(_, mapping)| mapping.access);
    mapped.ok_or(Status::INVALID_VALUE)
}

/// First address and bytes of the accessible mappings, without a gap, around an address.
pub fn span(address: u64) -> Option<(u64, u64)> {
    let addresses = addresses();
    let (start, mapping) = addresses.at(address)?;
    let mut end = start + mapping.bytes;
    if mapping.access == 0 {
        return None;
    }
    for (&next, mapping) in addresses.mapped.range(end..) {
        if next != end || mapping.access == 0 {
            break;
        }
        end += mapping.bytes;
    }
    Some((start, end - start))
}

/// Memory of a graph is mapped at its reserved addresses now, for reading and writing.
pub fn note_mapped(address: u64, bytes: u64) {
    let mapping = Mapping {
        bytes,
        memory: None,
        access: 3,
    };
    addresses().mapped.insert(address, mapping);
}

/// It is not mapped any more.
pub fn note_unmapped(address: u64) {
    addresses().mapped.remove(&address);
}

fn require_granules(bytes: u64) -> Outcome {
    if bytes > 0 && bytes.is_multiple_of(GRANULE) {
        Ok(())
    } else {
        Err(Status::INVALID_VALUE)
    }
}

fn addresses() -> MutexGuard<'static, Addresses> {
    ADDRESSES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Addresses {
    /// The mapping that holds an address, and where it begins.
    fn at(&self, address: u64) -> Option<(u64, &Mapping)> {
        let (&start, mapping) = self.mapped.range(..=address).next_back()?;
        (address - start < mapping.bytes).then_some((start, mapping))
    }

    fn is_reserved(&self, address: u64, end: u64) -> bool {
        let range = self.reserved.range(..=address).next_back();
        range.is_some_and(|(start, bytes)| end <= start + bytes)
    }

    fn is_mapped(&self, address: u64, end: u64) -> bool {
        self.at(address).is_some() || self.mapped.range(address..end).next().is_some()
    }

    /// The mappings that are exactly this range; an error where it cuts one, or leaves a gap.
    fn whole_mappings(&self, address: u64, bytes: u64) -> Outcome<Vec<u64>> {
        let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
        let mut at = address;
        let mut whole = Vec::new();
        while at < end {
            let mapping = self
                .mapped
                .get(&at)
                .filter(|mapping| mapping.memory.is_some());
            whole.push(at);
            at += mapping.ok_or(Status::INVALID_VALUE)?.bytes;
        }
        if at == end {
            Ok(whole)
        } else {
            Err(Status::INVALID_VALUE)
        }
    }
}
