//! Types of exceptions: whether a handler for one type catches another, by the compiler's descriptions of types (Itanium
//! C++ ABI, 2.9.5) and by the library's own classes; and objects of those classes, a table and a text.

use super::vtables;
use crate::machine::address::{Table, number_of};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::memory::Full;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use migfit_schema::program::{Global, Operand};

/// The type of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thrown {
    /// By the address of the compiler's description.
    Described(u64),
    /// A class of the library, by its mangled name.
    Library(&'static str),
    /// Not known.
    Unknown,
}

/// Classes of the library and their bases.
const BASES: [(&str, &str); 18] = [
    ("St11logic_error", "St9exception"),
    ("St12domain_error", "St11logic_error"),
    ("St16invalid_argument", "St11logic_error"),
    ("St12length_error", "St11logic_error"),
    ("St12out_of_range", "St11logic_error"),
    ("St13runtime_error", "St9exception"),
    ("St11range_error", "St13runtime_error"),
    ("St14overflow_error", "St13runtime_error"),
    ("St15underflow_error", "St13runtime_error"),
    ("St12system_error", "St13runtime_error"),
    (
        "NSt10filesystem7__cxx1116filesystem_errorE",
        "St12system_error",
    ),
    ("St9bad_alloc", "St9exception"),
    ("St20bad_array_new_length", "St9bad_alloc"),
    ("St8bad_cast", "St9exception"),
    ("St10bad_typeid", "St9exception"),
    ("St17bad_function_call", "St9exception"),
    ("St19bad_optional_access", "St9exception"),
    ("St18bad_variant_access", "St9exception"),
];

/// Descriptions deeper than this are not followed.
const DEPTH: u32 = 32;
/// Most bases of a class that are looked at.
const MOST_BASES: u64 = 64;

/// The class that a function of the library throws.
pub fn class_of(name: &str) -> Option<&'static str> {
    let what = match name {
        "__cxa_bad_cast" => "bad_cast",
        "__cxa_bad_typeid" => "bad_typeid",
        "__cxa_throw_bad_array_new_length" => "bad_array_new_length",
        _ => {
            let rest = name.strip_prefix("_ZSt")?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (length, rest) = rest.split_at(digits);
            let what = rest.get(..length.parse().ok()?)?;
            what.strip_prefix("__throw_")?.trim_end_matches("_fmt")
        }
    };
    let plain = |class: &str| {
        let class = class.strip_prefix("St").unwrap_or(class);
        class.trim_start_matches(|c: char| c.is_ascii_digit()) == what
    };
    BASES
        .iter()
        .map(|(class, _)| *class)
        .find(|class| plain(class))
}

/// Where the part of an exception lies that a handler for `wanted` sees; `None`: it does not catch it.
///
/// # Errors
/// Where the types do not tell.
pub fn seen_as(
    host: &Host<'_>,
    thrown: &Thrown,
    object: u64,
    wanted: u64,
) -> Result<Option<Value>, ()> {
    let wanted_name = name_at(host, wanted).ok_or(())?;
    match thrown {
        Thrown::Unknown => Err(()),
        Thrown::Library(class) => Ok(derives(class, wanted_name).then_some(Value::known(object))),
        Thrown::Described(address) => {
            let name = name_at(host, *address).ok_or(())?;
            if name.starts_with('P') {
                // The handler of a pointer sees the pointer itself.
                let same = name == wanted_name || wanted_name == "PKv" || wanted_name == "Pv";
                if !same && wanted_name.starts_with('P') {
                    return Err(());
                }
                return Ok(same.then(|| host.memory.load(object, 8)));
            }
            Ok(base_at(host, *address, object, wanted_name, DEPTH)?.map(Value::known))
        }
    }
}

fn derives(class: &str, wanted: &str) -> bool {
    let mut class = class;
    while class != wanted {
        match BASES.iter().find(|(known, _)| *known == class) {
            Some((_, base)) => class = base,
            None => return false,
        }
    }
    true
}

