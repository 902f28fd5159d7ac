//! Characters that inlined code asks a stream's buffer for, through its table: one at a time, or some.

use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use crate::models::files::Stream;
use crate::models::number::arg;
use crate::models::stdio::stream;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    (
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv",
        |host, args| next(host, args, false),
    ),
    (
        "_ZNSt15basic_streambufIcSt11char_traitsIcEE5uflowEv",
        |host, args| next(host, args, true),
    ),
    (
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE6xsgetnEPcl",
        next_bytes,
    ),
];

/// (buffer): the next character, taken or left; -1 at the end.
fn next(host: &mut Host<'_>, args: &[Value], take: bool) -> Result<Value, Halt> {
    let byte = match stream(host, arg(args, 0))? {
        Stream::Reader(reader) if take => reader.next(),
        Stream::Reader(reader) => reader.peek(),
        _ => None,
    };
    Ok(Value::int(byte.map_or(-1, i32::from)))
}

/// (buffer, where to, how many).
fn next_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let wanted = arg(args, 2).get()?;
    let mut bytes = Vec::new();
    if let Stream::Reader(reader) = stream(host, arg(args, 0))? {
        while (bytes.len() as u64) < wanted
            && let Some(byte) = reader.next()
        {
            bytes.push(byte);
        }
    }
    host.write(arg(args, 1), &bytes);
    Ok(Value::known(bytes.len() as u64))
}
