//! Which linked objects carry no host IR: a compiler made them that migfit did not see. Reads the files that the link
//! command names, archives that `-l` finds in the command's own `-L` folders, and the program for what it took of them.

use super::command_line::CommandLine;
use super::elf;
use migfit_schema::container::IR_SECTION;
use object::read::archive::{ArchiveFile, ArchiveMember};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Archives of NVIDIA's closed libraries: no source, so no IR, and nothing to mend.
const CLOSED: [&str; 3] = ["libcu", "libnv", "libnpp"];

/// First bytes of LLVM's own objects of link-time optimisation.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// The objects and members of archives without IR that are part of `program`, in the order of the command.
pub fn without_ir(line: &CommandLine, program: &[u8]) -> Vec<String> {
    let taken = elf::defined_names(program);
    let named = line.linked_inputs().map(Path::to_owned);
    let files = named
        .chain(archives_by_name(line))
        .filter(|file| !is_closed(file));
    files.flat_map(|file| lacking(&file, &taken)).collect()
}

fn lacking(path: &Path, taken: &HashSet<&[u8]>) -> Vec<String> {
    let Ok(file) = std::fs::read(path) else {
        return Vec::new();
    };
    let Ok(archive) = ArchiveFile::parse(&*file) else {
        let lacks = object_lacks_ir(&file);
        return lacks.then(|| shown(path)).into_iter().collect();
    };
    let members = archive.members().filter_map(Result::ok);
    let lacking = members.filter(|member| {
        let object = contents(path, &file, member);
        object.is_some_and(|object| object_lacks_ir(&object) && is_taken(&object, taken))
    });
    let member = |one: ArchiveMember<'_>| String::from_utf8_lossy(one.name()).into_owned();
    lacking
        .map(|one| format!("{}({})", shown(path), member(one)))
        .collect()
}

/// A member's bytes; of a thin archive they lie in a file of their own, named from the archive's folder.
fn contents(archive: &Path, file: &[u8], member: &ArchiveMember<'_>) -> Option<Vec<u8>> {
    if member.is_thin() {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        return std::fs::read(archive.with_file_name("").join(name)).ok();
    }
    Some(member.data(file).ok()?.to_vec())
}

/// Whether a member is in the program: one of its names is. Of a stripped program, or of a member whose names are not
/// known (link-time optimisation), it is not known: it counts.
fn is_taken(object: &[u8], taken: &HashSet<&[u8]>) -> bool {
    let own = elf::defined_names(object);
    let opaque = own.iter().all(|name| name.starts_with(b"__gnu_lto"));
    taken.is_empty() || opaque || own.iter().any(|name| taken.contains(name))
}

fn object_lacks_ir(object: &[u8]) -> bool {
    let is_object = elf::is_object(object) || object.starts_with(BITCODE);
    is_object && !matches!(elf::section(object, IR_SECTION), Ok(Some(_)))
}
/// Static libraries that `-lNAME` finds where the command itself says `-L`; the system's own are left out.
fn archives_by_name(line: &CommandLine) -> Vec<PathBuf> {
    let values = |option: &'static str| {
        let values = line
            .tokens
            .iter()
            .filter_map(move |token| token.value(option));
        values
            .map(|value| value.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
    };
    let folders = values("-L");
    let all_static = line.has_option(|option| option == "-static");
    let find = |name: &String| {
        let exact = name.strip_prefix(':');
        folders.iter().map(Path::new).find_map(|folder| {
            let archive = folder.join(exact.map_or_else(|| format!("lib{name}.a"), str::to_owned));
            let shared = folder.join(format!("lib{name}.so"));
            let usable = all_static || exact.is_some() || !shared.exists();
            (usable && archive.is_file()).then_some(archive)
        })
    };
    values("-l").iter().filter_map(find).collect()
}

fn is_closed(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    CLOSED.iter().any(|beginning| name.starts_with(beginning))
}

/// The path as written; without the process number in nvcc's temporary names, so that profiles repeat.
fn shown(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match name
        .strip_prefix("tmpxft_")
        .and_then(|rest| rest.splitn(3, '_').nth(2))
    {
        Some(own) => own.to_owned(),
        None => file.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_of_nvcc_are_shown_as_the_users() {
        let shown_as = |path: &str| shown(Path::new(path));
        assert_eq!(
            shown_as("/tmp/tmpxft_0000287e_00000000-6_my_main.o"),
            "my_main.o"
        );
        assert_eq!(shown_as("obj/solver.o"), "obj/solver.o");
    }

    #[test]
    fn closed_libraries_are_left_out() {
        assert!(is_closed(Path::new("/x/lib/libcudadevrt.a")));
        assert!(!is_closed(Path::new("libsolver.a")));
    }
}
