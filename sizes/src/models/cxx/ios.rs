//! `std::ios`: state, flags, the buffer that a stream reads from; inlined code reads the same fields.

use super::open::holds_text;
use super::text::at;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::memory::Full;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::files::{Reader, Stream};
use crate::models::number::arg;
use crate::models::stdio;
use crate::models::table::Family;

/// The models of this file. Each but the first takes the `std::ios` itself.
pub const MODELS: Family = &[
    ("_ZNSt8ios_baseC1Ev", nothing),
    ("_ZNSt8ios_baseC2Ev", nothing),
    ("_ZNSt8ios_baseD1Ev", nothing),
    ("_ZNSt8ios_baseD2Ev", nothing),
    ("_ZNSt6localeC1Ev", nothing),
    ("_ZNSt6localeC2Ev", nothing),
    ("_ZNSt6localeD1Ev", nothing),
    ("_ZNSt6localeD2Ev", nothing),
    ("_ZNKSt5ctypeIcE13_M_widen_initEv", nothing),
    (
        "_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E",
        init,
    ),
    (
        "_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate",
        clear,
    ),
    (
        "_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate",
        set_state,
    ),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv",
        |host, args| has_not(host, args, BAD | FAIL),
    ),
    ("_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv", |host, args| {
        has(host, args, BAD | FAIL)
    }),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv",
        |host, args| has(host, args, BAD | FAIL),
    ),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv",
        |host, args| has_not(host, args, ALL),
    ),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv",
        |host, args| has(host, args, END),
    ),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv",
        |host, args| has(host, args, BAD),
    ),
    ("_ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv", state_of),
    (
        "_ZNKSt9basic_iosIcSt11char_traitsIcEE5widenEc",
        |_, args| Ok(arg(args, 1)),
    ),
];

/// Bits of a state.
pub const BAD: u64 = 1;
/// The end was met.
pub const END: u64 = 2;
/// Something was not there.
pub const FAIL: u64 = 4;
const ALL: u64 = 7;

/// Where the fields are.
const FLAGS: u64 = 24;
const STATE: u64 = 32;
const TIE: u64 = 216;
const BUFFER: u64 = 232;
const CHARACTERS: u64 = 240;
/// Decimal numbers, white space before them skipped.
const USUAL_FLAGS: u64 = 0x1002;
const DECIMAL: u64 = 0x2;
const HEXADECIMAL: u64 = 0x8;
const OCTAL: u64 = 0x40;
const BASES: u64 = 0x4a;

fn nothing(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(0))
}

/// Makes a fresh `std::ios` over a buffer.
pub fn start(host: &mut Host<'_>, ios: u64, buffer: u64) -> Result<(), Full> {
    let characters = characters(host)?;
    let fields = [
        (8, 8, 6),
        (16, 8, 0),
        (FLAGS, 4, USUAL_FLAGS),
        (28, 4, 0),
        (STATE, 4, if buffer == 0 { BAD } else { 0 }),
        (TIE, 8, 0),
        (224, 1, 0),
        (225, 1, 0),
        (BUFFER, 8, buffer),
        (CHARACTERS, 8, characters),
    ];
    for (offset, size, number) in fields {
        host.memory
            .store(ios.wrapping_add(offset), size, Value::known(number));
    }
    Ok(())
}

/// The facet of characters: each is itself, wide or narrow.
fn characters(host: &mut Host<'_>) -> Result<u64, Full> {
    const KEY: &[u8] = b"\0characters";
    const WIDE: u64 = 56;
    const NARROW: u64 = 313;
    if let Some(address) = host.fixed_texts.get(KEY) {
        return Ok(*address);
    }
    let address = host.memory.add(Kind::Host, 576, Mark::KNOWN)?;
    let all: Vec<u8> = (0..=255).collect();
    host.memory.write(address + WIDE, &[1]);
    host.memory.write(address + WIDE + 1, &all);
    host.memory.write(address + NARROW, &all);
    host.memory.write(address + NARROW + 256, &[1]);
    host.fixed_texts.insert(KEY.to_vec(), address);
    Ok(address)
}

