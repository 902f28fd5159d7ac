//! Reading and writing memory. A bad access gives an unknown value or changes nothing, never a panic.

use super::address::offset_of;
use super::mark::Mark;
use super::memory::Memory;
use super::object::{Kind, Object};
use super::value::Value;

/// Longest text that is read as a C string.
const LONGEST_TEXT: usize = 1 << 24;

impl Memory {
    /// True for a host object that is too large for its bytes to be kept.
    fn is_hollow(&self, address: u64) -> bool {
        self.object(address)
            .is_some_and(|object| object.size > 0 && object.rest(0) == 0)
    }

    /// Bytes that are kept from an address to the end of its object.
    pub fn room(&self, address: u64) -> u64 {
        self.object(address)
            .map_or(0, |object| object.rest(offset_of(address)) as u64)
    }

    /// Why bytes of an object are not known where they are not kept.
    pub fn missing(&self, address: u64) -> Mark {
        match self.object(address).map(|object| object.kind) {
            Some(Kind::Device) => Mark::DEVICE_MEMORY,
            Some(Kind::Host | Kind::Managed) if self.is_hollow(address) => Mark::TOO_LARGE,
            _ => Mark::OUTSIDE,
        }
    }

    /// Reads up to 8 bytes.
    #[inline(always)]
    pub fn load(&self, address: u64, size: usize) -> Value {
        self.load_with(address, size).0
    }

    /// The same, and whether the bytes may hold an address.
    #[inline(always)]
    pub fn load_with(&self, address: u64, size: usize) -> (Value, bool) {
        let offset = offset_of(address);
        let Some(object) = self.object(address) else {
            return (Value::unknown(Mark::OUTSIDE), false);
        };
        let Some(bytes) = object.slice(offset, size) else {
            return (Value::unknown(self.missing(address)), false);
        };
        let mark = object.mark(offset, size);
        let bits = match bytes {
            [a, b, c, d] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            [a] => u64::from(*a),
            _ => bytes
                .iter()
                .rev()
                .fold(0, |bits, byte| (bits << 8) | u64::from(*byte)),
        };
        (Value::made(bits, mark), object.holds_addresses)
    }

    /// Up to 8 bytes of a number of which not all are known: padding between fields that are moved together, or what
    /// lies behind the end of a short text.
    #[cold]
    pub fn load_partly(&self, address: u64, size: usize) -> Value {
        let (whole, holds_addresses) = self.load_with(address, size);
        let (Some(object), offset) = (self.object(address), offset_of(address)) else {
            return whole;
        };
        let bytes = object.slice(offset, size).unwrap_or_default();
        if bytes.is_empty() || holds_addresses && self.has_address(object, offset, size) {
            return whole;
        }
        let is_known = |at: u64| object.mark(offset.wrapping_add(at), 1) == Mark::KNOWN;
        let (mut bits, mut unknown) = (0u64, 0u64);
        for (at, byte) in (0u64..8).zip(bytes) {
            bits |= u64::from(*byte) << (8 * at);
            unknown |= if is_known(at) { 0 } else { 0xff << (8 * at) };
        }
        match unknown.count_ones() as usize == 8 * size {
            true => whole,
            false => Value::partly(bits, unknown, whole.mark),
        }
    }

    /// Writes the bytes of a number of which not all are known.
    #[cold]
    fn store_partly(object: &mut Object, offset: u64, bytes: &[u8], value: Value) -> bool {
        let marks = value.unknown_bits().to_le_bytes();
        let mut there = true;
        for (at, (byte, unknown)) in (0u64..).zip(bytes.iter().zip(marks)) {
            let mark = if unknown == 0 {
                Mark::KNOWN
            } else {
                value.mark
            };
            there &= object.write(offset.wrapping_add(at), &[*byte], mark);
        }
        there
    }

