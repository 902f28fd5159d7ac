//! Streams made, opened and closed: files by their names, texts by their characters. A stream's buffer is its handle.

use super::ios::{self, FAIL, Ios};
use super::text::{begin, content, give};
use super::vtables::{self, LAYOUTS, Layout};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::value::Value;
use crate::models::files::{Reader, Stream};
use crate::models::number::arg;
use crate::models::table::Family;

macro_rules! of_string {
    ($head:literal, $tail:literal) => {
        concat!("_ZNSt7__cxx11", $head, "IcSt11char_traitsIcESaIcEE", $tail)
    };
}
macro_rules! file {
    ($head:literal, $tail:literal) => {
        concat!("_ZNSt", $head, "IcSt11char_traitsIcEE", $tail)
    };
}

/// The models of this file.
pub const MODELS: Family = &[
    (file!("13basic_filebuf", "C1Ev"), new_buffer),
    (file!("13basic_filebuf", "C2Ev"), new_buffer),
    (file!("13basic_filebuf", "D1Ev"), gone),
    (file!("13basic_filebuf", "D2Ev"), gone),
    (file!("13basic_filebuf", "5closeEv"), close),
    (file!("13basic_filebuf", "4openEPKcSt13_Ios_Openmode"), open),
    ("_ZNKSt12__basic_fileIcE7is_openEv", is_open_file),
    ("_ZNSt12__basic_fileIcED1Ev", |_, _| Ok(Value::known(0))),
    (file!("14basic_ifstream", "C1Ev"), |host, args| {
        made(host, args, &LAYOUTS[0])
    }),
    (
        file!("14basic_ifstream", "C1EPKcSt13_Ios_Openmode"),
        |host, args| named(host, args, &LAYOUTS[0], IN),
    ),
    (
        file!(
            "14basic_ifstream",
            "C1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode"
        ),
        |host, args| named_by_string(host, args, &LAYOUTS[0], IN),
    ),
    (file!("14basic_ifstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[0])
    }),
    (file!("14basic_ifstream", "D2Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[0])
    }),
    (
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE5closeEv",
        |host, args| close_with(host, args, &LAYOUTS[0]),
    ),
    (
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv",
        |host, args| is_open(host, args, &LAYOUTS[0]),
    ),
    (
        "_ZNKSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv",
        |host, args| is_open(host, args, &LAYOUTS[0]),
    ),
    (file!("14basic_ofstream", "C1Ev"), |host, args| {
        made(host, args, &LAYOUTS[1])
    }),
    (
        file!("14basic_ofstream", "C1EPKcSt13_Ios_Openmode"),
        |host, args| named(host, args, &LAYOUTS[1], OUT),
    ),
    (
        file!(
            "14basic_ofstream",
            "C1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode"
        ),
        |host, args| named_by_string(host, args, &LAYOUTS[1], OUT),
    ),
    (file!("14basic_ofstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[1])
    }),
    (file!("14basic_ofstream", "D2Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[1])
    }),
    (file!("13basic_fstream", "C1Ev"), |host, args| {
        made(host, args, &LAYOUTS[2])
    }),
    (
        file!("13basic_fstream", "C1EPKcSt13_Ios_Openmode"),
        |host, args| named(host, args, &LAYOUTS[2], 0),
    ),
    (
        file!(
            "13basic_fstream",
            "C1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode"
        ),
        |host, args| named_by_string(host, args, &LAYOUTS[2], 0),
    ),
    (file!("13basic_fstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[2])
    }),
    (file!("13basic_fstream", "D2Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[2])
    }),
    (of_string!("19basic_istringstream", "C1Ev"), |host, args| {
        made_empty(host, args, &LAYOUTS[3])
    }),
    (
        of_string!(
            "19basic_istringstream",
            "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode"
        ),
        |host, args| made_of_string(host, args, &LAYOUTS[3]),
    ),
    (of_string!("19basic_istringstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[3])
    }),
    (of_string!("19basic_ostringstream", "C1Ev"), |host, args| {
        made_empty(host, args, &LAYOUTS[4])
    }),
    (of_string!("19basic_ostringstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[4])
    }),
    (of_string!("18basic_stringstream", "C1Ev"), |host, args| {
        made_empty(host, args, &LAYOUTS[5])
    }),
    (
        of_string!(
            "18basic_stringstream",
            "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode"
        ),
        |host, args| made_of_string(host, args, &LAYOUTS[5]),
    ),
    (of_string!("18basic_stringstream", "D1Ev"), |host, args| {
        gone_with(host, args, &LAYOUTS[5])
    }),
    (of_string!("15basic_stringbuf", "7_M_syncEPcmm"), sync),
    (
        "_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv",
        text_of_buffer,
    ),
];

