//! `std::filesystem::path` in memory, as libstdc++ lays it out: the text as a `std::string`, behind it the parts, which
//! inlined code walks over. A pointer to the parts with the path's kind in its lowest bits; each part is a path and a
//! position. Knows no file.

use super::text::{self, at, begin, content, set};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

macro_rules! path {
    ($head:literal, $tail:literal) => {
        concat!($head, "St10filesystem7__cxx114path", $tail)
    };
}

/// The models of this file.
pub const MODELS: Family = &[
    (path!("_ZN", "14_M_split_cmptsEv"), split),
    (path!("_ZN", "5_ListC1Ev"), |host, args| {
        host.store(arg(args, 0), 8, Value::known(NAME));
        Ok(Value::known(0))
    }),
    (path!("_ZN", "5_ListC1ERKS2_"), copy_list),
    (
        path!("_ZNK", "5_List13_Impl_deleterclEPNS2_5_ImplE"),
        |_, _| Ok(Value::known(0)),
    ),
    (path!("_ZNK", "5_List5beginEv"), |host, args| {
        list_end(host, args, false)
    }),
    (path!("_ZNK", "5_List3endEv"), |host, args| {
        list_end(host, args, true)
    }),
    (path!("_ZNK", "17_M_find_extensionEv"), find_extension),
    (path!("_ZNK", "11parent_pathEv"), |host, args| {
        made(host, args, |text| parent(text).to_vec())
    }),
    (path!("_ZN", "17replace_extensionERKS1_"), replace_extension),
    (path!("_ZN", "dVERKS1_"), append_path),
    (
        path!(
            "_ZN",
            "9_M_appendESt17basic_string_viewIcSt11char_traitsIcEE"
        ),
        append_view,
    ),
    (
        path!(
            "_ZN",
            "9_M_concatESt17basic_string_viewIcSt11char_traitsIcEE"
        ),
        concat_view,
    ),
    (path!("_ZN", "pLERKS1_"), concat_path),
    (path!("_ZN", "aSERKS1_"), assign),
    (path!("_ZN", "aSEOS1_"), assign),
    (path!("_ZNK", "7compareERKS1_"), compare),
    (path!("_ZN", "15remove_filenameEv"), |host, args| {
        changed(host, arg(args, 0), |text| {
            text[..name_start(&text)].to_vec()
        })
    }),
];

/// Kinds of a path, in the lowest bits of the pointer to its parts.
const ROOT: u64 = 2;
const NAME: u64 = 3;
/// From a path to the pointer.
const PARTS: u64 = 32;
/// Size of a part: a path and its position.
const PART: u64 = 48;
/// Before the parts: how many there are, and room for how many.
const COUNTS: u64 = 8;

/// Makes a path where nothing was one.
pub fn make(
    host: &mut Host<'_>,
    path: Value,
    content: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    begin(host, path);
    put(host, path, content)
}

/// Gives a path another text.
fn put(host: &mut Host<'_>, path: Value, content: Result<Vec<u8>, Mark>) -> Result<Value, Halt> {
    match content {
        Ok(text) => {
            set(host, path, &text)?;
            put_parts(host, path, &text)?;
        }
        Err(mark) => {
            text::spoil(host, path, mark);
            host.store(at(path, PARTS), 8, Value::unknown(mark));
        }
    }
    Ok(path)
}

/// (result, path).
fn made(host: &mut Host<'_>, args: &[Value], how: fn(&[u8]) -> Vec<u8>) -> Result<Value, Halt> {
    let text = content(host, arg(args, 1)).map(|text| how(&text));
    make(host, arg(args, 0), text)
}

fn changed(
    host: &mut Host<'_>,
    path: Value,
    how: impl FnOnce(Vec<u8>) -> Vec<u8>,
) -> Result<Value, Halt> {
    let text = content(host, path).map(how);
    put(host, path, text)
}

