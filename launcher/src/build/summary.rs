//! The few lines after a build: which programs carry a job profile, and what is missing in it. Text out of the
//! build's log; reads no program.

use migfit_schema::build::BuiltProgram;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Objects without IR that are named one by one; the rest are counted.
const NAMED_OBJECTS: usize = 3;

/// The programs of a build's log, each once (the last link counts), by path. Left out are lines that are cut, and
/// programs that CMake links to learn about compilers.
pub(super) fn programs(log: &str) -> Vec<BuiltProgram> {
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let by_path: BTreeMap<String, BuiltProgram> = lines
        .map(|program: BuiltProgram| (program.path.clone(), program))
        .collect();
    let wanted = |program: &BuiltProgram| !program.path.contains("/CMakeFiles/");
    by_path.into_values().filter(wanted).collect()
}

/// The text for the user; paths are shown relative to `folder`.
pub(super) fn text(programs: &[BuiltProgram], folder: &Path) -> String {
    if programs.is_empty() {
        return "migfit: no CUDA program was linked, so none got a job profile (objects keep their IR until the link)\n  \
                hint: is everything up to date already (make clean), or does the build call compilers by full path?\n"
            .to_owned();
    }
    let unknown = programs.iter().filter(|p| p.failure.is_some()).count();
    let mut text = format!(
        "migfit: job profile written into {}{}\n",
        counted(programs.len(), "CUDA program"),
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
    let named = without_ir.iter().take(NAMED_OBJECTS).cloned();
    let mut list = named.collect::<Vec<_>>().join(", ");
    if without_ir.len() > NAMED_OBJECTS {
        let _ = write!(list, " and {} more", without_ir.len() - NAMED_OBJECTS);
    }
    format!("; not analysed, compiled without migfit: {list}")
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
            allocations: 3,
            launches: 1,
            unknowns: 0,
            without_ir: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn a_program_linked_twice_counts_once_with_its_last_link() {
        let mut again = program("/w/a");
        again.launches = 2;
        let log = [program("/w/b"), program("/w/a"), again.clone()]
            .map(|p| serde_json::to_string(&p).unwrap())
            .join("\n");
        assert_eq!(programs(&log), vec![again, program("/w/b")]);
    }

    #[test]
    fn cmakes_own_trials_are_left_out() {
        let trial = program("/w/b/CMakeFiles/4.0/CompilerIdCUDA/a.out");
        let log = [trial, program("/w/b/p")].map(|p| serde_json::to_string(&p).unwrap());
        assert_eq!(programs(&log.join("\n")), vec![program("/w/b/p")]);
    }

    #[test]
    fn a_cut_line_is_left_out() {
        let whole = serde_json::to_string(&program("/w/a")).unwrap();
        let log = format!("{whole}\n{}", &whole[..20]);
        assert_eq!(programs(&log).len(), 1);
    }

    #[test]
    fn each_program_has_its_line() {
        let mut partly = program("/w/lud/lud");
        partly.unknowns = 1;
        partly.without_ir = ["a.o", "b.o", "c.o", "d.o"].map(String::from).to_vec();
        let mut failed = program("/elsewhere/x");
        failed.failure = Some("analysis took more than 60 s".into());
        let text = text(&[program("/w/nw"), partly, failed], Path::new("/w"));
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
        assert!(text(&[], Path::new("/w")).contains("hint: "));
    }
}
