//! The arguments of a launch, copied out of the caller's memory by the sizes that the kernel's PTX declares.

use crate::images::Kernel;
use crate::launching::Given;
use crate::status::{Outcome, Status};

/// Values of a kernel's arguments.
pub struct Arguments {
    values: Vec<Box<[u8]>>,
    /// Addresses of the values, as a launch hands them in.
    list: Box<[usize]>,
}

impl Arguments {
    /// Of a launch that is only counted.
    pub fn none() -> Arguments {
        Arguments {
            values: Vec::new(),
            list: Box::default(),
        }
    }

    /// Copies what the caller hands in.
    pub fn copied(kernel: &Kernel, given: Given) -> Outcome<Arguments> {
        let parameters = &kernel.outline.parameters;
        let values: Outcome<Vec<Box<[u8]>>> = match given {
            _ if parameters.is_empty() => Ok(Vec::new()),
            Given { list: 0, buffer: 0 } => Err(Status::INVALID_VALUE),
            Given { list: 0, buffer } => {
                let (start, length) = described(buffer)?;
                let whole = bytes(start, length)?;
                let part = |&(offset, size): &(usize, usize)| {
                    let value = whole.get(offset..)?.get(..size)?;
                    Some(value.into())
                };
                let parts: Option<Vec<_>> = parameters.iter().map(part).collect();
                parts.ok_or(Status::INVALID_VALUE)
            }
            Given { list, .. } => {
                let list = std::ptr::with_exposed_provenance::<usize>(list);
                let numbered = parameters.iter().enumerate();
                let copied = numbered.map(|(nth, (_, size))| {
                    // SAFETY: by the C interface the list has an address for each parameter.
                    bytes(unsafe { list.add(nth).read_unaligned() }, *size).map(Into::into)
                });
                copied.collect()
            }
        };
        let values = values?;
        let list = values
            .iter()
            .map(|value| value.as_ptr().expose_provenance());
        Ok(Arguments {
            list: list.collect(),
            values,
        })
    }

    /// The values where a kernel's code looks for them: at these offsets, of these sizes.
    pub fn laid_out(&self, places: &[(u64, u64)]) -> Vec<u8> {
        let end = places
            .iter()
            .map(|(start, bytes)| start.saturating_add(*bytes))
            .max();
        let mut all = vec![0; usize::try_from(end.unwrap_or(0)).unwrap_or(0)];
        for ((start, bytes), value) in places.iter().zip(&self.values) {
            let (start, bytes) = (usize::try_from(*start), usize::try_from(*bytes));
            let (Ok(start), Ok(bytes)) = (start, bytes) else {
                continue;
            };
            let room = all
                .get_mut(start..)
                .and_then(|rest| rest.get_mut(..bytes.min(value.len())));
            if let Some(room) = room {
                room.copy_from_slice(&value[..room.len()]);
            }
        }
        all
    }

    /// Address of the list of addresses; 0 where the kernel has no parameters.
    pub fn list(&self) -> usize {
        if self.list.is_empty() {
            return 0;
        }
        self.list.as_ptr().expose_provenance()
    }
}

/// The bytes at an address that a caller handed in.
fn bytes<'a>(start: usize, length: usize) -> Outcome<&'a [u8]> {
    if start == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let start = std::ptr::with_exposed_provenance::<u8>(start);
    // SAFETY: by the C interface the argument has as many bytes as the kernel declares.
    Ok(unsafe { std::slice::from_raw_parts(start, length) })
}

/// Address and bytes of a buffer, out of pairs of a key and a pointer: `CU_LAUNCH_PARAM_...`.
fn described(list: usize) -> Outcome<(usize, usize)> {
    const END: usize = 0;
    const BUFFER: usize = 1;
    const SIZE: usize = 2;
    const MOST: usize = 8;
    let list = std::ptr::with_exposed_provenance::<usize>(list);
    // SAFETY: by the C interface pairs follow each other up to the end's key; the size is told by its address.
    let word = |nth| unsafe { list.add(nth).read_unaligned() };
    let (mut start, mut length) = (0, 0);
    for pair in 0..MOST {
        match word(2 * pair) {
            END => break,
            BUFFER => start = word(2 * pair + 1),
            SIZE => {
                let size = std::ptr::with_exposed_provenance::<usize>(word(2 * pair + 1));
                if size.is_null() {
                    return Err(Status::INVALID_VALUE);
                }
                // SAFETY: not null, so it points to the size.
                length = unsafe { size.read_unaligned() };
            }
            _ => return Err(Status::INVALID_VALUE),
        }
    }
    Ok((start, length))
}
