//! Host memory of the evaluated program: objects, addresses, bounds. A bad access gives an unknown value,
//! never a panic. An address is an object's number above its offset, so differences and order within an object hold.

use super::mark::Mark;
use super::object::{Kind, Object};
use super::value::Value;

/// Bits of an address that are the offset within the object (512 GiB).
const OFFSET_BITS: u32 = 39;
/// Set in addresses of stack objects.
const STACK: u64 = 1 << 62;
/// Set in addresses of functions.
const FUNCTION: u64 = 1 << 61;
/// Most objects of one table.
const MOST_OBJECTS: usize = 1 << 22;
/// What an object costs beside its bytes.
const OBJECT_COST: u64 = 96;
/// Longest text that is read as a C string.
const LONGEST_TEXT: usize = 1 << 24;

/// The limit of host memory was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// All objects.
#[derive(Debug)]
pub struct Memory {
    /// Globals first, then heap and device objects; number 0 is null.
    objects: Vec<Object>,
    /// Stack objects; those from `stack_len` on wait to be used again.
    stack: Vec<Object>,
    stack_len: usize,
    held: u64,
    limit: u64,
}

/// Address of a function.
pub fn function_address(function: u32) -> u64 {
    FUNCTION | (u64::from(function) << 4)
}

/// The function at an address.
pub fn function_at(address: u64) -> Option<u32> {
    let index = address.wrapping_sub(FUNCTION) >> 4;
    (address & 15 == 0 && address >> 61 == 1)
        .then_some(index)?
        .try_into()
        .ok()
}

/// Address of a global plus an offset.
#[inline(always)]
pub fn global_address(global: u32, offset: i64) -> u64 {
    ((u64::from(global) + 1) << OFFSET_BITS).wrapping_add(offset as u64)
}

#[inline(always)]
fn offset_of(address: u64) -> u64 {
    address & ((1 << OFFSET_BITS) - 1)
}

impl Memory {
    /// Empty memory that may hold `limit` bytes.
    pub fn new(limit: u64) -> Memory {
        Memory {
            objects: vec![Object::opaque(Kind::Freed, 0)],
            stack: Vec::new(),
            stack_len: 0,
            held: 0,
            limit,
        }
    }

    #[inline(always)]
    fn object(&self, address: u64) -> Option<&Object> {
        if address >> 61 == 0 {
            self.objects.get((address >> OFFSET_BITS) as usize)
        } else if address & STACK != 0 {
            let index = ((address ^ STACK) >> OFFSET_BITS) as usize;
            self.stack.get(..self.stack_len)?.get(index)
        } else {
            None
        }
    }

    #[inline(always)]
    fn object_mut(&mut self, address: u64) -> Option<&mut Object> {
        if address >> 61 == 0 {
            self.objects.get_mut((address >> OFFSET_BITS) as usize)
        } else if address & STACK != 0 {
            let index = ((address ^ STACK) >> OFFSET_BITS) as usize;
            self.stack.get_mut(..self.stack_len)?.get_mut(index)
        } else {
            None
        }
    }

    fn charge(&mut self, bytes: u64) -> Result<(), Full> {
        let held = self.held.saturating_add(bytes);
        if held > self.limit {
            return Err(Full);
        }
        self.held = held;
        Ok(())
    }

    /// Adds an object and gives its address. The bytes are zero; `base` says whether that is known.
    pub fn add(&mut self, kind: Kind, size: u64, base: Mark) -> Result<u64, Full> {
        let has_bytes = matches!(kind, Kind::Host | Kind::Constant | Kind::Managed);
        let bytes = if has_bytes { size } else { 0 };
        if self.objects.len() >= MOST_OBJECTS || bytes >> OFFSET_BITS != 0 {
            return Err(Full);
        }
        self.charge(bytes.saturating_add(OBJECT_COST))?;
        let mut object = if has_bytes {
            Object::host(usize::try_from(bytes).map_err(|_| Full)?, base)
        } else {
            Object::opaque(kind, size)
        };
        object.kind = kind;
        self.objects.push(object);
        Ok(((self.objects.len() - 1) as u64) << OFFSET_BITS)
    }

    /// Adds an object whose bytes are kept where they fit; else only its address means something.
    pub fn add_or_hollow(&mut self, kind: Kind, size: u64, base: Mark) -> Result<u64, Full> {
        if let Ok(address) = self.add(kind, size, base) {
            return Ok(address);
        }
        if self.objects.len() >= MOST_OBJECTS {
            return Err(Full);
        }
        self.charge(OBJECT_COST)?;
        self.objects.push(Object::opaque(kind, size));
        Ok(((self.objects.len() - 1) as u64) << OFFSET_BITS)
    }

    /// Adds a stack object.
    pub fn push_stack(&mut self, size: u64) -> Result<u64, Full> {
        let bytes = usize::try_from(size).map_err(|_| Full)?;
        if self.stack_len >= MOST_OBJECTS || size >> OFFSET_BITS != 0 {
            return Err(Full);
        }
        self.charge(size.saturating_add(OBJECT_COST))?;
        match self.stack.get_mut(self.stack_len) {
            Some(object) => object.renew(bytes),
            None => self.stack.push(Object::host(bytes, Mark::UNWRITTEN)),
        }
        self.stack_len += 1;
        Ok(STACK | ((self.stack_len as u64 - 1) << OFFSET_BITS))
    }

    /// Number of stack objects alive.
    pub fn stack_height(&self) -> usize {
        self.stack_len
    }

    /// Takes stack objects away until `height` are left.
    pub fn pop_stack(&mut self, height: usize) {
        while self.stack_len > height {
            self.stack_len -= 1;
            if let Some(object) = self.stack.get(self.stack_len) {
                self.held = self.held.saturating_sub(object.size + OBJECT_COST);
            }
        }
    }

