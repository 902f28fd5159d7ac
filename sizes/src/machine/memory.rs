//! Objects of the evaluated program: allocation, release, limits. Reading and writing is in `access`.

use super::address::{
    OFFSET_BITS, Table, function_at, number_of, object_address, offset_of, stack_address,
};
use super::mark::Mark;
use super::object::{Kind, Object};
use super::tags::Tags;

/// Most objects of one table.
const MOST_OBJECTS: usize = 1 << 22;
/// What an object costs beside its bytes.
const OBJECT_COST: u64 = 96;

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
    /// Numbers of managed objects.
    managed: Vec<usize>,
    held: u64,
    limit: u64,
    /// Who wrote what, where the evaluation is explained.
    pub tags: Option<Box<Tags>>,
}

impl Memory {
    /// Empty memory that may hold `limit` bytes.
    pub fn new(limit: u64) -> Memory {
        Memory {
            objects: vec![Object::opaque(Kind::Freed, 0)],
            stack: Vec::new(),
            stack_len: 0,
            managed: Vec::new(),
            held: 0,
            limit,
            tags: None,
        }
    }

    /// The object that an address points into.
    #[inline(always)]
    pub fn object(&self, address: u64) -> Option<&Object> {
        match number_of(address)? {
            (Table::Objects, number) => self.objects.get(number),
            (Table::Stack, number) => self.stack.get(..self.stack_len)?.get(number),
        }
    }

    /// The same, to change it.
    #[inline(always)]
    pub fn object_mut(&mut self, address: u64) -> Option<&mut Object> {
        match number_of(address)? {
            (Table::Objects, number) => self.objects.get_mut(number),
            (Table::Stack, number) => self.stack.get_mut(..self.stack_len)?.get_mut(number),
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
        if kind == Kind::Managed {
            object.alignment = Object::opaque(kind, 0).alignment;
            self.managed.push(self.objects.len());
        }
        self.objects.push(object);
        Ok(object_address(self.objects.len() - 1))
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
        if kind == Kind::Managed {
            self.managed.push(self.objects.len());
        }
        self.objects.push(Object::opaque(kind, size));
        Ok(object_address(self.objects.len() - 1))
    }

    /// Adds a stack object, aligned to so many bytes.
    pub fn push_stack(&mut self, size: u64, align: u64) -> Result<u64, Full> {
        let bytes = usize::try_from(size).map_err(|_| Full)?;
        if self.stack_len >= MOST_OBJECTS || size >> OFFSET_BITS != 0 {
            return Err(Full);
        }
        self.charge(size.saturating_add(OBJECT_COST))?;
        match self.stack.get_mut(self.stack_len) {
            Some(object) => object.renew(bytes),
            None => self.stack.push(Object::host(bytes, Mark::UNWRITTEN)),
        }
        if let Some(object) = self.stack.get_mut(self.stack_len) {
            object.alignment = power_within(align);
        }
        self.stack_len += 1;
        Ok(stack_address(self.stack_len - 1))
    }

    /// Says how many bytes an object's address is a multiple of.
    pub fn set_alignment(&mut self, address: u64, align: u64) {
        if let Some(object) = self.object_mut(address) {
            object.alignment = power_within(align);
        }
    }

    /// True for what may be the address of an object or of a function.
    #[inline(always)]
    pub fn is_address(&self, bits: u64) -> bool {
        bits >> OFFSET_BITS != 0 && (self.is_within(bits) || function_at(bits).is_some())
    }

    /// True for an address within an object, or little beside it.
    fn is_within(&self, bits: u64) -> bool {
        /// How far beside an object a program may point on its way.
        const BESIDE: u64 = 1 << 20;
        self.object(bits).is_some_and(|object| {
            let size = object.size.max(object.rest(0) as u64);
            offset_of(bits.wrapping_add(BESIDE)) <= size.saturating_add(2 * BESIDE)
        })
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
        let size = object.rest(0) as u64;
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
        address.wrapping_sub(offset_of(address))
    }

    /// Makes an object read-only.
    pub fn seal(&mut self, address: u64) {
        if let Some(object) = self.object_mut(address) {
            object.kind = Kind::Constant;
        }
    }

    /// Marks all managed memory unknown: a kernel may have written it.
    pub fn spoil_managed(&mut self, mark: Mark) {
        for index in &self.managed {
            match self.objects.get_mut(*index) {
                Some(object) if object.kind == Kind::Managed => {
                    object.set_mark(0, usize::MAX, mark);
                }
                _ => {}
            }
        }
    }
}

/// The power of two within an alignment, as far as addresses here have any.
fn power_within(align: u64) -> u8 {
    const MOST: u32 = 20;
    align.max(1).trailing_zeros().min(MOST) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::value::Value;

    fn memory_with(size: u64) -> (Memory, u64) {
        let mut memory = Memory::new(1 << 20);
        let address = memory.add(Kind::Host, size, Mark::UNWRITTEN).unwrap();
        (memory, address)
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
        let first = memory.push_stack(8, 8).unwrap();
        memory.write(first, &[1; 8]);
        memory.pop_stack(0);
        assert_eq!(memory.load(first, 1).mark, Mark::OUTSIDE);
        let second = memory.push_stack(8, 8).unwrap();
        assert_eq!(first, second);
        assert_eq!(memory.load(second, 8).mark, Mark::UNWRITTEN);
    }
}