/// (ios, buffer).
fn init(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (ios, buffer) = (arg(args, 0).get()?, arg(args, 1).get()?);
    // An inlined constructor leaves a buffer without characters: what an earlier stream had at this place is gone.
    let empty = |field: u64| host.memory.load(buffer.wrapping_add(field), 8) == Value::known(0);
    if holds_text(Ios(ios), buffer) && empty(8) && empty(32) {
        host.files.close(buffer);
    }
    start(host, ios, buffer)?;
    Ok(Value::known(0))
}

fn clear(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(at(arg(args, 0), STATE), 4, arg(args, 1));
    Ok(Value::known(0))
}

/// (ios, bits): comes on top of what there is.
fn set_state(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let bits = arg(args, 1).get()?;
    let ios = Ios(arg(args, 0).get()?);
    ios.add(host, bits);
    Ok(Value::known(0))
}

fn state_of(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(host.memory.load(arg(args, 0).get()?.wrapping_add(STATE), 4))
}

fn has(host: &mut Host<'_>, args: &[Value], bits: u64) -> Result<Value, Halt> {
    let state = state_of(host, args)?.get()?;
    Ok(Value::known(u64::from(state & bits != 0)))
}

fn has_not(host: &mut Host<'_>, args: &[Value], bits: u64) -> Result<Value, Halt> {
    let has = has(host, args, bits)?;
    Ok(Value::known(has.bits ^ 1))
}

/// The `std::ios` of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Ios(pub u64);

impl Ios {
    /// That of a stream, found as inlined code finds it.
    pub fn of(host: &Host<'_>, stream: Value) -> Result<Ios, Mark> {
        let start = stream.get()?;
        let table = host.memory.load(start, 8).get()?;
        let distance = host.memory.load(table.wrapping_sub(24), 8).get()?;
        Ok(Ios(start.wrapping_add(distance)))
    }

    /// Its state.
    pub fn state(self, host: &Host<'_>) -> Result<u64, Mark> {
        host.memory.load(self.0.wrapping_add(STATE), 4).get()
    }

    /// Adds bits to its state.
    pub fn add(self, host: &mut Host<'_>, bits: u64) {
        let address = self.0.wrapping_add(STATE);
        let state = host.memory.load(address, 4);
        let new = Value::made(state.bits | bits, state.mark);
        host.memory.store(address, 4, new);
    }

    /// Makes its state unknown.
    pub fn lose(self, host: &mut Host<'_>, mark: Mark) {
        host.memory.spoil(self.0.wrapping_add(STATE), 4, mark);
    }

    /// Takes bits from its state.
    pub fn remove(self, host: &mut Host<'_>, bits: u64) {
        let address = self.0.wrapping_add(STATE);
        let state = host.memory.load(address, 4);
        host.memory
            .store(address, 4, Value::made(state.bits & !bits, state.mark));
    }

    /// The base in which whole numbers are read; `None`: each number tells its own.
    pub fn base(self, host: &Host<'_>) -> Result<Option<u32>, Mark> {
        let flags = host.memory.load(self.0.wrapping_add(FLAGS), 4).get()?;
        Ok(match flags & BASES {
            DECIMAL => Some(10),
            OCTAL => Some(8),
            HEXADECIMAL => Some(16),
            0 => None,
            // More than one: as the library has it, decimal.
            _ => Some(10),
        })
    }

    /// The address of its buffer, where that is known.
    pub fn buffer(self, host: &Host<'_>) -> Option<u64> {
        host.memory.load(self.0.wrapping_add(BUFFER), 8).get().ok()
    }

    /// What it reads from; nothing for a stream that is only written.
    pub fn reader<'h>(self, host: &'h mut Host<'_>) -> Result<Option<&'h mut Reader>, Halt> {
        let buffer = host.memory.load(self.0.wrapping_add(BUFFER), 8);
        Ok(match stdio::stream(host, buffer)? {
            Stream::Reader(reader) => Some(reader),
            _ => None,
        })
    }
}