    /// Writes up to 8 bytes. False where they do not exist.
    #[inline(always)]
    pub fn store(&mut self, address: u64, size: usize, value: Value) -> bool {
        if let Some(tags) = &mut self.tags {
            tags.write(address, size as u64);
        }
        let offset = offset_of(address);
        let all = value.bits.to_le_bytes();
        let holds_address = size == 8 && self.is_address(value.bits);
        let (Some(object), Some(bytes)) = (self.object_mut(address), all.get(..size)) else {
            return false;
        };
        if object.kind == Kind::Constant {
            return false;
        }
        object.holds_addresses |= holds_address;
        if value.mark.is_hard() && value.unknown_bits() != u64::MAX {
            return Memory::store_partly(object, offset, bytes, value);
        }
        object.write(offset, bytes, value.mark)
    }

    /// Reads known bytes.
    pub fn read(&self, address: u64, len: usize) -> Result<&[u8], Mark> {
        let offset = offset_of(address);
        let object = self.object(address).ok_or(Mark::OUTSIDE)?;
        let bytes = object
            .slice(offset, len)
            .ok_or_else(|| self.missing(address))?;
        let mark = if len == 0 {
            Mark::KNOWN
        } else {
            object.mark(offset, len)
        };
        let holds_address = mark == Mark::ADDRESS
            || (object.holds_addresses && self.has_address(object, offset, len));
        match mark.is_hard() {
            true => Err(mark),
            false if holds_address => Err(Mark::HOLDS_ADDRESS),
            false => Ok(bytes),
        }
    }

    /// Whether 8 bytes that some of the given range belong to are an address.
    pub fn has_address(&self, object: &Object, offset: u64, len: usize) -> bool {
        let first = offset & !7;
        let words = (offset.saturating_sub(first) + len as u64).div_ceil(8);
        (0..words).any(|word| {
            let bytes = object.slice(first + 8 * word, 8).unwrap_or_default();
            let bits = <[u8; 8]>::try_from(bytes).map_or(0, u64::from_le_bytes);
            self.is_address(bits)
        })
    }

