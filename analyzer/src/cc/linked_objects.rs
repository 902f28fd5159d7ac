//! Which linked objects carry no host IR, and why; whose IR lies beside them; whose is damaged. Reads the files that the
//! link command names, archives that `-l` finds in the command's own `-L` folders, and the program for what it took.

use super::command_line::CommandLine;
use super::{carried_ir, elf};
use migfit_schema::build::NO_IR;
use migfit_schema::container::{self, IR_SECTION};
use object::read::archive::{ArchiveFile, ArchiveMember};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Archives of NVIDIA's closed libraries: no source, so no IR, and nothing to mend.
const CLOSED: [&str; 3] = ["libcu", "libnv", "libnpp"];

/// First bytes of LLVM's own objects of link-time optimisation.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// A linked object, or a member of an archive.
struct Part {
    name: String,
    bytes: Vec<u8>,
    /// Whether the linker takes it only where it is needed.
    is_member: bool,
}

/// The objects and members of archives without IR that are part of `program`, in the order of the command; behind those
/// that we saw, in brackets, the reason.
pub fn without_ir(line: &CommandLine, program: &[u8]) -> Vec<String> {
    let taken = elf::defined_names(program);
    let lacking = parts(line).filter(|part| {
        object_lacks_ir(&part.bytes) && (!part.is_member || is_taken(&part.bytes, &taken))
    });
    let told = |part: Part| match reason(&part.bytes) {
        Some(reason) => format!("{}{NO_IR}{reason})", part.name),
        None => part.name,
    };
    lacking.map(told).collect()
}

/// The sections of IR that lie beside objects of `program`, as a linker's plugin drops them.
pub fn beside(line: &CommandLine, program: &[u8]) -> Vec<Vec<u8>> {
    let taken = elf::defined_names(program);
    let parts = parts(line).filter(|part| !part.is_member || is_taken(&part.bytes, &taken));
    parts
        .filter_map(|part| carried_ir::kept_for(&part.bytes))
        .collect()
}

/// The first object whose IR is damaged.
pub fn damaged(line: &CommandLine) -> Option<String> {
    let broken = |part: &Part| {
        let section = elf::section(&part.bytes, IR_SECTION).ok().flatten();
        section.is_some_and(|section| container::bitcode(section).is_err())
    };
    parts(line).find(broken).map(|part| part.name)
}

fn parts(line: &CommandLine) -> impl Iterator<Item = Part> {
    let named = line.linked_inputs().map(Path::to_owned);
    let files = named.chain(archives_by_name(line));
    files
        .filter(|file| !is_closed(file))
        .flat_map(|file| parts_of(&file))
}

fn parts_of(path: &Path) -> Vec<Part> {
    let Ok(file) = std::fs::read(path) else {
        return Vec::new();
    };
    let Ok(archive) = ArchiveFile::parse(&*file) else {
        return vec![Part {
            name: shown(path),
            bytes: file,
            is_member: false,
        }];
    };
    let members = archive.members().filter_map(Result::ok);
    let part = |member: ArchiveMember<'_>| {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        Some(Part {
            name: format!("{}({name})", shown(path)),
            bytes: contents(path, &file, &member)?,
            is_member: true,
        })
    };
    members.filter_map(part).collect()
}

/// Why we made an object without IR.
fn reason(object: &[u8]) -> Option<String> {
    let section = elf::section(object, IR_SECTION).ok().flatten()?;
    container::no_bitcode(section)
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
    let section = elf::section(object, IR_SECTION).ok().flatten();
    let has_ir = section.is_some_and(|section| container::no_bitcode(section).is_none());
    is_object && !has_ir && carried_ir::kept_for(object).is_none()
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