    /// Frees the object that begins at this address. False where none does.
    pub fn free(&mut self, address: u64) -> bool {
        if offset_of(address) != 0 {
            return false;
        }
        let Some(object) = self.object_mut(address) else {
            return false;
        };
        if object.kind == Kind::Freed {
            return false;
        }
        let size = object.slice(0, 0).map_or(0, |_| object.rest(0) as u64);
        object.free();
        self.held = self.held.saturating_sub(size);
        true
    }

    /// Grows or shrinks an object in place.
    pub fn resize(&mut self, address: u64, size: u64) -> Result<bool, Full> {
        let old = match self.object(address) {
            Some(object) if object.kind == Kind::Host && offset_of(address) == 0 => object.size,
            _ => return Ok(false),
        };
        if size >> OFFSET_BITS != 0 {
            return Err(Full);
        }
        self.charge(size.saturating_sub(old))?;
        self.held = self.held.saturating_sub(old.saturating_sub(size));
        let bytes = usize::try_from(size).map_err(|_| Full)?;
        if let Some(object) = self.object_mut(address) {
            object.resize(bytes);
        }
        Ok(true)
    }

    /// Kind and size of the object that an address points into.
    pub fn kind(&self, address: u64) -> Option<(Kind, u64)> {
        self.object(address)
            .map(|object| (object.kind, object.size))
    }

    /// Start of the object that an address points into.
    pub fn start_of(&self, address: u64) -> u64 {
        address - offset_of(address)
    }

    /// Makes an object read-only.
    pub fn seal(&mut self, address: u64) {
        if let Some(object) = self.object_mut(address) {
            object.kind = Kind::Constant;
        }
    }

    /// True for a host object that is too large for its bytes to be kept.
    fn is_hollow(&self, address: u64) -> bool {
        self.object(address)
            .is_some_and(|object| object.size > 0 && object.rest(0) == 0)
    }

    fn missing(&self, address: u64) -> Mark {
        match self.object(address).map(|object| object.kind) {
            Some(Kind::Device) => Mark::DEVICE_MEMORY,
            Some(Kind::Host | Kind::Managed) if self.is_hollow(address) => Mark::TOO_LARGE,
            _ => Mark::OUTSIDE,
        }
    }

    /// Reads up to 8 bytes.
    #[inline(always)]
    pub fn load(&self, address: u64, size: usize) -> Value {
        let offset = offset_of(address);
        let Some(object) = self.object(address) else {
            return Value::unknown(Mark::OUTSIDE);
        };
        let Some(bytes) = object.slice(offset, size) else {
            return Value::unknown(self.missing(address));
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
        Value::made(bits, mark)
    }

    /// Writes up to 8 bytes. False where they do not exist.
    #[inline(always)]
    pub fn store(&mut self, address: u64, size: usize, value: Value) -> bool {
        let offset = offset_of(address);
        let all = value.bits.to_le_bytes();
        let (Some(object), Some(bytes)) = (self.object_mut(address), all.get(..size)) else {
            return false;
        };
        if object.kind == Kind::Constant {
            return false;
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
        if mark.is_hard() { Err(mark) } else { Ok(bytes) }
    }

    /// Writes known bytes. False where they do not exist.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.write_marked(address, bytes, Mark::KNOWN)
    }

    /// Writes bytes with a mark. False where they do not exist.
    pub fn write_marked(&mut self, address: u64, bytes: &[u8], mark: Mark) -> bool {
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

    /// Marks all managed memory unknown: a kernel may have written it.
    pub fn spoil_managed(&mut self, mark: Mark) {
        for object in &mut self.objects {
            if object.kind == Kind::Managed {
                object.set_mark(0, usize::MAX, mark);
            }
        }
    }

    /// Copies bytes with their marks; the ranges may overlap. False where the target does not exist.
    pub fn copy(&mut self, to: u64, from: u64, len: u64) -> bool {
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
        if object.is_uniform() {
            let mark = object.mark(offset, count);
            return self.write_marked(to, &bytes, mark);
        }
        let marks = object.marks(offset, count);
        if !self.write(to, &bytes) {
            return false;
        }
        let offset = offset_of(to);
        if let Some(object) = self.object_mut(to) {
            object.put_marks(offset, &marks);
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

    #[test]
    fn a_shrunk_and_grown_object_keeps_its_start() {
        let (mut memory, address) = memory_with(8);
        memory.write(address, &[9; 8]);
        assert_eq!(memory.resize(address, 2), Ok(true));
        assert_eq!(memory.resize(address, 32), Ok(true));
        assert_eq!(memory.load(address, 2), Value::known(0x0909));
        assert_eq!(memory.load(address + 2, 1).mark, Mark::UNWRITTEN);
        assert_eq!(memory.resize(address, 1 << 30), Err(Full));
    }

    #[test]
    fn stack_objects_come_back_new() {
        let mut memory = Memory::new(1 << 20);
        let first = memory.push_stack(8).unwrap();
        memory.write(first, &[1; 8]);
        memory.pop_stack(0);
        assert_eq!(memory.load(first, 1).mark, Mark::OUTSIDE);
        let second = memory.push_stack(8).unwrap();
        assert_eq!(first, second);
        assert_eq!(memory.load(second, 8).mark, Mark::UNWRITTEN);
    }

    #[test]
    fn functions_have_addresses_of_their_own() {
        assert_eq!(function_at(function_address(7)), Some(7));
        assert_eq!(function_at(global_address(7, 0)), None);
        assert_eq!(function_at(0), None);
    }
}