/// Bits of an open mode.
const AT_END: u64 = 2;
const IN: u64 = 8;
const OUT: u64 = 16;
const TRUNCATE: u64 = 32;

/// Field of a string's buffer: the length of the string in it.
const TEXT_LENGTH: u64 = 80;
/// From a file's buffer to the file in it.
const FILE: u64 = 104;

fn new_buffer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let buffer = arg(args, 0).get()?;
    host.files.close(buffer);
    let table = vtables::of_buffers(host)?;
    host.memory.store(buffer, 8, Value::known(table));
    no_room(host, buffer);
    Ok(Value::known(0))
}

/// Nothing is read ahead: inlined code that wants a character asks for each.
fn no_room(host: &mut Host<'_>, buffer: u64) {
    for field in 1..=6 {
        host.memory
            .store(buffer.wrapping_add(8 * field), 8, Value::known(0));
    }
}

fn gone(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_buffer(host, args)
}

/// The buffer, or null where nothing was open.
fn close(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let buffer = arg(args, 0).get()?;
    let was_open = host.files.close(buffer);
    Ok(Value::known(if was_open { buffer } else { 0 }))
}

/// (buffer, name, mode): the buffer, or null.
fn open(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.text(arg(args, 1))?;
    let opened = open_named(host, arg(args, 0), &name, arg(args, 2))?;
    Ok(if opened {
        arg(args, 0)
    } else {
        Value::known(0)
    })
}

/// Opens a file under a buffer's address; one that is open already stays.
fn open_named(host: &mut Host<'_>, buffer: Value, name: &[u8], mode: Value) -> Result<bool, Halt> {
    let (buffer, mode) = (buffer.get()?, mode.get()?);
    if host.files.get(buffer).is_some() {
        return Ok(false);
    }
    let path = String::from_utf8_lossy(name).into_owned();
    // A file that is read and written keeps what is in it; what is written there is not seen.
    let writes = mode & (OUT | TRUNCATE) != 0;
    match host.files.open(&path, if writes { "w" } else { "r" }) {
        Ok(mut stream) => {
            if let (Stream::Reader(reader), true) = (&mut stream, mode & AT_END != 0) {
                reader.seek(reader.size());
            }
            host.files.insert(buffer, stream);
            Ok(true)
        }
        Err(reason) => {
            host.notes.missing_files.insert(path, reason);
            Ok(false)
        }
    }
}

fn is_open_file(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let buffer = arg(args, 0).get()?.wrapping_sub(FILE);
    Ok(Value::known(u64::from(host.files.get(buffer).is_some())))
}

/// Makes a stream's tables and state; gives its buffer.
fn begun(host: &mut Host<'_>, stream: Value, layout: &Layout) -> Result<Value, Halt> {
    let start = stream.get()?;
    let table = vtables::table(host, layout.ios)?;
    host.memory.store(start, 8, Value::known(table));
    if layout.output > 0 {
        let table = vtables::table(host, layout.ios - layout.output)?;
        host.memory
            .store(start.wrapping_add(layout.output), 8, Value::known(table));
    }
    let buffer = start.wrapping_add(layout.buffer);
    host.files.close(buffer);
    let table = vtables::of_buffers(host)?;
    host.memory.store(buffer, 8, Value::known(table));
    no_room(host, buffer);
    ios::start(host, start.wrapping_add(layout.ios), buffer)?;
    Ok(Value::known(buffer))
}

fn made(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    begun(host, arg(args, 0), layout)?;
    Ok(Value::known(0))
}

/// (stream, name, mode).
fn named(host: &mut Host<'_>, args: &[Value], layout: &Layout, mode: u64) -> Result<Value, Halt> {
    let name = host.text(arg(args, 1));
    opened(host, args, name, layout, mode)
}

fn named_by_string(
    host: &mut Host<'_>,
    args: &[Value],
    layout: &Layout,
    mode: u64,
) -> Result<Value, Halt> {
    let name = content(host, arg(args, 1));
    opened(host, args, name, layout, mode)
}

