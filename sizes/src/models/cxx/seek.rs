//! Unformatted input: single characters, blocks, lines into arrays, positions. The count of what was read lies at 8.

use super::extract::{Begun, begin, pass_space};
use super::ios::{END, FAIL, Ios};
use super::text::at;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("_ZNSi3getEv", |host, args| one(host, args, true)),
    ("_ZNSi4peekEv", |host, args| one(host, args, false)),
    ("_ZNSi3getERc", get_into),
    ("_ZNSi4readEPcl", read),
    ("_ZNSi7getlineEPclc", line),
    ("_ZNSi7getlineEPcl", |host, args| {
        let end = Value::known(b'\n'.into());
        line(host, &[arg(args, 0), arg(args, 1), arg(args, 2), end])
    }),
    (
        "_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_",
        pass_space,
    ),
    ("_ZNSi6ignoreEli", ignore),
    ("_ZNSi6ignoreEl", |host, args| {
        ignore(host, &[arg(args, 0), arg(args, 1), Value::int(NONE)])
    }),
    ("_ZNSi6ignoreEv", |host, args| {
        ignore(host, &[arg(args, 0), Value::known(1), Value::int(NONE)])
    }),
    ("_ZNSi5seekgElSt12_Ios_Seekdir", seek_from),
    ("_ZNSi5seekgESt4fposI11__mbstate_tE", |host, args| {
        seek_from(host, &[arg(args, 0), arg(args, 1), Value::int(0)])
    }),
    ("_ZNSi5tellgEv", tell),
    ("_ZNKSi6gcountEv", |host, args| {
        Ok(host.memory.load(at(arg(args, 0), COUNT).get()?, 8))
    }),
];

/// Where the count is.
const COUNT: u64 = 8;
/// No character.
const NONE: i32 = -1;

fn count(host: &mut Host<'_>, stream: Value, count: u64) {
    host.store(at(stream, COUNT), 8, Value::known(count));
}

/// The next character, taken or left; -1 at the end.
fn one(host: &mut Host<'_>, args: &[Value], take: bool) -> Result<Value, Halt> {
    let stream = arg(args, 0);
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => return Ok(Value::int(NONE)),
        Begun::Unknown(mark) => return Err(Halt::Unknown(mark)),
    };
    let next = ios.reader(host)?.and_then(|reader| match take {
        true => reader.next(),
        false => reader.peek(),
    });
    count(host, stream, u64::from(take && next.is_some()));
    match next {
        Some(byte) => Ok(Value::int(byte.into())),
        None => {
            ios.add(host, if take { END | FAIL } else { END });
            Ok(Value::int(NONE))
        }
    }
}

fn get_into(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match one(host, args, true) {
        Ok(Value { bits, .. }) if bits as u32 != NONE.cast_unsigned() => {
            host.store(arg(args, 1), 1, Value::known(bits));
        }
        Err(Halt::Unknown(mark)) => host.spoil(arg(args, 1), 1, mark),
        Err(end) => return Err(end),
        Ok(_) => {}
    }
    Ok(arg(args, 0))
}

/// (stream, where to, how many).
fn read(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (stream, to, wanted) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => {
            count(host, stream, 0);
            return Ok(stream);
        }
        Begun::Unknown(mark) => {
            host.spoil(to, wanted.get().unwrap_or(u64::MAX), mark);
            return Ok(stream);
        }
    };
    let wanted = wanted.get()?;
    let bytes = ios
        .reader(host)?
        .map_or(Vec::new(), |reader| reader.take(wanted));
    count(host, stream, bytes.len() as u64);
    if (bytes.len() as u64) < wanted {
        ios.add(host, END | FAIL);
    }
    host.write(to, &bytes);
    Ok(stream)
}

/// (stream, where to, room, end).
fn line(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (stream, to, room) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => {
            count(host, stream, 0);
            host.store(to, 1, Value::known(0));
            return Ok(stream);
        }
        Begun::Unknown(mark) => {
            host.spoil(to, room.get().unwrap_or(u64::MAX), mark);
            return Ok(stream);
        }
    };
    let (room, end) = (room.get()?, arg(args, 3).get()? as u8);
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    let (mut text, mut state, mut taken) = (Vec::new(), 0, 0);
    loop {
        match reader.peek() {
            None => state |= END,
            Some(byte) if byte == end => {
                reader.advance();
                taken += 1;
            }
            Some(_) if text.len() as u64 + 1 >= room => state |= FAIL,
            Some(byte) => {
                reader.advance();
                text.push(byte);
                taken += 1;
                continue;
            }
        }
        break;
    }
    if taken == 0 {
        state |= FAIL;
    }
    count(host, stream, taken);
    ios.add(host, state);
    text.push(0);
    host.write(to, &text);
    Ok(stream)
}

/// (stream, most, end).
fn ignore(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let stream = arg(args, 0);
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed | Begun::Unknown(_) => return Ok(stream),
    };
    let (most, end) = (arg(args, 1).get()?, arg(args, 2).as_int()?);
    let (mut taken, mut ended) = (0, false);
    if let Some(reader) = ios.reader(host)? {
        while taken < most {
            let Some(byte) = reader.next() else {
                ended = true;
                break;
            };
            taken += 1;
            if i32::from(byte) == end {
                break;
            }
        }
    }
    host.charge_bytes(taken);
    count(host, stream, taken);
    if ended {
        ios.add(host, END);
    }
    Ok(stream)
}

/// (stream, by how much, from where): the end that was met is forgotten first.
fn seek_from(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let stream = arg(args, 0);
    let ios = Ios::of(host, stream)?;
    ios.remove(host, END);
    let (by, whence) = (arg(args, 1).get()? as i64, arg(args, 2).as_int()?);
    if ios.state(host)? != 0 {
        return Ok(stream);
    }
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    let from = match whence {
        0 => 0,
        1 => reader.position(),
        _ => reader.size(),
    };
    match from.checked_add_signed(by) {
        Some(to) => reader.seek(to),
        None => ios.add(host, FAIL),
    }
    Ok(stream)
}

/// The position, with an empty state of characters; -1 where the stream failed.
fn tell(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let ios = Ios::of(host, arg(args, 0))?;
    host.second_result = Some(Value::known(0));
    if ios.state(host)? & !END != 0 {
        return Ok(Value::known(u64::MAX));
    }
    let position = ios.reader(host)?.map(|reader| reader.position());
    Ok(Value::known(position.unwrap_or(u64::MAX)))
}
