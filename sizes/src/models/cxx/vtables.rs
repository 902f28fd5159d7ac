//! How `std::istream` and its relatives lie in memory: where the parts of an object are, and the tables through which
//! inlined code finds them. Only the offsets in the tables mean anything here, not the functions.

use crate::machine::address::{library_address, library_number};
use crate::machine::host::Host;
use crate::machine::mark::Mark;
use crate::machine::memory::Full;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::files::Stream;

/// A class of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Mangled name of the class, as its table's name ends.
    pub class: &'static str,
    /// From the object to its `std::ios`.
    pub ios: u64,
    /// From the object to its buffer.
    pub buffer: u64,
    /// From the object to its `std::ostream`, where that is not at its start.
    pub output: u64,
}

const fn layout(class: &'static str, ios: u64, buffer: u64, output: u64) -> Layout {
    Layout {
        class,
        ios,
        buffer,
        output,
    }
}

/// All of them, of 64-bit libstdc++ with the string of C++11.
pub const LAYOUTS: [Layout; 6] = [
    layout("St14basic_ifstreamIcSt11char_traitsIcEE", 256, 16, 0),
    layout("St14basic_ofstreamIcSt11char_traitsIcEE", 248, 8, 0),
    layout("St13basic_fstreamIcSt11char_traitsIcEE", 264, 24, 16),
    layout(
        "NSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEE",
        120,
        16,
        0,
    ),
    layout(
        "NSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE",
        112,
        8,
        0,
    ),
    layout(
        "NSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEE",
        128,
        24,
        16,
    ),
];

/// From `std::cin` to its `std::ios`.
const INPUT: u64 = 16;

/// In a table: the distance to the virtual base lies this far before the address that objects point to.
const BASE_DISTANCE: u64 = 24;

/// Tables that are the library's, filled in where a program names them.
pub fn fill(host: &mut Host<'_>, name: &str, address: u64) -> Result<(), Full> {
    for layout in LAYOUTS {
        if name.strip_prefix("_ZTV") == Some(layout.class) {
            put(host, address, layout.ios);
            if layout.output > 0 {
                put(host, address + 40, layout.ios - layout.output);
            }
        } else if name.strip_prefix("_ZTT") == Some(layout.class) {
            fill_table_of_tables(host, &layout, address)?;
        }
    }
    match name {
        _ if BUFFERS.contains(&name) => {
            fill_buffers(host, address);
            Ok(())
        }
        "_ZSt3cin" => start_standard(host, address, INPUT),
        "_ZSt4cout" | "_ZSt4cerr" | "_ZSt4clog" => start_standard(host, address, 8),
        _ => Ok(()),
    }
}

fn put(host: &mut Host<'_>, address: u64, number: u64) {
    host.memory.store(address, 8, Value::known(number));
}

/// The address that an object with a virtual base so far away points to.
pub fn table(host: &mut Host<'_>, distance: u64) -> Result<u64, Full> {
    let key = format!("\0table {distance}").into_bytes();
    if let Some(address) = host.fixed_texts.get(&key) {
        return Ok(address + BASE_DISTANCE);
    }
    let address = host.memory.add(Kind::Host, 64, Mark::KNOWN)?;
    put(host, address, distance);
    host.fixed_texts.insert(key, address);
    Ok(address + BASE_DISTANCE)
}

/// The table of the library's exceptions: description, two destructors, `what`.
pub fn of_exceptions(host: &mut Host<'_>) -> Result<u64, Full> {
    let key = b"\0table of exceptions".to_vec();
    if let Some(address) = host.fixed_texts.get(&key) {
        return Ok(address + 16);
    }
    let address = host.memory.add(Kind::Host, 40, Mark::KNOWN)?;
    for (offset, member) in [(16, GONE), (24, GONE), (32, WHAT)] {
        put(host, address + offset, library_address(member));
    }
    host.fixed_texts.insert(key, address);
    Ok(address + 16)
}

/// Functions of the library that tables lead to, by number.
const MEMBERS: [&str; 5] = [
    "_ZNSt9exceptionD1Ev",
    "_ZNKSt9exception4whatEv",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv",
    "_ZNSt15basic_streambufIcSt11char_traitsIcEE5uflowEv",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE6xsgetnEPcl",
];
const GONE: u64 = 0;
const WHAT: u64 = 1;
/// Of a buffer: where its table has the function, and its number.
const OF_BUFFERS: [(u64, u64); 5] = [(0, GONE), (1, GONE), (8, 4), (9, 2), (10, 3)];
/// Tables of buffers that a program may name.
const BUFFERS: [&str; 3] = [
    "_ZTVSt13basic_filebufIcSt11char_traitsIcEE",
    "_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE",
    "_ZTVSt15basic_streambufIcSt11char_traitsIcEE",
];

fn fill_buffers(host: &mut Host<'_>, table: u64) {
    for (slot, member) in OF_BUFFERS {
        put(host, table + 16 + 8 * slot, library_address(member));
    }
}

/// The table of a stream's buffer, as objects point to it.
pub fn of_buffers(host: &mut Host<'_>) -> Result<u64, Full> {
    let key = b"\0table of buffers".to_vec();
    if let Some(address) = host.fixed_texts.get(&key) {
        return Ok(address + 16);
    }
    let address = host.memory.add(Kind::Host, 128, Mark::KNOWN)?;
    fill_buffers(host, address);
    host.fixed_texts.insert(key, address);
    Ok(address + 16)
}

/// The function of the library at an address.
pub fn library_function(address: u64) -> Option<&'static str> {
    let number = library_number(address)?;
    MEMBERS.get(usize::try_from(number).ok()?).copied()
}

/// Which of the tables in a table of tables are of an `std::ios`, and of an `std::ostream` inside a larger object.
fn fill_table_of_tables(host: &mut Host<'_>, layout: &Layout, address: u64) -> Result<(), Full> {
    let (count, output): (u64, &[u64]) = match layout.output {
        0 => (4, &[]),
        _ => (10, &[4, 7, 9]),
    };
    for index in 0..count {
        let distance = match output.contains(&index) {
            true => layout.ios - layout.output,
            false => layout.ios,
        };
        let table = table(host, distance)?;
        put(host, address + 8 * index, table);
    }
    Ok(())
}

/// `std::cin` and its relatives exist before the program; what is read from them is not known.
fn start_standard(host: &mut Host<'_>, address: u64, ios: u64) -> Result<(), Full> {
    host.memory.spoil(address, u64::MAX, Mark::KNOWN);
    let table = table(host, ios)?;
    put(host, address, table);
    super::ios::start(host, address + ios, address)?;
    if ios == INPUT {
        let stream = Stream::Hidden("standard input".to_owned());
        host.files.insert(address, stream);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_behind_each_other() {
        for layout in LAYOUTS {
            assert!(layout.output < layout.buffer && layout.buffer < layout.ios);
            let buffer = if layout.class.contains("fstream") {
                240
            } else {
                104
            };
            assert_eq!(layout.buffer + buffer, layout.ios, "{}", layout.class);
        }
    }
}
