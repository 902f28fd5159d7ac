//! The final link: the linker runs as it would have; then the host IR that it gathered in the program is analysed, and
//! the job profile takes its place. A failure of ours costs one warning and never the program.

use super::analysis::{AnalysisError, Work, analyse};
use super::command_line::CommandLine;
use super::error::CcError;
use super::job_profile::Stored;
use super::libraries::Libraries;
use super::linked_objects::{beside, damaged, without_ir};
use super::settings::Settings;
use super::watched::Group;
use super::{elf, ir, kept_copy, linker, log};
use migfit_schema::build::{BuildNote, LogLine};
use migfit_schema::container::{self, IR_SECTION, PROFILE_SECTION};
use std::path::Path;

/// Links; returns the linker's exit code.
pub fn link(settings: &Settings, line: &CommandLine, output: &Path) -> Result<i32, CcError> {
    let code = linker::run(settings, line)?;
    if code == 0
        && settings.clang.is_some()
        && output.is_file()
        && let Err(reason) = finish(settings, line, output)
    {
        eprintln!(
            "migfit: warning: {}: no job profile was written: {reason}",
            output.display()
        );
    }
    Ok(code)
}

/// A file that was just linked.
struct Linked<'a> {
    settings: &'a Settings,
    line: &'a CommandLine,
    output: &'a Path,
    file: Vec<u8>,
    libraries: Libraries,
}

/// The linked program gets its job profile, or loses IR that it has no use for.
fn finish(settings: &Settings, line: &CommandLine, output: &Path) -> Result<(), String> {
    let file = std::fs::read(output).map_err(|error| error.to_string())?;
    let Ok(gathered) = elf::section(&file, IR_SECTION) else {
        return Ok(());
    };
    let has_ir = gathered.is_some() || !beside(line, &file).is_empty();
    let linked = Linked {
        settings,
        line,
        output,
        libraries: Libraries::of(line, output, &file),
        file,
    };
    if elf::calls_cuda(&linked.file) || linked.libraries.call_cuda {
        return linked.analysed_as_program();
    }
    match has_ir {
        true if linked.is_library() => linked.analysed_as_code(),
        true => linked.put(IR_SECTION, &[]),
        false => Ok(()),
    }
}

impl Linked<'_> {
    /// A program or library that has to do with CUDA: its job profile is kept and told.
    fn analysed_as_program(&self) -> Result<(), String> {
        let stored = self.stored()?;
        let name = self.name();
        if let Some(reason) = &stored.summary.failure {
            eprintln!("migfit: warning: {name}: its need is unknown: {reason}");
        }
        self.put(PROFILE_SECTION, &stored.section)?;
        if let Err(reason) = kept_copy::keep(&self.file, &stored.section) {
            log::note(self.settings, BuildNote::NoCopy(reason));
        }
        let path = self.output.canonicalize();
        let path = path.map_err(|error| error.to_string())?;
        let told = LogLine::Linked(stored.told(&path, self.is_library()));
        log::append(self.settings, &told)
            .map_err(|error| format!("the build's log cannot be written: {error}"))
    }

    /// A library that has nothing to do with CUDA itself: programs that need it may, and want its code.
    fn analysed_as_code(&self) -> Result<(), String> {
        let stored = self.stored()?;
        match stored.summary.failure {
            None => self.put(PROFILE_SECTION, &stored.section),
            Some(_) => self.put(IR_SECTION, &[]),
        }
    }

    fn stored(&self) -> Result<Stored, String> {
        let names = elf::dynamic_names(&self.file).map_err(|error| error.to_string())?;
        let name = self.name();
        // A program that needs no library of the user's stands alone.
        let exports = self.is_library() || self.libraries.are_needed();
        let analysed = self.modules().and_then(|modules| {
            let work = Work {
                name: &name,
                modules: &modules,
                system: &names.system,
                exports: exports.then_some(names.exports.as_slice()),
                libraries: self.libraries.parts().collect(),
                linked: self.output,
            };
            analyse(self.settings, &work)
        });
        let mut unseen = without_ir(self.line, &self.file);
        unseen.extend(self.libraries.without_ir());
        let libraries = self.libraries.listed();
        Ok(Stored::new(&name, analysed, unseen, libraries))
    }

    fn name(&self) -> String {
        let name = self.output.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn is_library(&self) -> bool {
        self.line.has_option(|option| option == "-shared")
    }

    /// Bitcode of the sources in the link command, then of the linked objects in link order.
    fn modules(&self) -> Result<Vec<Vec<u8>>, AnalysisError> {
        let mut modules = Vec::new();
        let sources = self.line.sources();
        for source in sources.iter().filter(|source| source.language.has_ir()) {
            let scratch = tempfile::tempdir().map_err(AnalysisError::NotStarted)?;
            let bitcode = scratch.path().join("host.bc");
            let group = Group::new();
            if ir::side_pass(self.settings, &group, self.line, source, &bitcode).is_ok() {
                modules.extend(std::fs::read(&bitcode));
            }
        }
        let gathered = elf::section(&self.file, IR_SECTION).ok().flatten();
        modules.extend(self.read(gathered.unwrap_or_default())?);
        for section in beside(self.line, &self.file) {
            modules.extend(self.read(&section)?);
        }
        Ok(modules)
    }

    fn read(&self, section: &[u8]) -> Result<Vec<Vec<u8>>, AnalysisError> {
        let bitcode = container::bitcode(section).map_err(|error| AnalysisError::BrokenIr {
            object: damaged(self.line).unwrap_or_else(|| "a linked object".to_owned()),
            reason: error.to_string(),
        })?;
        Ok(bitcode.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// A section of ours in place of the IR.
    fn put(&self, name: &str, data: &[u8]) -> Result<(), String> {
        let changed = elf::put_section(&self.file, IR_SECTION, name, data);
        let changed = changed.map_err(|error| error.to_string())?;
        elf::replace_file(self.output, &changed).map_err(|error| error.to_string())
    }
}
