//! `-c`: sources in, objects out, host IR in a section of each object. Under nvcc the object comes from the IR itself;
//! else, and whenever that fails, the compiler runs unchanged and the IR comes from a pass beside it.

use super::command_line::{CommandLine, Source};
use super::elf;
use super::error::CcError;
use super::settings::{Role, Settings};
use super::{ir, options, process};
use migfit_schema::container::{IR_SECTION, append_bitcode};
use std::path::Path;

/// Compiles; returns the compiler's exit code.
pub fn compile(
    settings: &Settings,
    line: &CommandLine,
    sources: &[Source],
) -> Result<i32, CcError> {
    if let (Role::UnderNvcc, [source]) = (settings.role, sources)
        && !line.has_option(options::wants_the_source)
        && may_be_written(&source.object)
        && from_bitcode(settings, line, source).is_some()
    {
        return Ok(0);
    }
    // What our own attempt said is forgotten: if the source is wrong, the compiler says so here, once.
    let code = process::run(settings, &settings.words)?;
    if code == 0 {
        for source in sources {
            // An object without IR is named at the link.
            let _ = beside_the_compiler(settings, line, source);
        }
    }
    Ok(code)
}

/// Front end once to bitcode, the object from it.
fn from_bitcode(settings: &Settings, line: &CommandLine, source: &Source) -> Option<()> {
    let scratch = tempfile::tempdir().ok()?;
    let bitcode = scratch.path().join("host.bc");
    let front = ir::front_end(settings, line, source, &bitcode, false)?;
    let back = ir::back_end(settings, line, &bitcode, &source.object)?;
    process::repeat(&front);
    process::repeat(&back);
    let rich = scratch.path().join("bodies.bc");
    let has_rich =
        ir::lacks_bodies(line) && ir::front_end(settings, line, source, &rich, true).is_some();
    // The object stands; should it not take the section, it is named at the link.
    let _ = embed(if has_rich { &rich } else { &bitcode }, &source.object);
    Some(())
}

fn beside_the_compiler(settings: &Settings, line: &CommandLine, source: &Source) -> Option<()> {
    if !source.language.has_ir() || !source.object.is_file() {
        return None;
    }
    let scratch = tempfile::tempdir().ok()?;
    let bitcode = scratch.path().join("host.bc");
    ir::side_pass(settings, line, source, &bitcode)?;
    embed(&bitcode, &source.object)
}

fn embed(bitcode: &Path, object: &Path) -> Option<()> {
    let mut section = Vec::new();
    append_bitcode(&mut section, &std::fs::read(bitcode).ok()?);
    let file = std::fs::read(object).ok()?;
    let with_ir = elf::put_section(&file, IR_SECTION, IR_SECTION, &section).ok()?;
    elf::replace_file(object, &with_ir).ok()
}

/// A device such as /dev/null is the compiler's own business.
fn may_be_written(object: &Path) -> bool {
    object.metadata().map_or(true, |found| found.is_file())
}
