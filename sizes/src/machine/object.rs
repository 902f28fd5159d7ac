//! One object of memory: its bytes and, where not all are known, a mark per byte.

use super::mark::Mark;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Host memory that may be written.
    Host,
    /// Host memory that is never written.
    Constant,
    /// Device memory: only its address means something.
    Device,
    /// Managed memory: host bytes that every launch may change.
    Managed,
    /// A thing with an address and no bytes: `FILE`, stream, event, module.
    Handle,
    /// Given back.
    Freed,
}

/// Shadow entry: the object's base mark holds.
const AS_BASE: u16 = 0;
/// Shadow entry: the byte is known.
const KNOWN: u16 = 1;

/// One object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes as the program asked for it.
    pub size: u64,
    bytes: Vec<u8>,
    /// Empty: every byte has the base mark. Else one entry per byte.
    shadow: Vec<u16>,
    base: Mark,
    /// Some 8 bytes of it may hold an address.
    pub holds_addresses: bool,
    /// Its address is a multiple of two to this power, wherever it lies.
    pub alignment: u8,
}

/// What malloc and operator new align to: 16 bytes.
const HOST_ALIGNMENT: u8 = 4;
/// What CUDA's allocations align to at least: 256 bytes.
const DEVICE_ALIGNMENT: u8 = 8;

impl Object {
    /// Host bytes, all zero, with one mark for all of them.
    pub fn host(size: usize, base: Mark) -> Object {
        Object {
            kind: Kind::Host,
            size: size as u64,
            bytes: vec![0; size],
            shadow: Vec::new(),
            base,
            holds_addresses: false,
            alignment: HOST_ALIGNMENT,
        }
    }

    /// An object without bytes.
    pub fn opaque(kind: Kind, size: u64) -> Object {
        Object {
            kind,
            size,
            bytes: Vec::new(),
            shadow: Vec::new(),
            base: Mark::OUTSIDE,
            holds_addresses: false,
            alignment: match kind {
                Kind::Device | Kind::Managed => DEVICE_ALIGNMENT,
                Kind::Host | Kind::Constant => HOST_ALIGNMENT,
                Kind::Handle | Kind::Freed => 0,
            },
        }
    }

    /// Makes a used stack object new without giving its buffers back.
    pub fn renew(&mut self, size: usize) {
        self.kind = Kind::Host;
        self.size = size as u64;
        self.bytes.clear();
        self.bytes.resize(size, 0);
        self.shadow.clear();
        self.base = Mark::UNWRITTEN;
        self.holds_addresses = false;
    }

    /// Gives everything back.
    pub fn free(&mut self) {
        *self = Object::opaque(Kind::Freed, 0);
    }

    /// Grows or shrinks; new bytes are unwritten.
    pub fn resize(&mut self, size: usize) {
        if size > self.bytes.len() {
            self.spread();
        }
        self.bytes.resize(size, 0);
        if !self.shadow.is_empty() {
            self.shadow.resize(size, Mark::UNWRITTEN.0);
        }
        self.size = size as u64;
    }

    /// Gives each byte its own mark.
    fn spread(&mut self) {
        if self.shadow.len() != self.bytes.len() {
            self.shadow = vec![AS_BASE; self.bytes.len()];
        }
    }

    /// The bytes from `offset` on, `len` of them, if they all exist.
    #[inline(always)]
    pub fn slice(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        self.bytes.get(start..start.checked_add(len)?)
    }

    /// Number of bytes from `offset` to the end.
    pub fn rest(&self, offset: u64) -> usize {
        (self.bytes.len() as u64).saturating_sub(offset) as usize
    }

    /// The mark of a range that exists: of several, the largest.
    #[inline(always)]
    pub fn mark(&self, offset: u64, len: usize) -> Mark {
        if self.shadow.is_empty() {
            return self.base;
        }
        self.mark_of_each(offset, len)
    }

    /// The largest mark of a range of an object whose bytes have marks of their own.
    fn mark_of_each(&self, offset: u64, len: usize) -> Mark {
        let start = offset as usize;
        let Some(range) = self.shadow.get(start..start.saturating_add(len)) else {
            return Mark::OUTSIDE;
        };
        let mut worst = Mark::KNOWN;
        for entry in range {
            worst = worst.with(self.entry_mark(*entry));
        }
        worst
    }

    #[inline(always)]
    fn entry_mark(&self, entry: u16) -> Mark {
        match entry {
            AS_BASE => self.base,
            KNOWN => Mark::KNOWN,
            other => Mark(other),
        }
    }

    /// Writes bytes and their mark. False where the range does not exist.
    #[inline(always)]
    pub fn write(&mut self, offset: u64, bytes: &[u8], mark: Mark) -> bool {
        let start = offset as usize;
        let Some(end) = start.checked_add(bytes.len()) else {
            return false;
        };
        let Some(target) = self.bytes.get_mut(start..end) else {
            return false;
        };
        target.copy_from_slice(bytes);
        self.set_mark(offset, bytes.len(), mark);
        true
    }

    /// Sets every byte of a range. False where the range does not exist.
    pub fn fill(&mut self, offset: u64, byte: u8, len: usize, mark: Mark) -> bool {
        let start = offset as usize;
        let Some(end) = start.checked_add(len) else {
            return false;
        };
        let Some(target) = self.bytes.get_mut(start..end) else {
            return false;
        };
        target.fill(byte);
        self.set_mark(offset, len, mark);
        true
    }

    /// Marks a range, cut to the bytes that exist.
    #[inline(always)]
    pub fn set_mark(&mut self, offset: u64, len: usize, mark: Mark) {
        if self.shadow.is_empty() && (self.base == mark || len == 0) {
            return;
        }
        self.set_mark_of_each(offset, len, mark);
    }

    fn set_mark_of_each(&mut self, offset: u64, len: usize, mark: Mark) {
        let start = (offset as usize).min(self.bytes.len());
        let end = start.saturating_add(len).min(self.bytes.len());
        if start == 0 && end == self.bytes.len() {
            self.shadow = Vec::new();
            self.base = mark;
            return;
        }
        self.spread();
        let entry = if mark == Mark::KNOWN { KNOWN } else { mark.0 };
        if let Some(range) = self.shadow.get_mut(start..end) {
            range.fill(entry);
        }
    }

    /// The marks of a range, one per byte.
    pub fn marks(&self, offset: u64, len: usize) -> Vec<Mark> {
        let start = offset as usize;
        match self.shadow.get(start..start.saturating_add(len)) {
            Some(range) if !self.shadow.is_empty() => {
                range.iter().map(|entry| self.entry_mark(*entry)).collect()
            }
            _ => vec![self.base; len],
        }
    }

    /// True where one mark holds for all bytes.
    pub fn is_uniform(&self) -> bool {
        self.shadow.is_empty()
    }

    /// Sets the mark of each byte from `offset` on.
    pub fn put_marks(&mut self, offset: u64, marks: &[Mark]) {
        let start = offset as usize;
        self.spread();
        if let Some(range) = self
            .shadow
            .get_mut(start..start.saturating_add(marks.len()))
        {
            for (entry, mark) in range.iter_mut().zip(marks) {
                *entry = if *mark == Mark::KNOWN { KNOWN } else { mark.0 };
            }
        }
    }
}
