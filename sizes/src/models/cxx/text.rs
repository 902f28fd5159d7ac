//! A `std::string` in memory: pointer at 0, length at 8, and at 16 the capacity or up to 15 characters in place.

use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// Characters that fit in place.
const IN_PLACE: u64 = 15;

/// `address + offset`, as much of it as is known.
pub fn at(address: Value, offset: u64) -> Value {
    address.moved_to(address.bits.wrapping_add(offset))
}

/// The characters of a string.
pub fn content(host: &mut Host<'_>, string: Value) -> Result<Vec<u8>, Mark> {
    let string = string.get()?;
    let pointer = host.memory.load(string, 8);
    let length = host.memory.load(string.wrapping_add(8), 8).get()?;
    pointer.get()?;
    host.bytes(pointer, length)
}

/// Makes an empty string where nothing was one before.
pub fn begin(host: &mut Host<'_>, string: Value) {
    host.store(string, 8, at(string, 16));
    host.store(at(string, 8), 8, Value::known(0));
    host.store(at(string, 16), 1, Value::known(0));
}

/// Gives a string these characters; a longer one gets new memory, twice as much at least.
pub fn set(host: &mut Host<'_>, string: Value, text: &[u8]) -> Result<(), Halt> {
    let start = string.get()?;
    let (pointer, in_place) = (host.memory.load(start, 8), start.wrapping_add(16));
    let capacity = match pointer.get() {
        Ok(pointer) if pointer == in_place => IN_PLACE,
        _ => host.memory.load(in_place, 8).get().unwrap_or(0),
    };
    let length = text.len() as u64;
    let buffer = match pointer.get() {
        Ok(pointer) if length <= capacity => pointer,
        _ => {
            let room = length.max(capacity.saturating_mul(2));
            let size = room.saturating_add(1);
            let new = host
                .memory
                .add_or_hollow(Kind::Host, size, Mark::UNWRITTEN)?;
            if let Ok(old) = pointer.get()
                && old != in_place
            {
                host.memory.free(old);
            }
            host.store(string, 8, Value::known(new));
            host.store(at(string, 16), 8, Value::known(room));
            new
        }
    };
    host.write(Value::known(buffer), text);
    host.store(
        Value::known(buffer.wrapping_add(length)),
        1,
        Value::known(0),
    );
    host.store(at(string, 8), 8, Value::known(length));
    Ok(())
}

/// Nothing is known of a string's characters any more.
pub fn spoil(host: &mut Host<'_>, string: Value, mark: Mark) {
    let Ok(start) = string.get() else {
        return host.store_somewhere(string);
    };
    let buffer = host.memory.load(start, 8);
    host.memory.spoil(start.wrapping_add(8), 8, mark);
    if let Ok(buffer) = buffer.get() {
        host.memory.spoil(buffer, u64::MAX, mark);
        // Characters in place lie behind the length: what is spoilt is the rest of the string itself.
        if buffer == start.wrapping_add(16) {
            host.memory.store(start, 8, Value::known(buffer));
        }
    }
}

/// Gives a string what was made of known texts, or spoils it where one is not known; the string itself is the result.
pub fn give(
    host: &mut Host<'_>,
    string: Value,
    made: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    match made {
        Ok(text) => {
            set(host, string, &text)?;
            Ok(string)
        }
        Err(mark) => {
            spoil(host, string, mark);
            Ok(string)
        }
    }
}
