//! Writes one non-allocated section into an ELF file. Everything that a loader or relocation refers to keeps its
//! offset and its section number: only non-allocated sections behind the last allocated byte move, and the section
//! header table goes to the end.

use super::{ElfError, section};
use object::elf::{
    FileHeader64, ProgramHeader64, SHF_ALLOC, SHT_NOBITS, SHT_NULL, SHT_PROGBITS, SectionHeader64,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _};
use object::{LittleEndian as LE, U16, U32, U64, pod};
use std::borrow::Cow;

/// From this many sections on the header's fields hold an escape.
const MANY_SECTIONS: usize = 0xff00;

/// The file with `data` in a section called `name`: the one called `old` or `name` where there is one, else a new one.
pub fn put_section(file: &[u8], old: &str, name: &str, data: &[u8]) -> Result<Vec<u8>, ElfError> {
    let mut table = Table::read(file)?;
    let place = match table.find(name).or_else(|| table.find(old)) {
        Some(place) => place,
        None => table.add(),
    };
    table.rename(place, name)?;
    table.fill(place, data);
    let written = table.write(file)?;
    // A damaged table of names can swallow the section: then the file stays as it was.
    match section(&written, name)? {
        Some(found) if found == data => Ok(written),
        _ => Err(ElfError::NotReadBack),
    }
}

/// A section: its header and, where it may move, its bytes.
struct Section<'a> {
    header: SectionHeader64<LE>,
    data: Cow<'a, [u8]>,
    changed: bool,
}

impl Section<'_> {
    fn end(&self) -> u64 {
        self.header
            .sh_offset(LE)
            .saturating_add(self.data.len() as u64)
    }

    fn is_allocated(&self) -> bool {
        self.header.sh_flags(LE) & u64::from(SHF_ALLOC) != 0
    }
}

struct Table<'a> {
    sections: Vec<Section<'a>>,
    /// Number of the section that holds the names.
    names: usize,
    /// End of the headers and segments.
    loaded_end: u64,
}

