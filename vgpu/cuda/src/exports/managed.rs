//! What programs say about managed memory. Host and device share it here, so hints change nothing but what is told of them.

use super::pool::Location;
use crate::border::{In, Out};
use crate::capture;
use crate::contexts;
use crate::hints::{self, Hint};
use crate::spans;
use crate::status::{Outcome, Status};
use crate::streams;
use crate::uses::{self, Use};

exports! {
    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: usize) {
        prefetch(address, bytes, older_place(device)?, stream)
    }

    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, place: Location, _flags: u32, stream: usize) {
        prefetch(address, bytes, known_place(place)?, stream)
    }

    fn cuMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) {
        advise(address, bytes, advice, older_place(device))
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, place: Location) {
        advise(address, bytes, advice, known_place(place))
    }

    fn cuMemRangeGetAttribute(value: Out<i32>, size: usize, attribute: u32, address: u64, bytes: usize) {
        range_attribute(value, size, attribute, address, bytes)
    }

    fn cuMemRangeGetAttributes(
        values: In<Out<i32>>, sizes: In<usize>, attributes: In<u32>, count: usize, address: u64, bytes: usize,
    ) {
        for nth in 0..count {
            range_attribute(values.nth(nth)?, sizes.nth(nth)?, attributes.nth(nth)?, address, bytes)?;
        }
        Ok(())
    }

    fn cuStreamAttachMemAsync(stream: usize, address: u64, _bytes: usize, flags: u32) {
        const MOST: u32 = 4;
        capture::forbid_on(&*streams::get(stream)?)?;
        if flags == 0 || flags > MOST || !flags.is_power_of_two() {
            return Err(Status::INVALID_VALUE);
        }
        require_managed(address, 0)
    }
}

/// The host, as the older forms name it.
const CPU: i32 = -1;

fn older_place(device: i32) -> Outcome<i32> {
    match device {
        0 | CPU => Ok(device),
        _ => Err(Status::INVALID_DEVICE),
    }
}

fn known_place(place: Location) -> Outcome<i32> {
    match (place.kind, place.id) {
        (1, 0) => Ok(0),
        (2..=4, _) => Ok(CPU),
        (1, _) => Err(Status::INVALID_DEVICE),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn prefetch(address: u64, bytes: usize, place: i32, stream: usize) -> Outcome {
    capture::forbid_on(&*streams::get(stream)?)?;
    require_managed(address, bytes)?;
    hints::set(address, bytes, Hint::LastPrefetch, Some(place));
    Ok(())
}

fn advise(address: u64, bytes: usize, advice: u32, place: Outcome<i32>) -> Outcome {
    contexts::current()?;
    require_managed(address, bytes)?;
    let (hint, value) = match advice {
        1 => (Hint::ReadMostly, Some(1)),
        2 => (Hint::ReadMostly, None),
        3 => (Hint::PreferredPlace, Some(place?)),
        4 => (Hint::PreferredPlace, None),
        5 => (Hint::AccessedBy, Some(place?)),
        6 => (Hint::AccessedBy, None),
        _ => return Err(Status::INVALID_VALUE),
    };
    hints::set(address, bytes, hint, value);
    Ok(())
}

fn require_managed(address: u64, bytes: usize) -> Outcome {
    spans::require_device(address, bytes as u64)?;
    let start = spans::device_span(address).map(|(start, _)| start);
    match start.and_then(uses::of) {
        Some(Use::Managed(_)) => Ok(()),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn range_attribute(
    value: Out<i32>,
    size: usize,
    attribute: u32,
    address: u64,
    bytes: usize,
) -> Outcome {
    /// Nowhere in particular.
    const INVALID: i32 = -2;
    require_managed(address, bytes)?;
    let hint = |hint| hints::get(address, bytes, hint);
    let place_kind = |place: Option<i32>| match place {
        None => 0,
        Some(CPU) => 2,
        Some(_) => 1,
    };
    let first = match attribute {
        1 => hint(Hint::ReadMostly).unwrap_or(0),
        2 => hint(Hint::PreferredPlace).unwrap_or(INVALID),
        3 => hint(Hint::AccessedBy).unwrap_or(INVALID),
        4 => hint(Hint::LastPrefetch).unwrap_or(INVALID),
        5 => place_kind(hint(Hint::PreferredPlace)),
        6 => hint(Hint::PreferredPlace).unwrap_or(0),
        7 => place_kind(hint(Hint::LastPrefetch)),
        8 => hint(Hint::LastPrefetch).unwrap_or(0),
        _ => return Err(Status::INVALID_VALUE),
    };
    // Of the list of those that access it there is room for as many as fit; the others are none.
    let room = size / size_of::<i32>();
    if room == 0 || (attribute != 3 && room > 1) {
        return Err(Status::INVALID_VALUE);
    }
    value.put_all(std::iter::once(first).chain(std::iter::repeat_n(INVALID, room - 1)))
}
