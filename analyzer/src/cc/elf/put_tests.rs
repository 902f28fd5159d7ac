//! Tests of the section writer: what was in the file is still there, whatever is put; broken files are refused.

use super::*;
use object::write::{Object, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, Object as _, ObjectSection as _, ObjectSymbol as _,
    SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};
use proptest::prelude::*;

const OURS: &str = ".migfit.ir";

/// An object with code, a function and something that is not allocated.
fn object_file() -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = object.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
    object.append_section_data(text, &[0xc3; 32], 16);
    let comment = object.add_section(Vec::new(), b".comment".to_vec(), SectionKind::OtherString);
    object.append_section_data(comment, b"a compiler\0", 1);
    object.add_symbol(Symbol {
        name: b"needle".to_vec(),
        value: 0,
        size: 32,
        kind: SymbolKind::Text,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Section(text),
        flags: SymbolFlags::None,
    });
    object.write().unwrap()
}

/// Every section but ours with its bytes, and every symbol with its section.
#[derive(Debug, PartialEq)]
struct Contents {
    sections: Vec<(String, Vec<u8>)>,
    symbols: Vec<(String, Option<usize>)>,
}

fn contents(file: &[u8]) -> Contents {
    let elf = object::File::parse(file).unwrap();
    let sections = elf
        .sections()
        .filter(|section| !section.name().unwrap().starts_with(".migfit"));
    let sections = sections.filter(|section| section.name() != Ok(".shstrtab"));
    let symbols = elf.symbols();
    Contents {
        sections: sections
            .map(|s| (s.name().unwrap().to_owned(), s.data().unwrap().to_vec()))
            .collect(),
        symbols: symbols
            .map(|s| (s.name().unwrap().to_owned(), s.section_index().map(|i| i.0)))
            .collect(),
    }
}

fn section(file: &[u8], name: &str) -> Option<Vec<u8>> {
    let elf = object::File::parse(file).unwrap();
    Some(elf.section_by_name(name)?.data().unwrap().to_vec())
}

#[test]
fn a_new_section_leaves_all_else_as_it_was() {
    let file = object_file();
    let with = put_section(&file, OURS, OURS, b"bitcode").unwrap();
    assert_eq!(section(&with, OURS).unwrap(), b"bitcode");
    assert_eq!(contents(&with), contents(&file));
}

#[test]
fn a_section_is_replaced_and_renamed_in_its_place() {
    let file = object_file();
    let with = put_section(&file, OURS, OURS, &[7; 10_000]).unwrap();
    let renamed = put_section(&with, OURS, ".migfit.profile", b"short").unwrap();
    assert_eq!(section(&renamed, OURS), None);
    assert_eq!(section(&renamed, ".migfit.profile").unwrap(), b"short");
    assert_eq!(contents(&renamed), contents(&file));
    assert!(renamed.len() < file.len() + 300, "the old bytes are gone");
}

#[test]
fn a_linked_program_of_this_machine_keeps_its_segments() {
    let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let with = put_section(&file, OURS, OURS, b"profile").unwrap();
    let end = |file: &[u8]| {
        let header = FileHeader64::<LE>::parse(file).unwrap();
        usize::try_from(loaded_end(
            header,
            header.program_headers(LE, file).unwrap(),
        ))
        .unwrap()
    };
    assert_eq!(end(&with), end(&file));
    let header = size_of::<FileHeader64<LE>>();
    assert_eq!(with[header..end(&with)], file[header..end(&file)]);
    assert_eq!(contents(&with), contents(&file));
}

#[test]
fn more_sections_than_the_header_counts_are_kept() {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    for number in 0..MANY_SECTIONS {
        let id = object.add_section(
            Vec::new(),
            format!(".d{number}").into_bytes(),
            SectionKind::Data,
        );
        object.append_section_data(id, &[1], 1);
    }
    let file = object.write().unwrap();
    let with = put_section(&file, OURS, OURS, b"many").unwrap();
    assert_eq!(section(&with, OURS).unwrap(), b"many");
    assert_eq!(section(&with, ".d65000").unwrap(), [1]);
}

proptest! {
    #[test]
    fn any_bytes_come_back(first in proptest::collection::vec(any::<u8>(), 0..300), second in proptest::collection::vec(any::<u8>(), 0..300)) {
        let file = object_file();
        let once = put_section(&file, OURS, OURS, &first).unwrap();
        prop_assert_eq!(section(&once, OURS).unwrap(), first);
        let twice = put_section(&once, OURS, OURS, &second).unwrap();
        prop_assert_eq!(section(&twice, OURS).unwrap(), second);
        prop_assert_eq!(contents(&twice), contents(&file));
    }

    #[test]
    fn broken_files_are_refused_or_written_so_that_it_reads_back(at in 0usize..1000, byte in any::<u8>(), keep in 0usize..1000) {
        let mut file = object_file();
        let length = file.len();
        file[at % length] = byte;
        file.truncate(length - keep % length);
        if let Ok(with) = put_section(&file, OURS, OURS, b"x") {
            prop_assert_eq!(section(&with, OURS).unwrap(), b"x");
        }
    }
}