fn global<'p>(host: &Host<'p>, address: u64) -> Option<&'p Global> {
    let (Table::Objects, number) = number_of(address)? else {
        return None;
    };
    host.program.globals.get(number.checked_sub(1)?)
}

/// (object, its type here, the type wanted, ...): the part of the whole object that is of the type wanted, or null. The
/// object's table says how far the whole one begins before it, and of which type that is.
fn dynamic_cast(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (object, wanted) = (arg(args, 0).get()?, arg(args, 2).get()?);
    let table = host.memory.load(object, 8).get()?;
    let distance = host.memory.load(table.wrapping_sub(16), 8).get()?;
    let described = host.memory.load(table.wrapping_sub(8), 8).get()?;
    let whole = object.wrapping_add(distance);
    let found = name_at(host, wanted)
        .ok_or(())
        .and_then(|wanted| base_at(host, described, whole, wanted, DEPTH));
    match found {
        Ok(found) => Ok(Value::known(found.unwrap_or(0))),
        Err(()) => {
            let what = Source::Missing("the type of an object".to_owned());
            Err(Halt::Unknown(host.mark(what)))
        }
    }
}

/// The mangled name of the type that is described at an address.
pub fn name_at<'p>(host: &Host<'p>, address: u64) -> Option<&'p str> {
    global(host, address)?.name.strip_prefix("_ZTI")
}

