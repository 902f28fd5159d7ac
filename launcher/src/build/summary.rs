//! The few lines after a build: which programs carry a job profile, and what is missing in it. Text out of the
//! build's log; reads no program.

use migfit_schema::build::{BuildNote, BuiltProgram, LogLine, NO_IR};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Objects without IR that are named one by one; the rest are counted.
const NAMED_OBJECTS: usize = 3;

/// What a build's log says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Built {
    /// Programs and libraries, by path.
    pub(super) programs: Vec<BuiltProgram>,
    /// Notes, each once.
    notes: BTreeSet<BuildNote>,
}

/// Reads a build's log: each program once (the last link counts). Left out are lines that are cut, and programs that
/// CMake links to learn about compilers.
pub(super) fn read(log: &str) -> Built {
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut by_path = BTreeMap::new();
    let mut notes = BTreeSet::new();
    for line in lines {
        match line {
            LogLine::Linked(program) => {
                by_path.insert(program.path.clone(), program);
            }
            LogLine::Note(note) => {
                notes.insert(note);
            }
        }
    }
    let wanted = |program: &BuiltProgram| !program.path.contains("/CMakeFiles/");
    Built {
        programs: by_path.into_values().filter(wanted).collect(),
        notes,
    }
}

/// The text for the user; paths are shown relative to `folder`.
pub(super) fn text(built: &Built, folder: &Path) -> String {
    programs_text(&built.programs, folder) + &notes(&built.notes)
}

/// All there is to tell of a build that failed before it linked: notes that may explain the failure. Who makes the IR
/// is none: the side pass changes nothing of the user's own compile.
pub(super) fn text_of_failed(built: &Built) -> String {
    notes(
        built
            .notes
            .iter()
            .filter(|note| **note != BuildNote::SidePass),
    )
}

fn notes<'a>(notes: impl IntoIterator<Item = &'a BuildNote>) -> String {
    let notes = notes.into_iter();
    notes
        .map(|note| format!("migfit: note: {}\n", told(note)))
        .collect()
}

fn told(note: &BuildNote) -> String {
    match note {
        BuildNote::LtoLeftOut => {
            "-flto was left out of compiles: objects of link-time optimisation \
             have no place for what migfit reads (the link is told nothing else)"
                .to_owned()
        }
        BuildNote::HostCompilerSetAside(name) => format!(
            "nvcc was told -ccbin {name}; clang compiled its host code instead, as migfit reads clang's"
        ),
        BuildNote::SidePass => {
            "your own compiler made the objects; IR came from a pass of clang beside it, where cores were free at the \
             same time (--host-compiler clang is quicker)"
                .to_owned()
        }
        BuildNote::RunAgain(reason) => format!(
            "an nvcc command that failed with what migfit adds to it was run again without: {reason}"
        ),
        BuildNote::LinkedBy(name) => format!("clang could not link; {name} did"),
        BuildNote::LeftToUsersCompiler(flags) => format!(
            "nvcc commands with {flags} were left to your own host compiler, as clang cannot stand in for it there: \
             their objects carry no IR"
        ),
        BuildNote::NoCopy(reason) => format!(
            "no copy of a job profile was kept, so a program whose section is stripped away has none: {reason}"
        ),
    }
}

fn programs_text(programs: &[BuiltProgram], folder: &Path) -> String {
    if programs.is_empty() {
        return "migfit: no CUDA program was linked, so none got a job profile (objects keep their IR until the link)\n  \
                hint: is everything up to date already (make clean), or does the build call compilers by full path?\n  \
                hint: CMake keeps compilers by full path: configure under migfit too: migfit build -- cmake -B ...\n"
            .to_owned();
    }
    let unknown = programs.iter().filter(|p| p.failure.is_some()).count();
    let mut text = format!(
        "migfit: job profile written into {}{}\n",
        both(programs),
        match unknown {
            0 => String::new(),
            _ => format!(" (the need of {unknown} is unknown)"),
        }
    );
    let names: Vec<String> = programs.iter().map(|p| shown(&p.path, folder)).collect();
    let width = names.iter().map(String::len).max().unwrap_or_default();
    for (program, name) in programs.iter().zip(&names) {
        let _ = writeln!(text, "  {name:width$}  {}", line(program));
    }
    text
}

/// "2 CUDA programs", "1 CUDA program and 1 library", "1 CUDA library".
fn both(programs: &[BuiltProgram]) -> String {
    let libraries = programs.iter().filter(|one| one.is_library).count();
    match (programs.len() - libraries, libraries) {
        (own, 0) => counted(own, "CUDA program"),
        (0, libraries) => libraries_of(libraries, "CUDA "),
        (own, libraries) => {
            let libraries = libraries_of(libraries, "");
            format!("{} and {libraries}", counted(own, "CUDA program"))
        }
    }
}

fn libraries_of(count: usize, kind: &str) -> String {
    match count {
        1 => format!("1 {kind}library"),
        _ => format!("{count} {kind}libraries"),
    }
}

fn line(program: &BuiltProgram) -> String {
    if let Some(reason) = &program.failure {
        return format!("need unknown: {reason}{}", objects(&program.without_ir));
    }
    let mut line = format!(
        "{}, {}",
        counted(program.allocations, "allocation"),
        counted(program.launches, "launch")
    );
    if program.unknowns > 0 {
        let _ = write!(
            line,
            ", {} not followed",
            counted(program.unknowns, "place")
        );
    }
    line + &objects(&program.without_ir)
}