fn opened(
    host: &mut Host<'_>,
    args: &[Value],
    name: Result<Vec<u8>, Mark>,
    layout: &Layout,
    mode: u64,
) -> Result<Value, Halt> {
    let buffer = begun(host, arg(args, 0), layout)?;
    let ios = Ios(arg(args, 0).get()?.wrapping_add(layout.ios));
    match name {
        Ok(name) => {
            let mode = Value::made(arg(args, 2).bits | mode, arg(args, 2).mark);
            if !open_named(host, buffer, &name, mode)? {
                ios.add(host, FAIL);
            }
        }
        Err(mark) => ios.lose(host, mark),
    }
    Ok(Value::known(0))
}

fn gone_with(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    host.files
        .close(arg(args, 0).get()?.wrapping_add(layout.buffer));
    Ok(Value::known(0))
}

fn close_with(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    let start = arg(args, 0).get()?;
    if !host.files.close(start.wrapping_add(layout.buffer)) {
        Ios(start.wrapping_add(layout.ios)).add(host, FAIL);
    }
    Ok(Value::known(0))
}

fn is_open(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    let buffer = arg(args, 0).get()?.wrapping_add(layout.buffer);
    Ok(Value::known(u64::from(host.files.get(buffer).is_some())))
}

fn made_empty(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    let buffer = begun(host, arg(args, 0), layout)?;
    hold(host, buffer, Ok(Vec::new()))
}

/// (stream, string, mode).
fn made_of_string(host: &mut Host<'_>, args: &[Value], layout: &Layout) -> Result<Value, Halt> {
    let text = content(host, arg(args, 1));
    let buffer = begun(host, arg(args, 0), layout)?;
    hold(host, buffer, text)
}

/// A buffer that holds a text.
fn hold(host: &mut Host<'_>, buffer: Value, text: Result<Vec<u8>, Mark>) -> Result<Value, Halt> {
    let address = buffer.get()?;
    host.files.close(address);
    mirror(host, address, text.as_deref().map_err(|mark| *mark))?;
    let stream = match text {
        Ok(text) => Stream::Reader(Reader::of_text(text)),
        Err(_) => Stream::Hidden("a text that is not known".to_owned()),
    };
    host.files.insert(address, stream);
    Ok(Value::known(0))
}

/// From a string's buffer to its `std::ios`.
const TO_IOS: u64 = 104;

/// Whether the buffer of a stream holds a text: it lies just before the `std::ios`, which a file's does not.
pub fn holds_text(ios: Ios, buffer: u64) -> bool {
    ios.0.wrapping_sub(buffer) == TO_IOS
}

/// Sets the six pointers of a buffer around its text, for inlined code that makes a string of what lies between them.
pub fn mirror(host: &mut Host<'_>, buffer: u64, text: Result<&[u8], Mark>) -> Result<(), Halt> {
    match text {
        Ok(text) => {
            let start = host.new_text(text)?;
            let end = start.wrapping_add(text.len() as u64);
            // What is read is asked for, character by character: the place in the text is not kept here.
            for (offset, pointer) in [
                (8, start),
                (16, start),
                (24, start),
                (32, start),
                (40, end),
                (48, end),
            ] {
                host.memory
                    .store(buffer.wrapping_add(offset), 8, Value::known(pointer));
            }
        }
        Err(mark) => host.memory.spoil(buffer.wrapping_add(8), 48, mark),
    }
    Ok(())
}

/// (buffer, characters, ...): the string in the buffer was changed, and is read from its start.
fn sync(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let buffer = arg(args, 0);
    let length = host.memory.load(buffer.get()?.wrapping_add(TEXT_LENGTH), 8);
    let text = length
        .get()
        .and_then(|length| host.bytes(arg(args, 1), length));
    hold(host, buffer, text)
}

/// (result, buffer): a string with all that the buffer holds.
fn text_of_buffer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let buffer = arg(args, 1).get()?;
    begin(host, arg(args, 0));
    let text = match host.files.get(buffer) {
        Some(Stream::Reader(reader)) => reader.text(),
        _ => None,
    };
    let unknown = || Source::File("a stream of characters".to_owned());
    let text = match text {
        Some(text) => Ok(text),
        None => Err(host.mark(unknown())),
    };
    give(host, arg(args, 0), text)
}
