//! Adds one non-allocated section to a relocatable object and leaves every byte of it where it was: the new section, a
//! longer copy of the table of names and a new section header table go behind the end, and the header points there.

use super::put::{align, put_section};
use super::{ElfError, section};
use object::elf::{FileHeader64, SHT_PROGBITS, SectionHeader64};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{LittleEndian as LE, U16, U32, U64, pod};

/// From this many sections on the header's fields hold an escape.
const MANY_SECTIONS: usize = 0xff00;

/// The object with `data` in a section called `name`.
pub fn append_section(file: &[u8], name: &str, data: &[u8]) -> Result<Vec<u8>, ElfError> {
    let header = FileHeader64::<LE>::parse(file)?;
    header.endian()?;
    let mut headers = header.section_headers(LE, file)?.to_vec();
    // An object that was given one before, and one of very many sections, are written anew.
    if section(file, name)?.is_some() || headers.len() + 1 >= MANY_SECTIONS {
        return put_section(file, name, name, data);
    }
    let names = header.shstrndx(LE, file)? as usize;
    let table = headers.get_mut(names).ok_or(ElfError::OutOfFile)?;
    let mut strings = table.data(LE, file)?.to_vec();
    let named_at = u32::try_from(strings.len()).map_err(|_| ElfError::TooLarge)?;
    strings.extend_from_slice(name.as_bytes());
    strings.push(0);
    let mut bytes = file.to_vec();
    let strings_at = bytes.len() as u64;
    table.sh_offset = U64::new(LE, strings_at);
    table.sh_size = U64::new(LE, strings.len() as u64);
    table.sh_addralign = U64::new(LE, 1);
    bytes.extend_from_slice(&strings);
    align(&mut bytes, 8);
    headers.push(SectionHeader64 {
        sh_name: U32::new(LE, named_at),
        sh_type: U32::new(LE, SHT_PROGBITS),
        sh_flags: U64::new(LE, 0),
        sh_addr: U64::new(LE, 0),
        sh_offset: U64::new(LE, bytes.len() as u64),
        sh_size: U64::new(LE, data.len() as u64),
        sh_link: U32::new(LE, 0),
        sh_info: U32::new(LE, 0),
        sh_addralign: U64::new(LE, 1),
        sh_entsize: U64::new(LE, 0),
    });
    bytes.extend_from_slice(data);
    align(&mut bytes, 8);
    let table_at = bytes.len() as u64;
    for header in &headers {
        bytes.extend_from_slice(pod::bytes_of(header));
    }
    let count = u16::try_from(headers.len()).map_err(|_| ElfError::TooLarge)?;
    let (header, _) =
        pod::from_bytes_mut::<FileHeader64<LE>>(&mut bytes).map_err(|()| ElfError::OutOfFile)?;
    header.e_shoff = U64::new(LE, table_at);
    header.e_shnum = U16::new(LE, count);
    match section(&bytes, name)? {
        Some(found) if found == data => Ok(bytes),
        _ => Err(ElfError::NotReadBack),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::Object;
    use object::{Architecture, BinaryFormat, Endianness, ObjectSection as _, SectionKind};

    fn object() -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        for name in [".text.one", ".text.two"] {
            let section = object.add_section(Vec::new(), name.into(), SectionKind::Text);
            object.append_section_data(section, name.as_bytes(), 16);
        }
        object.write().unwrap()
    }

    #[test]
    fn all_but_two_fields_of_the_header_stay_where_they_were() {
        let before = object();
        let after = append_section(&before, ".migfit.ir", b"bitcode").unwrap();
        assert_eq!(
            section(&after, ".migfit.ir").unwrap(),
            Some(&b"bitcode"[..])
        );
        let mut kept = after[..before.len()].to_vec();
        for field in [0x28..0x30, 0x3c..0x3e] {
            kept[field.clone()].copy_from_slice(&before[field]);
        }
        assert_eq!(kept, before);
    }

    #[test]
    fn every_other_section_reads_as_before() {
        use object::Object as _;
        let before = object();
        let after = append_section(&before, ".migfit.ir", &[7; 1001]).unwrap();
        let again = append_section(&after, ".migfit.ir", b"new").unwrap();
        for file in [&after, &again] {
            let (old, new) = (
                object::File::parse(&*before).unwrap(),
                object::File::parse(&**file).unwrap(),
            );
            for section in old.sections() {
                let name = section.name().unwrap();
                let same = new.section_by_name(name).unwrap();
                if name != ".shstrtab" {
                    assert_eq!(section.data().unwrap(), same.data().unwrap(), "{name}");
                }
                assert_eq!(section.index(), same.index());
            }
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(append_section(b"!<arch>\n", ".migfit.ir", b"x").is_err());
        assert!(append_section(&object()[..100], ".migfit.ir", b"x").is_err());
    }
}
