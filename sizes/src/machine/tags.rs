//! Who wrote which bytes of memory last: kept only where an evaluation is explained.

use crate::explain::At;
use std::collections::BTreeMap;

/// Copies up to this many bytes hand the writers of their source on.
const LARGEST_COPY: u64 = 4096;

/// Writers by address.
#[derive(Debug)]
pub struct Tags {
    /// The running instruction.
    pub writer: At,
    /// Start of a written range -> its length and writer.
    spans: BTreeMap<u64, (u64, At)>,
}

impl Tags {
    /// Nothing written yet.
    pub fn new() -> Tags {
        let writer = At {
            function: u32::MAX,
            block: 0,
            index: 0,
        };
        Tags {
            writer,
            spans: BTreeMap::new(),
        }
    }

    /// Notes a write of the running instruction.
    pub fn write(&mut self, address: u64, length: u64) {
        self.put(address, length, self.writer);
    }

    fn put(&mut self, address: u64, length: u64, writer: At) {
        let end = address.saturating_add(length);
        if length > 8 {
            let within: Vec<u64> = self.spans.range(address..end).map(|(at, _)| *at).collect();
            for at in within {
                self.spans.remove(&at);
            }
        }
        self.spans.insert(address, (length, writer));
    }

    /// Hands the writers of a range on to its copy.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) {
        if length > LARGEST_COPY {
            return self.write(to, length);
        }
        let end = from.saturating_add(length);
        let within: Vec<(u64, u64, At)> = self
            .spans
            .range(from..end)
            .map(|(at, (length, writer))| (*at - from, *length, *writer))
            .collect();
        let around = self.writer_of(from);
        self.put(to, length, around.unwrap_or(self.writer));
        for (offset, length, writer) in within {
            self.put(to.wrapping_add(offset), length, writer);
        }
    }

    /// Who wrote the byte at an address last.
    pub fn writer_of(&self, address: u64) -> Option<At> {
        /// Ranges before an address that are looked through for one that reaches it.
        const BEFORE: usize = 64;
        let before = self.spans.range(..=address).rev().take(BEFORE);
        let mut covering = before.filter(|(at, (length, _))| address < at.saturating_add(*length));
        covering.next().map(|(_, (_, writer))| *writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(index: u32) -> At {
        At {
            function: 0,
            block: 0,
            index,
        }
    }

    #[test]
    fn the_last_writer_of_a_byte_is_known_through_copies() {
        let mut tags = Tags::new();
        tags.writer = at(1);
        tags.write(100, 64);
        tags.writer = at(2);
        tags.write(108, 4);
        assert_eq!(tags.writer_of(110), Some(at(2)));
        assert_eq!(tags.writer_of(113), Some(at(1)));
        tags.writer = at(3);
        tags.copy(500, 100, 64);
        assert_eq!(tags.writer_of(508), Some(at(2)));
        assert_eq!(tags.writer_of(563), Some(at(1)));
        assert_eq!(tags.writer_of(564), None);
        tags.write(500, 64);
        assert_eq!(tags.writer_of(508), Some(at(3)));
    }
}