/// The parts of a text with their positions; an empty name at the end where it ends in a slash.
fn parts(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut all = Vec::new();
    if text.first() == Some(&b'/') {
        all.push((0, &text[..1]));
    }
    let mut start = 0;
    for (index, byte) in text.iter().chain(b"/").enumerate() {
        if *byte == b'/' {
            if index > start {
                all.push((start, &text[start..index]));
            }
            start = index + 1;
        }
    }
    if text.len() > 1 && text.last() == Some(&b'/') && all.len() > usize::from(text[0] == b'/') {
        all.push((text.len(), &text[text.len()..]));
    }
    all
}

fn kind(text: &[u8]) -> Option<u64> {
    match parts(text).as_slice() {
        [] => Some(NAME),
        [(_, part)] if *part == b"/" => Some(ROOT),
        [(_, part)] if part.len() == text.len() => Some(NAME),
        _ => None,
    }
}

fn put_parts(host: &mut Host<'_>, path: Value, text: &[u8]) -> Result<(), Halt> {
    let pointer = match kind(text) {
        Some(kind) => kind,
        None => {
            let parts = parts(text);
            let size = COUNTS + PART * parts.len() as u64;
            let list = host.memory.add(Kind::Host, size, Mark::UNWRITTEN)?;
            let count = Value::known(parts.len() as u64);
            host.memory.store(list, 4, count);
            host.memory.store(list + 4, 4, count);
            for (index, (position, part)) in (0u64..).zip(parts) {
                let one = Value::known(list + COUNTS + PART * index);
                begin(host, one);
                set(host, one, part)?;
                let kind = if part == b"/" { ROOT } else { NAME };
                host.store(at(one, PARTS), 8, Value::known(kind));
                host.store(at(one, PARTS + 8), 8, Value::known(position as u64));
            }
            list
        }
    };
    host.store(at(path, PARTS), 8, Value::known(pointer));
    Ok(())
}

/// The text was set: the parts are made.
fn split(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match content(host, arg(args, 0)) {
        Ok(text) => put_parts(host, arg(args, 0), &text)?,
        Err(mark) => host.store(at(arg(args, 0), PARTS), 8, Value::unknown(mark)),
    }
    Ok(Value::known(0))
}

/// (list, other list).
fn copy_list(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let pointer = host.memory.load(arg(args, 1).get()?, 8);
    let copied = match pointer.get() {
        Ok(list) if list & 3 == 0 && list != 0 => Value::known(copy_parts(host, list)?),
        _ => pointer,
    };
    host.store(arg(args, 0), 8, copied);
    Ok(Value::known(0))
}

fn copy_parts(host: &mut Host<'_>, list: u64) -> Result<u64, Halt> {
    let count = host.memory.load(list, 4).get()?;
    let size = COUNTS + PART * count;
    let copy = host.memory.add(Kind::Host, size, Mark::UNWRITTEN)?;
    host.memory.copy(copy, list, size);
    for index in 0..count {
        let place = COUNTS + PART * index;
        let part = content(host, Value::known(list + place))?;
        let new = Value::known(copy + place);
        begin(host, new);
        set(host, new, &part)?;
    }
    Ok(copy)
}

/// (list): its first part, or the place behind its last.
fn list_end(host: &mut Host<'_>, args: &[Value], behind: bool) -> Result<Value, Halt> {
    let list = host.memory.load(arg(args, 0).get()?, 8).get()?;
    if list & 3 != 0 {
        return Ok(Value::known(0));
    }
    let count = if behind {
        host.memory.load(list, 4).get()?
    } else {
        0
    };
    Ok(Value::known(list + COUNTS + PART * count))
}

fn name_start(text: &[u8]) -> usize {
    text.iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |slash| slash + 1)
}

/// Everything before the last name.
fn parent(text: &[u8]) -> &[u8] {
    let start = name_start(text);
    if start == text.len() && start > 0 && text.iter().all(|byte| *byte == b'/') {
        return text;
    }
    let mut end = start;
    while end > 1 && text.get(end - 1) == Some(&b'/') {
        end -= 1;
    }
    &text[..end]
}

/// Where the ending of a name begins; `.`, `..` and a dot at the start are none.
fn ending(name: &[u8]) -> Option<usize> {
    if name == b"." || name == b".." {
        return None;
    }
    name.iter()
        .rposition(|byte| *byte == b'.')
        .filter(|dot| *dot > 0)
}

