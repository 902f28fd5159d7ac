//! Allocating code by file and offset -> file and line where the program has debug information, else the function.

use gimli::{Dwarf, EndianRcSlice, RunTimeEndian, SectionId};
use migfit_schema::record::AllocationSite;
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Beginnings of places in CUDA's headers, by line and by function.
const CUDA_HEADERS: [&str; 4] = [
    "cuda_runtime",
    "cudaMalloc",
    "cudaHostAlloc",
    "cudaMallocManaged",
];

type Slice = EndianRcSlice<RunTimeEndian>;

/// A file's places by offset.
struct Places {
    lines: Option<addr2line::Context<Slice>>,
    /// Functions by offset, with their sizes and names.
    functions: BTreeMap<u64, (u64, String)>,
    /// Address that the first byte of the loaded file stands for.
    base: u64,
}

/// The place of each site, in their order.
#[must_use]
pub fn places(sites: &[AllocationSite]) -> Vec<String> {
    let mut files: BTreeMap<String, Option<Places>> = BTreeMap::new();
    let place = |site: &AllocationSite| {
        let known = files
            .entry(site.file.clone())
            .or_insert_with(|| Places::of(&site.file));
        let found = known
            .as_ref()
            .and_then(|places| places.first_own(&site.offsets));
        let offset = site.offsets.first().copied().unwrap_or(0);
        found.unwrap_or_else(|| format!("{}+{offset:#x}", name(&site.file)))
    };
    sites.iter().map(place).collect()
}

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl Places {
    fn of(path: &str) -> Option<Places> {
        let bytes = std::fs::read(path).ok()?;
        let elf = object::File::parse(bytes.as_slice()).ok()?;
        let functions = elf
            .symbols()
            .chain(elf.dynamic_symbols())
            .filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.is_definition());
        let named = functions.filter_map(|symbol| {
            let name = migfit_sizes::people_name(symbol.name().ok()?);
            Some((symbol.address(), (symbol.size(), name)))
        });
        Some(Places {
            functions: named.collect(),
            lines: lines(&elf),
            base: base(&elf),
        })
    }

    /// The first place that is the program's own: templates of CUDA's headers stand between it and the call.
    fn first_own(&self, offsets: &[u64]) -> Option<String> {
        let mut places = offsets.iter().filter_map(|offset| self.at(*offset));
        let first = places.next()?;
        let of_cuda = |place: &str| CUDA_HEADERS.iter().any(|header| place.starts_with(header));
        match of_cuda(&first) {
            false => Some(first),
            true => Some(places.find(|place| !of_cuda(place)).unwrap_or(first)),
        }
    }

    fn at(&self, offset: u64) -> Option<String> {
        // A return address is behind its call.
        let address = (self.base + offset).checked_sub(1)?;
        let line = self
            .lines
            .as_ref()
            .and_then(|lines| lines.find_location(address).ok()?);
        if let Some(found) = line
            && let (Some(file), Some(line)) = (found.file, found.line)
        {
            return Some(format!("{}:{line}", name(file)));
        }
        let (start, (size, function)) = self.functions.range(..=address).next_back()?;
        let within = *size == 0 || address - start < *size;
        within.then(|| format!("{function}+{:#x}", address + 1 - start))
    }
}

/// Address of the first loaded byte: 0 but in programs that are loaded at a fixed place.
fn base(elf: &object::File) -> u64 {
    use object::ObjectSegment;
    let starts = elf.segments().map(|segment| segment.address() & !0xfff);
    starts.min().unwrap_or(0)
}

fn lines(elf: &object::File) -> Option<addr2line::Context<Slice>> {
    elf.section_by_name(".debug_line")?;
    let load = |id: SectionId| -> Result<Slice, gimli::Error> {
        let section = elf.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        let data: Rc<[u8]> = Rc::from(data.unwrap_or_default().as_ref());
        Ok(EndianRcSlice::new(data, RunTimeEndian::Little))
    };
    addr2line::Context::from_dwarf(Dwarf::load(load).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_very_program_is_found_by_its_offset() {
        let path = std::env::current_exe().unwrap().display().to_string();
        let places = Places::of(&path).unwrap();
        let large = |(_, (size, _)): &(&u64, &(u64, String))| *size > 64;
        let (start, (_, name)) = places.functions.iter().find(large).unwrap();
        let found = places.at(start - places.base + 4).unwrap();
        let by_line = found
            .split_once(':')
            .is_some_and(|(_, line)| line.parse::<u32>().is_ok());
        assert!(by_line || found == format!("{name}+0x4"), "{found}");
        let nowhere = AllocationSite {
            file: "/no/such/file".to_owned(),
            offsets: vec![16],
            count: 1,
            bytes: 1,
            smallest: 1,
            largest: 1,
        };
        assert_eq!(super::places(&[nowhere]), ["file+0x10"]);
    }
}
