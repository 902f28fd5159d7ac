//! The tables behind C's character class macros. C++ calls the functions instead, which are in `text_search`.

use super::number::is_space;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("__ctype_b_loc", |host, _| {
        table(host, b"\0ctype_b", 2, classes)
    }),
    ("__ctype_tolower_loc", |host, _| {
        table(host, b"\0ctype_tolower", 4, lower)
    }),
    ("__ctype_toupper_loc", |host, _| {
        table(host, b"\0ctype_toupper", 4, upper)
    }),
];

/// Entries before that of character 0: the tables may be indexed by a negative `char` and by end of file.
const BEFORE: u64 = 128;

/// A pointer to a pointer to the entry of character 0; made once.
fn table(
    host: &mut Host<'_>,
    name: &[u8],
    size: usize,
    entry: fn(u8) -> u32,
) -> Result<Value, Halt> {
    if let Some(address) = host.fixed_texts.get(name) {
        return Ok(Value::known(*address));
    }
    let mut bytes = Vec::new();
    for index in 0..BEFORE + 256 {
        // The entries before 0 repeat those of the upper half.
        let character = (index.wrapping_sub(BEFORE) & 0xff) as u8;
        bytes.extend(entry(character).to_le_bytes().iter().take(size));
    }
    let entries = host
        .memory
        .add(Kind::Host, bytes.len() as u64, Mark::KNOWN)?;
    host.memory.write(entries, &bytes);
    let pointer = host.memory.add(Kind::Host, 8, Mark::KNOWN)?;
    let zero = entries.wrapping_add(BEFORE * size as u64);
    host.memory.store(pointer, 8, Value::known(zero));
    host.fixed_texts.insert(name.to_vec(), pointer);
    Ok(Value::known(pointer))
}

/// The classes of a character as glibc numbers them on a little-endian machine.
fn classes(c: u8) -> u32 {
    let is = [
        (0x0001, matches!(c, b' ' | b'\t')),
        (0x0002, c.is_ascii_control()),
        (0x0004, c.is_ascii_punctuation()),
        (0x0008, c.is_ascii_alphanumeric()),
        (0x0100, c.is_ascii_uppercase()),
        (0x0200, c.is_ascii_lowercase()),
        (0x0400, c.is_ascii_alphabetic()),
        (0x0800, c.is_ascii_digit()),
        (0x1000, c.is_ascii_hexdigit()),
        (0x2000, is_space(c)),
        (0x4000, (b' '..=b'~').contains(&c)),
        (0x8000, c.is_ascii_graphic()),
    ];
    is.iter().filter(|(_, is)| *is).map(|(bit, _)| bit).sum()
}

fn lower(c: u8) -> u32 {
    u32::from(c.to_ascii_lowercase())
}

fn upper(c: u8) -> u32 {
    u32::from(c.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_glibcs() {
        // Read from glibc's table by a C program.
        assert_eq!(
            [b'A', b'7', b' ', b'\n', b'!'].map(classes),
            [0xd508, 0xd808, 0x6001, 0x2002, 0xc004]
        );
    }
}
