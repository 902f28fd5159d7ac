//! What an address is.

use super::memory::allocation;
use crate::border::In;
use crate::contexts;
use crate::driver::driver;
use crate::handles::Object;
use crate::images;
use crate::spans;
use crate::status::{Outcome, Status};
use crate::uses::{self, Use};

exports! {
    fn cuPointerGetAttribute(room: usize, attribute: u32, address: u64) {
        driver()?;
        let value = pointer_attribute(attribute, address)?;
        store(room, &value)
    }

    /// Attributes that an address does not have are stored as zero, as the driver does.
    fn cuPointerGetAttributes(count: u32, attributes: In<u32>, rooms: In<usize>, address: u64) {
        driver()?;
        for nth in 0..count as usize {
            let attribute = attributes.nth(nth)?;
            let none = vec![0; if attribute == 5 { 16 } else { width(attribute) }];
            store(rooms.nth(nth)?, &pointer_attribute(attribute, address).unwrap_or(none))?;
        }
        Ok(())
    }

    /// Whether copies of this memory are complete when they return: they are so or so.
    fn cuPointerSetAttribute(value: In<u32>, attribute: u32, address: u64) {
        const SYNC_MEMOPS: u32 = 6;
        driver()?;
        value.get()?;
        match attribute {
            SYNC_MEMOPS => spans::require_device(address, 1),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

/// Bytes of a pointer attribute's value.
fn width(attribute: u32) -> usize {
    match attribute {
        2 | 6 | 8 | 9 | 10 | 13 | 15 | 16 | 21 | 22 => 4,
        _ => 8,
    }
}

/// The value of a pointer attribute, as the bytes that the caller wants.
fn pointer_attribute(attribute: u32, address: u64) -> Outcome<Vec<u8>> {
    const HOST: u64 = 1;
    const DEVICE: u64 = 2;
    const READ_AND_WRITE: u64 = 3;
    let owner = contexts::owner_of(address);
    let (start, bytes) = allocation(address).ok_or(Status::INVALID_VALUE)?;
    let on_device = spans::device_span(address).is_some();
    let purpose = uses::of(start);
    let managed = matches!(purpose, Some(Use::Managed(_))) || images::manages(address);
    let value = match attribute {
        1 => owner.as_ref().map_or(0, |owner| owner.handle() as u64),
        2 if on_device => DEVICE,
        2 => HOST,
        3 => address,
        4 if !on_device || managed => address,
        7 | 20 => start,
        8 => managed.into(),
        // Writes that wait, the device's number, sharing between processes, direct access by others.
        6 | 9 | 10 | 14 | 15 | 21 | 22 => 0,
        11 | 19 => start,
        12 | 18 => bytes as u64,
        13 => 1,
        16 => READ_AND_WRITE,
        17 => match purpose {
            Some(Use::Pool(pool)) => pool as u64,
            _ => 0,
        },
        4 => return Err(Status::INVALID_VALUE),
        _ => return Err(Status::NOT_SUPPORTED),
    };
    Ok(value
        .to_le_bytes()
        .into_iter()
        .take(width(attribute))
        .collect())
}

fn store(room: usize, value: &[u8]) -> Outcome {
    let room = std::ptr::with_exposed_provenance_mut::<u8>(room);
    if room.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, so by the C interface it is room for this attribute's value.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), room, value.len()) };
    Ok(())
}