fn objects(without_ir: &[String]) -> String {
    if without_ir.is_empty() {
        return String::new();
    }
    // Behind those that we saw stands the reason.
    let (seen, unseen): (Vec<&String>, Vec<&String>) =
        without_ir.iter().partition(|object| object.contains(NO_IR));
    let mut text = String::new();
    for (objects, why) in [(unseen, ", compiled without migfit"), (seen, "")] {
        if !objects.is_empty() {
            let _ = write!(text, "; not analysed{why}: {}", list(&objects));
        }
    }
    text
}

fn list(objects: &[&String]) -> String {
    let named = objects.iter().take(NAMED_OBJECTS).map(|name| name.as_str());
    let mut list = named.collect::<Vec<_>>().join(", ");
    if objects.len() > NAMED_OBJECTS {
        let _ = write!(list, " and {} more", objects.len() - NAMED_OBJECTS);
    }
    list
}

fn counted(count: usize, noun: &str) -> String {
    match (count, noun.ends_with('h')) {
        (1, _) => format!("1 {noun}"),
        (_, true) => format!("{count} {noun}es"),
        (_, false) => format!("{count} {noun}s"),
    }
}

fn shown(path: &str, folder: &Path) -> String {
    let inside = Path::new(path).strip_prefix(folder);
    inside.map_or_else(|_| path.to_owned(), |inside| inside.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> BuiltProgram {
        BuiltProgram {
            path: path.into(),
            is_library: false,
            allocations: 3,
            launches: 1,
            unknowns: 0,
            without_ir: Vec::new(),
            failure: None,
        }
    }

    fn log(programs: &[BuiltProgram]) -> String {
        let lines = programs.iter().cloned().map(LogLine::Linked);
        let lines = lines.map(|line| serde_json::to_string(&line).unwrap());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn notes_are_told_once_behind_the_programs() {
        let note = serde_json::to_string(&LogLine::Note(BuildNote::LtoLeftOut)).unwrap();
        let log = format!("{note}\n{}\n{note}\n", log(&[program("/w/a")]));
        let text = text(&read(&log), Path::new("/w"));
        assert_eq!(
            text.matches("note: -flto was left out").count(),
            1,
            "{text}"
        );
        assert!(
            text.starts_with("migfit: job profile written into 1 CUDA program\n"),
            "{text}"
        );
    }

    #[test]
    fn a_build_that_failed_is_told_nothing_of_the_side_pass() {
        let lines = [BuildNote::SidePass, BuildNote::LtoLeftOut].map(LogLine::Note);
        let lines = lines.map(|line| serde_json::to_string(&line).unwrap());
        let text = text_of_failed(&read(&lines.join("\n")));
        assert_eq!(text.matches("note: ").count(), 1, "{text}");
        assert!(text.contains("note: -flto was left out"), "{text}");
    }

    #[test]
    fn libraries_are_told_from_programs() {
        let library = BuiltProgram {
            is_library: true,
            ..program("/w/libx.so")
        };
        assert_eq!(
            both(&[program("/w/a"), library.clone()]),
            "1 CUDA program and 1 library"
        );
        assert_eq!(both(&[library.clone(), library]), "2 CUDA libraries");
    }

    #[test]
    fn a_program_linked_twice_counts_once_with_its_last_link() {
        let mut again = program("/w/a");
        again.launches = 2;
        let log = log(&[program("/w/b"), program("/w/a"), again.clone()]);
        assert_eq!(read(&log).programs, vec![again, program("/w/b")]);
    }

    #[test]
    fn cmakes_own_trials_are_left_out() {
        let trial = program("/w/b/CMakeFiles/4.0/CompilerIdCUDA/a.out");
        let log = log(&[trial, program("/w/b/p")]);
        assert_eq!(read(&log).programs, vec![program("/w/b/p")]);
    }

    #[test]
    fn a_cut_line_is_left_out() {
        let whole = log(&[program("/w/a")]);
        let log = format!("{whole}\n{}", &whole[..20]);
        assert_eq!(read(&log).programs.len(), 1);
    }

    #[test]
    fn each_program_has_its_line() {
        let mut partly = program("/w/lud/lud");
        partly.unknowns = 1;
        partly.without_ir = ["a.o", "b.o", "c.o", "d.o"].map(String::from).to_vec();
        let mut failed = program("/elsewhere/x");
        failed.failure = Some("analysis took more than 60 s".into());
        let text = programs_text(&[program("/w/nw"), partly, failed], Path::new("/w"));
        assert_eq!(
            text,
            "migfit: job profile written into 3 CUDA programs (the need of 1 is unknown)\n  \
             nw            3 allocations, 1 launch\n  \
             lud/lud       3 allocations, 1 launch, 1 place not followed; \
             not analysed, compiled without migfit: a.o, b.o, c.o and 1 more\n  \
             /elsewhere/x  need unknown: analysis took more than 60 s\n"
        );
    }

    #[test]
    fn a_build_without_cuda_programs_says_so_with_a_hint() {
        assert!(programs_text(&[], Path::new("/w")).contains("hint: "));
    }
}
