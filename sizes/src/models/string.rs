//! libstdc++'s `std::string` in memory, in the form that C++11 brought: a pointer, a length, and then either room for
//! 15 characters or the capacity of what it points to. Its members are in `string_members`.

use super::cxx::exceptions::thrown_by_model;
use super::number::arg;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// Characters that fit the string itself.
const LOCAL: u64 = 15;
/// The most that `max_size` gives.
const MOST: u64 = (i64::MAX / 2) as u64;
/// Bytes of a string object.
const SIZE: u64 = 32;
/// A string whose fields are known.
#[derive(Clone, Copy)]
pub(super) struct Text {
    /// Address of the string.
    pub(super) at: u64,
    /// Address of its characters.
    pub(super) data: u64,
    /// How many.
    pub(super) len: u64,
    /// For how many there is room.
    pub(super) capacity: u64,
}

/// What is put into a string.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    Copied { from: Value, len: u64 },
    Filled { byte: Value, len: u64 },
}

impl Piece {
    /// No characters.
    pub(super) const NOTHING: Piece = Piece::Filled {
        byte: Value::known(0),
        len: 0,
    };

    pub(super) fn len(self) -> u64 {
        match self {
            Piece::Copied { len, .. } | Piece::Filled { len, .. } => len,
        }
    }

    fn put(self, host: &mut Host<'_>, to: u64) {
        let (to, len) = (Value::known(to), Value::known(self.len()));
        match self {
            Piece::Copied { from, .. } => host.copy(to, from, len),
            Piece::Filled { byte, .. } => host.set(to, byte, len),
        }
    }
}

impl Text {
    pub(super) fn read(host: &Host<'_>, at: Value) -> Result<Text, Mark> {
        let at = at.get()?;
        let field = |offset| host.memory.load(at.wrapping_add(offset), 8).get();
        let (data, len) = (field(0)?, field(8)?);
        let capacity = if data == local(at) { LOCAL } else { field(16)? };
        Ok(Text {
            at,
            data,
            len,
            capacity,
        })
    }

    pub(super) fn bytes(self, host: &mut Host<'_>) -> Result<Vec<u8>, Mark> {
        host.bytes(Value::known(self.data), self.len)
    }

    /// Gives the characters back and takes others.
    fn point_to(&mut self, host: &mut Host<'_>, data: u64, capacity: u64) {
        if self.data != local(self.at) {
            host.memory.free(self.data);
        }
        (self.data, self.capacity) = (data, capacity);
        host.memory.store(self.at, 8, Value::known(data));
        host.memory
            .store(self.at.wrapping_add(16), 8, Value::known(capacity));
    }

    pub(super) fn set_len(&mut self, host: &mut Host<'_>, len: u64) {
        self.len = len;
        host.memory
            .store(self.at.wrapping_add(8), 8, Value::known(len));
        host.memory
            .store(self.data.wrapping_add(len), 1, Value::known(0));
    }

    /// Puts a piece where `erased` characters from `start` on were; their number is cut to what is there.
    pub(super) fn splice(
        &mut self,
        host: &mut Host<'_>,
        start: u64,
        erased: u64,
        piece: Piece,
    ) -> Result<(), Halt> {
        if start > self.len {
            return Err(thrown_by_model(host, "St12out_of_range"));
        }
        let erased = erased.min(self.len - start);
        let len = (self.len - erased).saturating_add(piece.len());
        let fits = len <= self.capacity;
        if fits && !self.shares(host, piece) {
            let behind = start + erased;
            host.copy(
                Value::known(self.data.wrapping_add(start + piece.len())),
                Value::known(self.data.wrapping_add(behind)),
                Value::known(self.len - behind),
            );
            piece.put(host, self.data.wrapping_add(start));
        } else {
            let capacity = if fits {
                self.capacity
            } else {
                grown(host, len, self.capacity)?
            };
            self.rebuild(host, start, erased, piece, capacity)?;
        }
        self.set_len(host, len);
        Ok(())
    }

    /// Whether the piece lies in this string.
    fn shares(self, host: &Host<'_>, piece: Piece) -> bool {
        let start = |address| host.memory.start_of(address);
        matches!(piece, Piece::Copied { from, .. } if start(from.bits) == start(self.data))
    }

    /// The same in new memory of this capacity; the length stays to be set.
    pub(super) fn rebuild(
        &mut self,
        host: &mut Host<'_>,
        start: u64,
        erased: u64,
        piece: Piece,
        capacity: u64,
    ) -> Result<(), Halt> {
        let new = new_characters(host, capacity)?;
        let behind = start + erased;
        host.memory.copy(new, self.data, start);
        piece.put(host, new.wrapping_add(start));
        host.charge_bytes(self.len);
        host.memory.copy(
            new.wrapping_add(start + piece.len()),
            self.data.wrapping_add(behind),
            self.len.saturating_sub(behind),
        );
        self.point_to(host, new, capacity);
        Ok(())
    }
}

pub(super) fn local(at: u64) -> u64 {
    at.wrapping_add(16)
}

pub(super) fn new_characters(host: &mut Host<'_>, capacity: u64) -> Result<u64, Halt> {
    let size = capacity.saturating_add(1);
    Ok(host.memory.add(Kind::Host, size, Mark::UNWRITTEN)?)
}

/// The capacity that a string takes when it needs `wanted`: at least twice the old one when it grows.
pub(super) fn grown(host: &mut Host<'_>, wanted: u64, old: u64) -> Result<u64, Halt> {
    if wanted > MOST {
        return Err(thrown_by_model(host, "St12length_error"));
    }
    let doubled = old.saturating_mul(2).min(MOST);
    Ok(if wanted > old {
        wanted.max(doubled)
    } else {
        wanted
    })
}

/// Runs a change; where it cannot be followed, the string and its characters become unknown. Gives the string.
pub(super) fn changed(
    host: &mut Host<'_>,
    args: &[Value],
    change: impl FnOnce(&mut Host<'_>, Text) -> Result<(), Halt>,
) -> Result<Value, Halt> {
    let this = arg(args, 0);
    let text = Text::read(host, this).map_err(Halt::from);
    match text.and_then(|text| change(host, text)) {
        Err(Halt::Unknown(mark)) => {
            if let Ok(text) = Text::read(host, this) {
                host.memory.spoil_object(text.data, mark);
            }
            host.spoil(this, SIZE, mark);
            Ok(this)
        }
        Err(end) => Err(end),
        Ok(()) => Ok(this),
    }
}
