//! Functions that device code calls and a driver brings along: printf, assert, malloc and free.

use crate::context::Context;
use crate::error::FaultKind;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;

/// A function as compiled code calls it: context, thread, arguments, results.
pub type Brought = extern "C" fn(*mut Context, u32, *const u8, *mut u8);

/// The function of a name, and whether the thread ends there.
pub fn brought(name: &str) -> Option<(Brought, bool)> {
    Some(match name {
        "vprintf" => (print, false),
        "__assertfail" => (assert_fails, true),
        "malloc" => (allocate, false),
        "free" => (release, false),
        _ => return None,
    })
}

/// `vprintf(format, arguments)`: to the standard output of the program, in order with what it prints itself.
extern "C" fn print(_context: *mut Context, _thread: u32, arguments: *const u8, results: *mut u8) {
    // SAFETY: the compiled call hands in two addresses and has room for the result; what they point to is the kernel's
    // word, and an address that is none is its fault.
    unsafe {
        let format = arguments.cast::<u64>().read_unaligned();
        let values = arguments.cast::<u64>().add(1).read_unaligned();
        let format = CStr::from_ptr(pointer(format).cast());
        let mut values = Values {
            next: values as usize,
            count: 0,
        };
        let text = formatted(format.to_bytes(), &mut values);
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        results.cast::<c_int>().write_unaligned(values.count);
    }
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// `__assertfail(message, file, line, function, bytes of a character)`.
extern "C" fn assert_fails(
    context: *mut Context,
    thread: u32,
    arguments: *const u8,
    _results: *mut u8,
) {
    // SAFETY: as for `print`; the context is that of the launch.
    unsafe {
        let text = |at: usize| {
            let address = arguments.add(at).cast::<u64>().read_unaligned();
            CStr::from_ptr(pointer(address).cast()).to_string_lossy()
        };
        let line = arguments.add(16).cast::<u32>().read_unaligned();
        let [x, y, z] = (*context).block;
        let [width, height, _] = (*context).block_size;
        let place = [
            thread % width,
            thread / width % height,
            thread / width / height,
        ];
        // A closed stderr is no reason to fail otherwise.
        let _ = writeln!(
            std::io::stderr(),
            "{}:{line}: {}: block: [{x},{y},{z}], thread: [{},{},{}] Assertion `{}` failed.",
            text(8),
            text(24),
            place[0],
            place[1],
            place[2],
            text(0)
        );
        (*context).fault = FaultKind::Assert as u32 + 1;
    }
}

/// `malloc(bytes)`: memory of this process, which is not charged to the slice.
extern "C" fn allocate(
    _context: *mut Context,
    _thread: u32,
    arguments: *const u8,
    results: *mut u8,
) {
    // SAFETY: the compiled call hands in the size and has room for the address.
    unsafe {
        let bytes = arguments.cast::<u64>().read_unaligned();
        let address =
            usize::try_from(bytes).map_or(0, |bytes| libc::malloc(bytes).expose_provenance());
        results.cast::<u64>().write_unaligned(address as u64);
    }
}

/// `free(address)`.
extern "C" fn release(
    _context: *mut Context,
    _thread: u32,
    arguments: *const u8,
    _results: *mut u8,
) {
    // SAFETY: the compiled call hands in an address that `malloc` gave, by the kernel's word.
    unsafe { libc::free(pointer(arguments.cast::<u64>().read_unaligned()).cast()) };
}

fn pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// The values behind a format, each at a multiple of its size.
struct Values {
    next: usize,
    count: c_int,
}

impl Values {
    fn take(&mut self, bytes: usize) -> u64 {
        self.next = self.next.next_multiple_of(bytes);
        let place = std::ptr::with_exposed_provenance::<u8>(self.next);
        self.next += bytes;
        self.count += 1;
        // SAFETY: the kernel put a value there for each part of the format, by its word.
        unsafe {
            match bytes {
                8 => place.cast::<u64>().read_unaligned(),
                _ => place.cast::<u32>().read_unaligned().into(),
            }
        }
    }
}

/// The text that a format and its values make.
fn formatted(format: &[u8], values: &mut Values) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = format;
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            text.push(first);
            rest = after;
            continue;
        }
        let flags = |byte: &&u8| b"-+ #0123456789.*".contains(byte);
        let flags = after.iter().take_while(flags).count();
        let lengths = after[flags..]
            .iter()
            .take_while(|byte| b"hljzt".contains(byte))
            .count();
        let Some(kind) = after.get(flags + lengths) else {
            return text;
        };
        part(
            &mut text,
            &after[..flags],
            &after[flags..flags + lengths],
            *kind,
            values,
        );
        rest = &after[flags + lengths + 1..];
    }
    text
}

fn part(text: &mut Vec<u8>, flags: &[u8], length: &[u8], kind: u8, values: &mut Values) {
    if kind == b'%' {
        return text.push(b'%');
    }
    let mut spec = vec![b'%'];
    for flag in flags {
        match flag {
            b'*' => spec.extend((values.take(4) as u32).cast_signed().to_string().bytes()),
            flag => spec.push(*flag),
        }
    }
    let long = length.iter().any(|byte| b"ljzt".contains(byte));
    let value = match kind {
        b'd' | b'i' if !long => i64::from((values.take(4) as u32).cast_signed()).cast_unsigned(),
        b'c' | b'u' | b'x' | b'X' | b'o' if !long => values.take(4),
        _ => values.take(8),
    };
    if b"diuxXo".contains(&kind) {
        spec.extend(b"ll");
    }
    spec.extend([kind, 0]);
    append(text, &spec, kind, value);
}

/// Has the C library write one value.
fn append(text: &mut Vec<u8>, spec: &[u8], kind: u8, value: u64) {
    let write = |room: *mut c_char, bytes: usize| {
        let spec = spec.as_ptr().cast::<c_char>();
        // SAFETY: the format ends in NUL and asks for one value of the kind that is handed in.
        unsafe {
            match kind {
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                    libc::snprintf(room, bytes, spec, f64::from_bits(value))
                }
                b's' | b'p' => libc::snprintf(room, bytes, spec, pointer(value)),
                b'c' => libc::snprintf(room, bytes, spec, value as c_int),
                _ => libc::snprintf(room, bytes, spec, value),
            }
        }
    };
    let known = b"diuxXoeEfFgGaAspc".contains(&kind);
    let needed = if known {
        write(std::ptr::null_mut(), 0)
    } else {
        0
    };
    if let Ok(needed @ 1..) = usize::try_from(needed) {
        let start = text.len();
        text.resize(start + needed + 1, 0);
        write(text[start..].as_mut_ptr().cast(), needed + 1);
        text.truncate(start + needed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_take_their_values_one_behind_the_other() {
        let mut bytes = Vec::new();
        bytes.extend((-5_i32).to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(2.5_f64.to_le_bytes());
        bytes.extend(c"abc".as_ptr().expose_provenance().to_le_bytes());
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend([65, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0]);
        let mut values = Values {
            next: bytes.as_ptr().expose_provenance(),
            count: 0,
        };
        let text = formatted(b"%d|%6.2f|%s|%llu|%c|%*d|100%%\n", &mut values);
        let expected = "-5|  2.50|abc|18446744073709551615|A|     7|100%\n";
        assert_eq!(
            (String::from_utf8(text).unwrap().as_str(), values.count),
            (expected, 7)
        );
    }
}