    /// Writes known bytes. False where they do not exist.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.write_marked(address, bytes, Mark::KNOWN)
    }

    /// Writes bytes with a mark. False where they do not exist.
    pub fn write_marked(&mut self, address: u64, bytes: &[u8], mark: Mark) -> bool {
        if let Some(tags) = &mut self.tags {
            tags.write(address, bytes.len() as u64);
        }
        let offset = offset_of(address);
        match self.object_mut(address) {
            Some(object) if object.kind != Kind::Constant => object.write(offset, bytes, mark),
            _ => false,
        }
    }

    /// Sets bytes. False where they do not exist.
    pub fn fill(&mut self, address: u64, byte: u8, len: u64, mark: Mark) -> bool {
        let offset = offset_of(address);
        match (self.object_mut(address), usize::try_from(len)) {
            (Some(object), Ok(len)) if object.kind != Kind::Constant => {
                object.fill(offset, byte, len, mark)
            }
            _ => false,
        }
    }

    /// Marks bytes unknown, as many as exist.
    pub fn spoil(&mut self, address: u64, len: u64, mark: Mark) {
        let offset = offset_of(address);
        if let Some(object) = self.object_mut(address)
            && object.kind != Kind::Constant
        {
            object.set_mark(offset, usize::try_from(len).unwrap_or(usize::MAX), mark);
        }
    }

    /// Marks the whole object unknown that an address points into.
    pub fn spoil_object(&mut self, address: u64, mark: Mark) {
        self.spoil(self.start_of(address), u64::MAX, mark);
    }

    /// Copies bytes with their marks; the ranges may overlap. False where the target does not exist.
    pub fn copy(&mut self, to: u64, from: u64, len: u64) -> bool {
        let copied = self.copy_bytes(to, from, len);
        if let Some(tags) = &mut self.tags {
            tags.copy(to, from, len);
        }
        copied
    }

    fn copy_bytes(&mut self, to: u64, from: u64, len: u64) -> bool {
        let Ok(count) = usize::try_from(len) else {
            return false;
        };
        let offset = offset_of(from);
        let source = self
            .object(from)
            .and_then(|object| Some((object, object.slice(offset, count)?)));
        let Some((object, bytes)) = source else {
            let mark = self.missing(from);
            self.spoil(to, len, mark);
            return true;
        };
        let bytes = bytes.to_vec();
        let holds_addresses = object.holds_addresses;
        let mark = object.is_uniform().then(|| object.mark(offset, count));
        let marks = match mark {
            Some(_) => Vec::new(),
            None => object.marks(offset, count),
        };
        if !self.write_marked(to, &bytes, mark.unwrap_or(Mark::KNOWN)) {
            return false;
        }
        let offset = offset_of(to);
        if let Some(object) = self.object_mut(to) {
            object.holds_addresses |= holds_addresses;
            if mark.is_none() {
                object.put_marks(offset, &marks);
            }
        }
        true
    }

    /// Reads a zero-terminated text, without its zero.
    pub fn text(&self, address: u64) -> Result<&[u8], Mark> {
        let offset = offset_of(address);
        let object = self.object(address).ok_or(Mark::OUTSIDE)?;
        let rest = object.rest(offset).min(LONGEST_TEXT);
        let bytes = object
            .slice(offset, rest)
            .ok_or_else(|| self.missing(address))?;
        let len = bytes
            .iter()
            .position(|byte| *byte == 0)
            .ok_or(Mark::OUTSIDE)?;
        let mark = object.mark(offset, len + 1);
        if mark.is_hard() {
            return Err(mark);
        }
        Ok(bytes.get(..len).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory_with(size: u64) -> (Memory, u64) {
        let mut memory = Memory::new(1 << 20);
        let address = memory.add(Kind::Host, size, Mark::UNWRITTEN).unwrap();
        (memory, address)
    }

    #[test]
    fn what_was_stored_is_loaded_and_the_rest_is_unwritten() {
        let (mut memory, address) = memory_with(16);
        assert!(memory.store(address + 4, 4, Value::known(0x0102_0304)));
        assert_eq!(memory.load(address + 4, 4), Value::known(0x0102_0304));
        assert_eq!(memory.load(address + 5, 1), Value::known(3));
        assert_eq!(memory.load(address + 6, 4).mark, Mark::UNWRITTEN);
    }

    #[test]
    fn what_is_known_of_a_number_survives_its_move() {
        let ((mut memory, from), (mut elsewhere, to)) = (memory_with(8), memory_with(8));
        assert!(memory.store(from, 1, Value::known(0x11)));
        assert!(memory.store(from + 4, 4, Value::known(0x0102_0304)));
        let moved = memory.load_partly(from, 8);
        assert_eq!(moved.get(), Err(Mark::UNWRITTEN));
        assert!(elsewhere.store(to, 8, moved));
        assert_eq!(elsewhere.load(to, 1), Value::known(0x11));
        assert_eq!(elsewhere.load(to + 1, 1).mark, Mark::UNWRITTEN);
        assert_eq!(elsewhere.load(to + 4, 4), Value::known(0x0102_0304));
        let (nothing, address) = memory_with(8);
        assert_eq!(
            nothing.load_partly(address, 4),
            Value::unknown(Mark::UNWRITTEN)
        );
    }

    #[test]
    fn accesses_outside_are_unknown_and_change_nothing() {
        let (mut memory, address) = memory_with(4);
        assert_eq!(memory.load(address + 1, 4).mark, Mark::OUTSIDE);
        assert_eq!(memory.load(address.wrapping_sub(1), 1).mark, Mark::OUTSIDE);
        assert_eq!(memory.load(u64::MAX, 8).mark, Mark::OUTSIDE);
        assert!(!memory.store(0, 8, Value::known(1)));
        assert!(memory.free(address));
        assert!(!memory.free(address));
        assert_eq!(memory.load(address, 1).mark, Mark::OUTSIDE);
    }

    #[test]
    fn copies_keep_the_mark_of_each_byte_and_may_overlap() {
        let (mut memory, address) = memory_with(8);
        memory.write(address, &[1, 2, 3, 4, 5, 6, 7, 8]);
        memory.spoil(address + 1, 1, Mark::DEVICE_MEMORY);
        assert!(memory.copy(address + 2, address, 4));
        assert_eq!(memory.load(address + 2, 1), Value::known(1));
        assert_eq!(memory.load(address + 3, 1).mark, Mark::DEVICE_MEMORY);
        assert_eq!(memory.load(address + 4, 2), Value::known(0x0403));
    }
}
