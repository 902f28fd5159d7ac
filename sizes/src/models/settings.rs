//! Calls that change what others do: the language in which numbers are written, handlers of signals. A language other than
//! those that are known to have a decimal point leaves open how a text is read as a fraction.

use super::environment::value_of;
use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("setlocale", setlocale),
    ("signal", signal),
    ("bsd_signal", signal),
    ("sigaction", sigaction),
];

/// LC_NUMERIC and LC_ALL of glibc.
const NUMERIC: [i32; 2] = [1, 6];
/// Variables of the environment that name the language, the first that is set and not empty.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_NUMERIC", "LANG"];

/// Whether numbers of this language have a decimal point, as far as that is known.
fn has_point(language: &str) -> bool {
    let name = language.split(['.', '@']).next().unwrap_or(language);
    matches!(name, "" | "C" | "POSIX") || name.starts_with("en_")
}

/// (category, name): what it returns is not followed, but for a language that is there always.
fn setlocale(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let category = arg(args, 0).as_int();
    if category.is_ok_and(|category| !NUMERIC.contains(&category))
        || arg(args, 1) == Value::known(0)
    {
        let what = "the name of the program's language".to_owned();
        return Ok(host.unknown(Source::Undefined(what)));
    }
    let name = match host.text(arg(args, 1)) {
        Ok(name) => String::from_utf8_lossy(&name).into_owned(),
        Err(mark) => {
            host.language = Some(mark);
            return Err(mark.into());
        }
    };
    let language = if name.is_empty() {
        from_environment(host)
    } else {
        name
    };
    host.language = (!has_point(&language)).then(|| {
        let what = format!("the decimal sign of the language {language}, if it is installed");
        host.mark(Source::Undefined(what))
    });
    match language.as_str() {
        "C" | "POSIX" => Ok(host.fixed_text(language.as_bytes())?),
        _ => {
            let what = format!("whether the language {language} is installed");
            Ok(host.unknown(Source::Undefined(what)))
        }
    }
}

fn from_environment(host: &mut Host<'_>) -> String {
    let set = VARIABLES
        .into_iter()
        .filter_map(|name| value_of(host, name));
    let mut set = set.filter(|value| !value.is_empty());
    let first = set.next();
    first.map_or_else(
        || "C".to_owned(),
        |value| String::from_utf8_lossy(&value).into_owned(),
    )
}

/// An error where a text or a format with a fraction hangs on the language.
pub fn fraction(host: &Host<'_>, text: &[u8]) -> Result<(), Mark> {
    match host.language {
        Some(mark) if text.iter().any(|byte| matches!(byte, b'.' | b',')) => Err(mark),
        _ => Ok(()),
    }
}

/// (signal, handler): 0 and 1 are the system's own ways.
fn signal(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let own_way = arg(args, 1).get().is_ok_and(|handler| handler <= 1);
    let signal = arg(args, 0).as_int().ok();
    match own_way && signal.is_some() {
        true => host.handled.remove(&signal),
        false => host.handled.insert(signal),
    };
    Ok(Value::known(0))
}

/// (signal, what to do, where to put what was done before).
fn sigaction(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if arg(args, 1) != Value::known(0) {
        host.handled.insert(arg(args, 0).as_int().ok());
    }
    Ok(Value::int(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_with_a_point_are_known() {
        for name in ["C", "POSIX", "C.UTF-8", "en_US.UTF-8", "en_GB"] {
            assert!(has_point(name), "{name}");
        }
        for name in ["de_DE.UTF-8", "fr_FR", "English", "de"] {
            assert!(!has_point(name), "{name}");
        }
    }
}