impl<'a> Table<'a> {
    fn read(file: &'a [u8]) -> Result<Table<'a>, ElfError> {
        let header = FileHeader64::<LE>::parse(file)?;
        header.endian()?;
        let headers = header.section_headers(LE, file)?;
        let mut sections = Vec::with_capacity(headers.len() + 1);
        for header in headers {
            let data = header.data(LE, file)?;
            sections.push(Section {
                header: *header,
                data: data.into(),
                changed: false,
            });
        }
        let names = header.shstrndx(LE, file)? as usize;
        if names >= sections.len() {
            return Err(ElfError::OutOfFile);
        }
        Ok(Table {
            sections,
            names,
            loaded_end: loaded_end(header, header.program_headers(LE, file)?),
        })
    }

    fn find(&self, name: &str) -> Option<usize> {
        let strings = &self.sections.get(self.names)?.data;
        self.sections.iter().position(|section| {
            let at = section.header.sh_name.get(LE) as usize;
            let rest = strings.get(at..).unwrap_or_default();
            rest.split(|byte| *byte == 0).next() == Some(name.as_bytes())
        })
    }

    /// A new section at the end of the table, so that no other changes its number.
    fn add(&mut self) -> usize {
        self.sections.push(Section {
            header: SectionHeader64 {
                sh_name: U32::new(LE, 0),
                sh_type: U32::new(LE, SHT_PROGBITS),
                sh_flags: U64::new(LE, 0),
                sh_addr: U64::new(LE, 0),
                sh_offset: U64::new(LE, 0),
                sh_size: U64::new(LE, 0),
                sh_link: U32::new(LE, 0),
                sh_info: U32::new(LE, 0),
                sh_addralign: U64::new(LE, 1),
                sh_entsize: U64::new(LE, 0),
            },
            data: Cow::default(),
            changed: true,
        });
        self.sections.len() - 1
    }

    fn rename(&mut self, place: usize, name: &str) -> Result<(), ElfError> {
        if self.find(name) == Some(place) {
            return Ok(());
        }
        let strings = self
            .sections
            .get_mut(self.names)
            .ok_or(ElfError::OutOfFile)?;
        let at = u32::try_from(strings.data.len()).map_err(|_| ElfError::TooLarge)?;
        let bytes = strings.data.to_mut();
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        strings.changed = true;
        let section = self.sections.get_mut(place).ok_or(ElfError::OutOfFile)?;
        section.header.sh_name = U32::new(LE, at);
        Ok(())
    }

    fn fill(&mut self, place: usize, data: &[u8]) {
        if let Some(section) = self.sections.get_mut(place) {
            section.data = Cow::Owned(data.to_vec());
            section.changed = true;
        }
    }

    /// Where bytes that must not move end: headers, segments, allocated sections, and what overlaps with them.
    fn pinned_end(&self, order: &[usize]) -> u64 {
        let allocated = self
            .sections
            .iter()
            .filter(|section| section.is_allocated());
        let mut end = allocated.map(Section::end).fold(self.loaded_end, u64::max);
        for section in order.iter().filter_map(|place| self.sections.get(*place)) {
            if !section.changed && section.header.sh_offset(LE) < end {
                end = end.max(section.end());
            }
        }
        end
    }

    fn write(mut self, file: &[u8]) -> Result<Vec<u8>, ElfError> {
        let mut order: Vec<usize> = (0..self.sections.len())
            .filter(|place| self.occupies(*place))
            .collect();
        order.sort_by_key(|place| {
            self.sections
                .get(*place)
                .map(|section| section.header.sh_offset(LE))
        });
        let pinned = usize::try_from(self.pinned_end(&order)).map_err(|_| ElfError::OutOfFile)?;
        let mut bytes = file.get(..pinned).ok_or(ElfError::OutOfFile)?.to_vec();
        for place in order {
            let Some(section) = self.sections.get_mut(place) else {
                continue;
            };
            if section.changed || section.header.sh_offset(LE) >= pinned as u64 {
                align(&mut bytes, section.header.sh_addralign(LE));
                section.header.sh_offset = U64::new(LE, bytes.len() as u64);
                section.header.sh_size = U64::new(LE, section.data.len() as u64);
                bytes.extend_from_slice(&section.data);
            }
        }
        self.finish(bytes)
    }

    /// Whether a section that is not allocated has bytes in the file.
    fn occupies(&self, place: usize) -> bool {
        self.sections.get(place).is_some_and(|section| {
            let kind = section.header.sh_type(LE);
            !section.is_allocated() && kind != SHT_NULL && kind != SHT_NOBITS
        })
    }

    /// The section header table behind the bytes, and the file's header that points to it.
    fn finish(mut self, mut bytes: Vec<u8>) -> Result<Vec<u8>, ElfError> {
        align(&mut bytes, 8);
        let at = bytes.len() as u64;
        let count = self.sections.len();
        let many = count >= MANY_SECTIONS;
        if let (true, Some(first)) = (many, self.sections.first_mut()) {
            first.header.sh_size = U64::new(LE, count as u64);
        }
        for section in &self.sections {
            bytes.extend_from_slice(pod::bytes_of(&section.header));
        }
        let (header, _) = pod::from_bytes_mut::<FileHeader64<LE>>(&mut bytes)
            .map_err(|()| ElfError::OutOfFile)?;
        header.e_shoff = U64::new(LE, at);
        let narrow = u16::try_from(count).ok().filter(|_| !many);
        header.e_shnum = U16::new(LE, narrow.unwrap_or(0));
        Ok(bytes)
    }
}

fn loaded_end(header: &FileHeader64<LE>, segments: &[ProgramHeader64<LE>]) -> u64 {
    let table = size_of_val(segments) as u64;
    let ends = segments
        .iter()
        .map(|segment| segment.p_offset(LE).saturating_add(segment.p_filesz(LE)));
    let headers = [
        size_of::<FileHeader64<LE>>() as u64,
        header.e_phoff.get(LE).saturating_add(table),
    ];
    ends.chain(headers).max().unwrap_or_default()
}

pub(super) fn align(bytes: &mut Vec<u8>, to: u64) {
    let to = usize::try_from(to).unwrap_or(1).clamp(1, 4096);
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

#[cfg(test)]
#[path = "put_tests.rs"]
mod tests;
