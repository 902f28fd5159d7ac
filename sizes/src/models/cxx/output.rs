//! `out << x`: kept for streams whose text may be asked for, dropped for all others.

use super::ios::Ios;
use super::number_format::Format;
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
        padded_bytes,
    ),
    ("_ZNSo5writeEPKcl", bytes),
    (
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        text,
    ),
    (
        "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE",
        string,
    ),
    (
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c",
        padded_character,
    ),
    ("_ZNSo3putEc", character),
    ("_ZNSolsEi", |host, args| whole(host, args, 4, true)),
    ("_ZNSolsEj", |host, args| whole(host, args, 4, false)),
    ("_ZNSolsEs", |host, args| whole(host, args, 2, true)),
    ("_ZNSolsEt", |host, args| whole(host, args, 2, false)),
    ("_ZNSolsEl", |host, args| whole(host, args, 8, true)),
    ("_ZNSolsEm", |host, args| whole(host, args, 8, false)),
    ("_ZNSolsEx", |host, args| whole(host, args, 8, true)),
    ("_ZNSolsEy", |host, args| whole(host, args, 8, false)),
    ("_ZNSo9_M_insertIlEERSoT_", |host, args| {
        whole(host, args, 8, true)
    }),
    ("_ZNSo9_M_insertImEERSoT_", |host, args| {
        whole(host, args, 8, false)
    }),
    ("_ZNSo9_M_insertIxEERSoT_", |host, args| {
        whole(host, args, 8, true)
    }),
    ("_ZNSo9_M_insertIyEERSoT_", |host, args| {
        whole(host, args, 8, false)
    }),
    ("_ZNSolsEb", truth),
    ("_ZNSo9_M_insertIbEERSoT_", truth),
    ("_ZNSolsEd", |host, args| float(host, args, false)),
    ("_ZNSolsEf", |host, args| float(host, args, true)),
    ("_ZNSo9_M_insertIdEERSoT_", |host, args| {
        float(host, args, false)
    }),
    ("_ZNSolsEPKv", unknown),
    ("_ZNSolsEe", unknown),
    ("_ZNSo9_M_insertIeEERSoT_", unknown),
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
    let whole = whole.and_then(|mut text| {
        text.extend(more?);
        Ok(text)
    });
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

/// (stream, string): where its characters lie and how many there are are its first two words.
fn string(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 1).get()?;
    let characters = host.memory.load(at, 8);
    let count = host.memory.load(at.wrapping_add(8), 8);
    padded_bytes(host, &[arg(args, 0), characters, count])
}

/// (stream, characters, how many).
fn bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let count = arg(args, 2);
    let more = count
        .get()
        .and_then(|count| host.bytes(arg(args, 1), count));
    put(host, arg(args, 0), more)
}

/// The same as `bytes`, filled up to the stream's width.
fn padded_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let count = arg(args, 2);
    let more = count
        .get()
        .and_then(|count| host.bytes(arg(args, 1), count));
    formatted(host, args, |format| Ok(format.text(&more?)))
}

fn text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = host.text(arg(args, 1));
    formatted(host, args, |format| Ok(format.text(&more?)))
}

fn character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = arg(args, 1).get().map(|byte| vec![byte as u8]);
    put(host, arg(args, 0), more)
}

fn padded_character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    formatted(host, args, |format| {
        Ok(format.text(&[arg(args, 1).get()? as u8]))
    })
}

/// Writes by the stream's fields; the width is used up by it.
fn formatted(
    host: &mut Host<'_>,
    args: &[Value],
    how: impl FnOnce(Format) -> Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    let stream = arg(args, 0);
    let Ok(ios) = Ios::of(host, stream) else {
        return Ok(stream);
    };
    let keeps = ios
        .buffer(host)
        .is_some_and(|buffer| holds_text(ios, buffer));
    if !keeps {
        return Ok(stream);
    }
    let more = Format::take(host, ios).and_then(how);
    put(host, stream, more)
}

fn whole(host: &mut Host<'_>, args: &[Value], size: u32, signed: bool) -> Result<Value, Halt> {
    formatted(host, args, |format| {
        Ok(format.whole(arg(args, 1).get()?, size, signed))
    })
}

fn truth(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    formatted(host, args, |format| {
        Ok(format.truth(arg(args, 1).get()? & 1 == 1))
    })
}

fn float(host: &mut Host<'_>, args: &[Value], single: bool) -> Result<Value, Halt> {
    formatted(host, args, |format| {
        let bits = arg(args, 1).get()?;
        let number = match single {
            true => f64::from(f32::from_bits(bits as u32)),
            false => f64::from_bits(bits),
        };
        format.float(number).ok_or(Mark::LEFT_OUT)
    })
}

/// How an address or a long double is written is not modelled.
fn unknown(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    put(host, arg(args, 0), Err(Mark::LEFT_OUT))
}