/// (path): the string of its last name, and where in it the ending begins.
fn find_extension(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let path = arg(args, 0).get()?;
    let text = content(host, arg(args, 0))?;
    let name = &text[name_start(&text)..];
    if name.is_empty() {
        host.second_result = Some(Value::known(u64::MAX));
        return Ok(Value::known(0));
    }
    let dot = ending(name).map_or(u64::MAX, |dot| dot as u64);
    host.second_result = Some(Value::known(dot));
    let list = host.memory.load(path.wrapping_add(PARTS), 8).get()?;
    if list & 3 != 0 {
        return Ok(Value::known(path));
    }
    let last = host.memory.load(list, 4).get()?.saturating_sub(1);
    Ok(Value::known(list + COUNTS + PART * last))
}

/// (path, ending).
fn replace_extension(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let new = content(host, arg(args, 1))?;
    changed(host, arg(args, 0), |mut text| {
        let start = name_start(&text);
        if let Some(dot) = ending(&text[start..]) {
            text.truncate(start + dot);
        }
        if !new.is_empty() && new[0] != b'.' {
            text.push(b'.');
        }
        text.extend(new);
        text
    })
}

/// What `a / b` is.
fn joined(mut text: Vec<u8>, more: &[u8]) -> Vec<u8> {
    if more.first() == Some(&b'/') {
        return more.to_vec();
    }
    if !text.is_empty() && text.last() != Some(&b'/') {
        text.push(b'/');
    }
    text.extend(more);
    text
}

fn append_path(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = content(host, arg(args, 1))?;
    changed(host, arg(args, 0), |text| joined(text, &more))
}

/// (path, length, characters).
fn view(host: &mut Host<'_>, args: &[Value]) -> Result<Vec<u8>, Mark> {
    let length = arg(args, 1).get()?;
    host.bytes(arg(args, 2), length)
}

fn append_view(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = view(host, args)?;
    changed(host, arg(args, 0), |text| joined(text, &more))
}

fn concat_view(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = view(host, args)?;
    changed(host, arg(args, 0), |mut text| {
        text.extend(more);
        text
    })
}

fn concat_path(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = content(host, arg(args, 1))?;
    changed(host, arg(args, 0), |mut text| {
        text.extend(more);
        text
    })
}

fn assign(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = content(host, arg(args, 1));
    put(host, arg(args, 0), text)
}

/// Part by part, as the library does.
fn compare(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (a, b) = (content(host, arg(args, 0))?, content(host, arg(args, 1))?);
    let names = |text: &[u8]| -> Vec<Vec<u8>> {
        parts(text)
            .into_iter()
            .map(|(_, part)| part.to_vec())
            .collect()
    };
    Ok(Value::int(names(&a).cmp(&names(&b)) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_parts_that_the_library_finds() {
        // Printed by a program against libstdc++ 12, with | between the parts.
        for (text, wanted) in [
            ("a", "a"),
            ("/", "/"),
            ("a/b.c", "a|b.c"),
            ("/a//b/", "/|a|b|"),
            ("./x", ".|x"),
            ("a/", "a|"),
        ] {
            let found: Vec<String> = parts(text.as_bytes())
                .into_iter()
                .map(|(_, part)| String::from_utf8_lossy(part).into_owned())
                .collect();
            assert_eq!(found.join("|"), wanted, "{text}");
        }
    }

    #[test]
    fn parents_and_endings_are_the_librarys() {
        for (text, wanted) in [
            ("a/b", "a"),
            ("/a", "/"),
            ("a", ""),
            ("a/b/", "a/b"),
            ("/", "/"),
            ("a//b", "a"),
        ] {
            assert_eq!(
                String::from_utf8_lossy(parent(text.as_bytes())),
                wanted,
                "{text}"
            );
        }
        assert_eq!(ending(b"a.tar.gz"), Some(5));
        assert_eq!(
            (ending(b".profile"), ending(b".."), ending(b"plain")),
            (None, None, None)
        );
        assert_eq!(joined(b"a".to_vec(), b"b"), b"a/b");
        assert_eq!(joined(b"a".to_vec(), b"/b"), b"/b");
    }
}