/// The address of an object's base of the wanted class.
fn base_at(
    host: &Host<'_>,
    described: u64,
    object: u64,
    wanted: &str,
    depth: u32,
) -> Result<Option<u64>, ()> {
    let name = name_at(host, described).ok_or(())?;
    if name == wanted {
        return Ok(Some(object));
    }
    let description = global(host, described).ok_or(())?;
    if description.external {
        return Ok(derives(name, wanted).then_some(object));
    }
    let depth = depth.checked_sub(1).ok_or(())?;
    for (base, offset) in bases(host, description, object)? {
        let found = base_at(host, base, object.wrapping_add(offset), wanted, depth)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Descriptions of a class's bases, each with its distance from the object's start.
fn bases(host: &Host<'_>, description: &Global, object: u64) -> Result<Vec<(u64, u64)>, ()> {
    let pointer = |at: u64| {
        let found = description
            .addresses
            .iter()
            .find(|(offset, _)| *offset == at)?;
        match found.1 {
            Operand::Global(id, offset) => {
                Some(crate::machine::address::global_address(id, offset))
            }
            _ => None,
        }
    };
    let kind = pointer(0).and_then(|table| global(host, table)).ok_or(())?;
    if kind.name.contains("__si_class_type_info") {
        return Ok(vec![(pointer(16).ok_or(())?, 0)]);
    }
    if !kind.name.contains("__vmi_class_type_info") {
        return Ok(Vec::new());
    }
    // Bytes that are not there are zero.
    let byte = |at: usize| description.bytes.get(at).copied().unwrap_or(0);
    let number = |at: usize, len: usize| {
        let bytes = (at..at + len).rev().map(byte);
        bytes.fold(0u64, |number, byte| number << 8 | u64::from(byte))
    };
    let mut all = Vec::new();
    for index in 0..number(20, 4).min(MOST_BASES) {
        let at = 24 + 16 * index;
        let flags = number(at as usize + 8, 8) as i64;
        let distance = (flags >> 8) as u64;
        let offset = match flags & 1 {
            0 => distance,
            _ => {
                // A virtual base: its distance stands in the object's table.
                let table = host.memory.load(object, 8).get().map_err(|_| ())?;
                host.memory
                    .load(table.wrapping_add(distance), 8)
                    .get()
                    .map_err(|_| ())?
            }
        };
        all.push((pointer(at).ok_or(())?, offset));
    }
    Ok(all)
}

/// An object of a class of the library.
pub fn new_object(host: &mut Host<'_>, text: &[u8]) -> Result<u64, Full> {
    let object = host.memory.add(Kind::Host, 64, Mark::KNOWN)?;
    let text = host.new_text(text)?;
    let table = vtables::of_exceptions(host)?;
    host.memory.store(object, 8, Value::known(table));
    host.memory.store(object + 8, 8, Value::known(text));
    Ok(object)
}

macro_rules! members {
    ($($class:literal),*) => {
        &[$(
            (concat!("_ZNSt", $class, "C1EPKc"), from_text),
            (concat!("_ZNSt", $class, "C2EPKc"), from_text),
            (concat!("_ZNSt", $class, "C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), from_string),
            (concat!("_ZNSt", $class, "C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), from_string),
            (concat!("_ZNSt", $class, "C1ERKS_"), from_other),
            (concat!("_ZNSt", $class, "C2ERKS_"), from_other),
            (concat!("_ZNSt", $class, "C1EOS_"), from_other),
            (concat!("_ZNSt", $class, "C2EOS_"), from_other),
            (concat!("_ZNSt", $class, "D0Ev"), gone),
            (concat!("_ZNSt", $class, "D1Ev"), gone),
            (concat!("_ZNSt", $class, "D2Ev"), gone),
        )*]
    };
}

/// Members of the classes of `<stdexcept>`.
pub const MEMBERS: Family = members!(
    "11logic_error",
    "12domain_error",
    "16invalid_argument",
    "12length_error",
    "12out_of_range",
    "13runtime_error",
    "11range_error",
    "14overflow_error",
    "15underflow_error"
);

/// Members that all have in common, and the cast that asks for an object's type.
pub const MODELS: Family = &[
    ("__dynamic_cast", dynamic_cast),
    ("_ZNSt9exceptionD0Ev", gone),
    ("_ZNSt9exceptionD1Ev", gone),
    ("_ZNSt9exceptionD2Ev", gone),
    ("_ZNKSt9exception4whatEv", what),
    ("_ZNKSt11logic_error4whatEv", what),
    ("_ZNKSt13runtime_error4whatEv", what),
];

fn gone(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(0))
}

fn put(host: &mut Host<'_>, object: Value, text: Result<Vec<u8>, Mark>) -> Result<Value, Halt> {
    let table = vtables::of_exceptions(host)?;
    host.store(object, 8, Value::known(table));
    let text = match text {
        Ok(text) => Value::known(host.new_text(&text)?),
        Err(mark) => Value::unknown(mark),
    };
    host.store(super::text::at(object, 8), 8, text);
    Ok(Value::known(0))
}

fn from_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 1));
    put(host, arg(args, 0), text)
}

fn from_string(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = super::text::content(host, arg(args, 1));
    put(host, arg(args, 0), text)
}

fn from_other(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = arg(args, 1).get().and_then(|other| {
        let text = host.memory.load(other.wrapping_add(8), 8);
        host.text(text)
    });
    put(host, arg(args, 0), text)
}

/// The text of an exception.
fn what(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(host.memory.load(arg(args, 0).get()?.wrapping_add(8), 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_librarys_throwers_are_known_by_their_names() {
        assert_eq!(
            class_of("_ZSt24__throw_out_of_range_fmtPKcz"),
            Some("St12out_of_range")
        );
        assert_eq!(
            class_of("_ZSt20__throw_out_of_rangePKc"),
            Some("St12out_of_range")
        );
        assert_eq!(
            class_of("_ZSt24__throw_invalid_argumentPKc"),
            Some("St16invalid_argument")
        );
        assert_eq!(
            class_of("_ZSt25__throw_bad_function_callv"),
            Some("St17bad_function_call")
        );
        assert_eq!(
            class_of("_ZSt27__throw_bad_optional_accessv"),
            Some("St19bad_optional_access")
        );
        assert_eq!(class_of("__cxa_bad_cast"), Some("St8bad_cast"));
        assert_eq!(
            class_of("_ZSt19__throw_regex_errorNSt15regex_constants10error_typeE"),
            None
        );
    }

    #[test]
    fn a_handler_of_a_base_catches_what_derives_from_it() {
        assert!(derives("St12out_of_range", "St11logic_error"));
        assert!(derives("St12out_of_range", "St9exception"));
        assert!(!derives("St12out_of_range", "St13runtime_error"));
    }
}
