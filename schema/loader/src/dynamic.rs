//! The bytes of an ELF file in, what the dynamic loader reads of it out: needed libraries, search paths, name, build-id.

use object::read::elf::ElfFile64;
use object::read::{Object as _, ReadRef, Result, StringTable};
use object::{LittleEndian, elf};

/// What the dynamic loader reads of a program or library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dynamic {
    /// Libraries that it needs, in its order.
    pub needed: Vec<String>,
    /// The name under which it is loaded, where it has one (DT_SONAME).
    pub soname: Option<String>,
    /// Where to look before LD_LIBRARY_PATH, `:` between folders (DT_RPATH).
    pub rpath: Option<String>,
    /// Where to look after LD_LIBRARY_PATH (DT_RUNPATH).
    pub runpath: Option<String>,
    /// The linker's name for this very link, where it gave one (GNU build-id).
    pub build_id: Option<Vec<u8>>,
}

impl Dynamic {
    /// Reads a file of 64 bits, little-endian. One that is linked statically needs nothing.
    ///
    /// # Errors
    /// When it is no such file, or a damaged one.
    pub fn read<'data, R: ReadRef<'data>>(data: R) -> Result<Dynamic> {
        let file = ElfFile64::<LittleEndian, R>::parse(data)?;
        let mut found = Dynamic {
            build_id: file.build_id()?.map(<[u8]>::to_vec),
            ..Dynamic::default()
        };
        let endian = file.endian();
        let sections = file.elf_section_table();
        let Some((entries, strings)) = sections.dynamic(endian, data)? else {
            return Ok(found);
        };
        let strings = sections.strings(endian, data, strings)?;
        for entry in entries {
            // Tags of 32 bits: larger ones are none of these.
            match u32::try_from(entry.d_tag.get(endian)) {
                Ok(elf::DT_NEEDED) => found.needed.push(text(entry, strings)),
                Ok(elf::DT_SONAME) => found.soname = Some(text(entry, strings)),
                Ok(elf::DT_RPATH) => found.rpath = Some(text(entry, strings)),
                Ok(elf::DT_RUNPATH) => found.runpath = Some(text(entry, strings)),
                Ok(elf::DT_NULL) => break,
                _ => {}
            }
        }
        Ok(found)
    }
}

fn text<'data, R: ReadRef<'data>>(
    entry: &elf::Dyn64<LittleEndian>,
    strings: StringTable<'data, R>,
) -> String {
    let at = u32::try_from(entry.d_val.get(LittleEndian)).unwrap_or(u32::MAX);
    // No text at that place: an empty one, which names nothing.
    let bytes = strings.get(at).unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_needs_the_c_library() {
        let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = Dynamic::read(&*file).unwrap();
        assert!(found.needed.iter().any(|name| name == "libc.so.6"));
        assert_eq!(found.soname, None);
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(Dynamic::read(&b"!<arch>\n"[..]).is_err());
    }
}
