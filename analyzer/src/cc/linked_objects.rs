//! Which linked objects carry no host IR: a compiler made them that migfit did not see. Reads the files that the
//! link command names, and archives that `-l` finds in the command's own `-L` folders.

use super::command_line::CommandLine;
use super::elf;
use migfit_schema::container::IR_SECTION;
use object::read::archive::ArchiveFile;
use std::path::{Path, PathBuf};

/// Archives of NVIDIA's closed libraries: no source, so no IR, and nothing to mend.
const CLOSED: [&str; 3] = ["libcu", "libnv", "libnpp"];

/// The objects and archives without IR, in the order of the command.
pub fn without_ir(line: &CommandLine) -> Vec<String> {
    let named = line.linked_inputs().map(Path::to_owned);
    let files = named
        .chain(archives_by_name(line))
        .filter(|file| !is_closed(file));
    files
        .filter(|file| lacks_ir(file))
        .map(|file| shown(&file))
        .collect()
}

fn lacks_ir(path: &Path) -> bool {
    let Ok(file) = std::fs::read(path) else {
        return false;
    };
    match ArchiveFile::parse(&*file) {
        Ok(archive) => {
            let members = archive.members().filter_map(Result::ok);
            members
                .filter_map(|member| member.data(&*file).ok())
                .any(object_lacks_ir)
        }
        Err(_) => object_lacks_ir(&file),
    }
}

fn object_lacks_ir(object: &[u8]) -> bool {
    elf::is_object(object) && !matches!(elf::section(object, IR_SECTION), Ok(Some(_)))
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
