//! `out << x`: kept for streams whose text may be asked for, dropped for all others.

use super::ios::Ios;
use super::open::{holds_text, mirror};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::files::{Reader, Stream};
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file. Each gives the stream back.
pub const MODELS: Family = &[
    (
        "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
        bytes,
    ),
    ("_ZNSo5writeEPKcl", bytes),
    (
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        text,
    ),
    (
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c",
        character,
    ),
    ("_ZNSo3putEc", character),
    ("_ZNSolsEi", |host, args| {
        number(host, args, |bits| i64::from(bits as i32).to_string())
    }),
    ("_ZNSolsEj", |host, args| {
        number(host, args, |bits| (bits as u32).to_string())
    }),
    ("_ZNSolsEs", |host, args| {
        number(host, args, |bits| i64::from(bits as i16).to_string())
    }),
    ("_ZNSolsEt", |host, args| {
        number(host, args, |bits| (bits as u16).to_string())
    }),
    ("_ZNSolsEl", |host, args| {
        number(host, args, |bits| (bits as i64).to_string())
    }),
    ("_ZNSolsEm", |host, args| {
        number(host, args, |bits| bits.to_string())
    }),
    ("_ZNSolsEx", |host, args| {
        number(host, args, |bits| (bits as i64).to_string())
    }),
    ("_ZNSolsEy", |host, args| {
        number(host, args, |bits| bits.to_string())
    }),
    ("_ZNSolsEb", |host, args| {
        number(host, args, |bits| (bits & 1).to_string())
    }),
    ("_ZNSolsEd", unknown),
    ("_ZNSolsEf", unknown),
    ("_ZNSolsEPKv", unknown),
    ("_ZNSo9_M_insertIlEERSoT_", |host, args| {
        number(host, args, |bits| (bits as i64).to_string())
    }),
    ("_ZNSo9_M_insertImEERSoT_", |host, args| {
        number(host, args, |bits| bits.to_string())
    }),
    ("_ZNSo9_M_insertIxEERSoT_", |host, args| {
        number(host, args, |bits| (bits as i64).to_string())
    }),
    ("_ZNSo9_M_insertIyEERSoT_", |host, args| {
        number(host, args, |bits| bits.to_string())
    }),
    ("_ZNSo9_M_insertIbEERSoT_", |host, args| {
        number(host, args, |bits| (bits & 1).to_string())
    }),
    ("_ZNSo9_M_insertIdEERSoT_", unknown),
    ("_ZNSo9_M_insertIPKvEERSoT_", unknown),
    (
        "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
        |host, args| put(host, arg(args, 0), Ok(b"\n".to_vec())),
    ),
];

/// Adds to the text of a stream of characters; other streams go nowhere.
fn put(host: &mut Host<'_>, stream: Value, more: Result<Vec<u8>, Mark>) -> Result<Value, Halt> {
    let Ok(ios) = Ios::of(host, stream) else {
        return Ok(stream);
    };
    let Some(buffer) = ios.buffer(host) else {
        return Ok(stream);
    };
    if !holds_text(ios, buffer) {
        return Ok(stream);
    }
    let whole = match host.files.get(buffer) {
        Some(Stream::Reader(reader)) => reader.text().ok_or(Mark::LEFT_OUT),
        Some(_) => Err(Mark::LEFT_OUT),
        None => Ok(Vec::new()),
    };
    let whole = match ios.writes_plainly(host) {
        true => whole.and_then(|mut text| {
            text.extend(more?);
            Ok(text)
        }),
        false => Err(Mark::LEFT_OUT),
    };
    mirror(host, buffer, whole.as_deref().map_err(|mark| *mark))?;
    match (host.files.get(buffer), whole) {
        // What was read of it stays read.
        (Some(Stream::Reader(reader)), Ok(whole)) => reader.replace(whole),
        (_, Ok(whole)) => {
            host.files
                .insert(buffer, Stream::Reader(Reader::of_text(whole)));
        }
        (_, Err(_)) => {
            host.files.close(buffer);
            let name = "a text made of what is not known".to_owned();
            host.files.insert(buffer, Stream::Hidden(name));
        }
    }
    Ok(stream)
}

/// (stream, characters, how many).
fn bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let count = arg(args, 2);
    let more = count
        .get()
        .and_then(|count| host.bytes(arg(args, 1), count));
    put(host, arg(args, 0), more)
}

fn text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = host.text(arg(args, 1));
    put(host, arg(args, 0), more)
}

fn character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = arg(args, 1).get().map(|byte| vec![byte as u8]);
    put(host, arg(args, 0), more)
}

fn number(host: &mut Host<'_>, args: &[Value], how: fn(u64) -> String) -> Result<Value, Halt> {
    let more = arg(args, 1).get().map(|bits| how(bits).into_bytes());
    put(host, arg(args, 0), more)
}

/// How a floating-point number or an address is written is not modelled.
fn unknown(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    put(host, arg(args, 0), Err(Mark::LEFT_OUT))
}
