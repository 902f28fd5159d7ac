//! `-c`: sources in, objects out, host IR in a section of each object. The user's compiler makes the object and the IR
//! comes from a pass beside it; where clang is to stand in under nvcc, the object comes from the IR itself.

use super::carried_ir::{self, HostIr};
use super::command_line::{CommandLine, Source};
use super::error::CcError;
use super::settings::Settings;
use super::watched::Group;
use super::{beside_nvcc, free_core, ir, log, options, process};
use migfit_schema::build::BuildNote;
use std::path::Path;

/// Compiles; returns the compiler's exit code.
pub fn compile(
    settings: &Settings,
    line: &CommandLine,
    sources: &[Source],
) -> Result<i32, CcError> {
    if let (true, [source]) = (settings.clang_stands_in(), sources)
        && !line.has_option(options::wants_the_source)
        && may_be_written(&source.object)
        && from_bitcode(settings, line, source).is_some()
    {
        return Ok(0);
    }
    // What our own attempt said is forgotten: if the source is wrong, the compiler says so here, once.
    let wanted = |source: &&Source| source.language.has_ir() && may_be_written(&source.object);
    let sources: Vec<&Source> = sources.iter().filter(wanted).collect();
    let side = || -> Vec<HostIr> {
        let all = sources.iter();
        all.map(|source| beside_the_compiler(settings, &GROUP, line, source))
            .collect()
    };
    let (code, found) = std::thread::scope(|scope| {
        let beside = free_core::is_there().then(|| scope.spawn(side));
        let code = process::run(settings, &settings.words);
        if !matches!(code, Ok(0)) {
            GROUP.give_up();
            return (code, Vec::new());
        }
        let found = beside.map_or_else(side, |beside| beside.join().unwrap_or_default());
        (code, found)
    });
    let code = code?;
    for (source, ir) in sources.iter().zip(&found) {
        if source.object.is_file() {
            carried_ir::give(ir, &source.object);
        }
    }
    Ok(code)
}

/// The steps of the pass beside the compiler.
static GROUP: Group = Group::new();

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
    let bitcode = std::fs::read(if has_rich { &rich } else { &bitcode });
    carried_ir::give(&bitcode.map_err(|error| error.to_string()), &source.object);
    Some(())
}

fn beside_the_compiler(
    settings: &Settings,
    group: &Group,
    line: &CommandLine,
    source: &Source,
) -> HostIr {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let bitcode = scratch.path().join("host.bc");
    match beside_nvcc::is_generated(&source.path) {
        true => beside_nvcc::side_pass(settings, group, &source.path, &bitcode)?,
        false => ir::side_pass(settings, group, line, source, &bitcode)?,
    }
    if !settings.wants_clang {
        log::note(settings, BuildNote::SidePass);
    }
    std::fs::read(&bitcode).map_err(|error| error.to_string())
}

/// A device such as /dev/null is the compiler's own business.
fn may_be_written(object: &Path) -> bool {
    object.metadata().map_or(true, |found| found.is_file())
}
