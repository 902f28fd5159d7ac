//! A size program in, a text listing for people and snapshot tests out. One line for each instruction, its place behind it.

use super::function::Listing;
use super::words::{address, function_name, line};
use migfit_schema::program::{Global, SizeProgram};
use std::fmt::Write;

/// The listing.
#[must_use]
pub fn listing(program: &SizeProgram) -> String {
    let mut out = String::new();
    for (number, (symbol, name)) in program.kernels.iter().enumerate() {
        line(&mut out, &format!("kernel {number}: {symbol} ({name})"));
    }
    for id in &program.constructors {
        line(
            &mut out,
            &format!("constructor {}", function_name(program, *id)),
        );
    }
    if let Some(id) = program.main {
        line(&mut out, &format!("main {}", function_name(program, id)));
    }
    outside(&mut out, program);
    for (number, global) in program.globals.iter().enumerate() {
        line(
            &mut out,
            &format!("global g{number}: {}", describe(program, global)),
        );
    }
    for (number, function) in program.functions.iter().enumerate() {
        Listing { program, function }.write(&mut out, number);
    }
    out
}

/// What the program leaves to code that is not in it.
fn outside(out: &mut String, program: &SizeProgram) {
    for name in &program.opaque {
        line(out, &format!("opaque {name}"));
    }
    for place in &program.catches {
        let file = program.files.get(place.file as usize);
        let file = file.filter(|_| place.line > 0).map_or("?", String::as_str);
        line(out, &format!("catches at {file}:{}", place.line));
    }
    if let Some(reason) = &program.loose_floats {
        line(out, &format!("loose floats: {reason}"));
    }
}

fn describe(program: &SizeProgram, global: &Global) -> String {
    let mut text = format!(
        "{}, {} bytes, align {}",
        global.name, global.size, global.align
    );
    for (holds, word) in [(global.constant, "constant"), (global.external, "external")] {
        if holds {
            let _ = write!(text, ", {word}");
        }
    }
    if let Some(bytes) = global.device_bytes {
        let _ = write!(text, ", {bytes} bytes on the device");
    }
    if !global.bytes.is_empty() {
        let _ = write!(text, ", \"{}\"", global.bytes.escape_ascii());
    }
    for (offset, operand) in &global.addresses {
        let _ = write!(text, ", +{offset}: {}", address(program, *operand));
    }
    text
}
