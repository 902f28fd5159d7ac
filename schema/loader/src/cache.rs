//! The bytes of /etc/ld.so.cache in, libraries by name out. The format is glibc's "new" one (dl-cache.h): a header of
//! 48 bytes, entries of 24, texts; an older table may stand before it.

use std::path::PathBuf;

const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const HEADER: usize = 48;
const ENTRY: usize = 24;
/// Flags of a library for x86-64 and the present C library.
const X86_64: u32 = 0x0303;

/// Names and paths, in the cache's order. Variants for newer processors are left out; damaged entries too.
#[must_use]
pub fn parse(bytes: &[u8]) -> Vec<(String, PathBuf)> {
    let start = bytes
        .windows(MAGIC.len())
        .position(|window| window == MAGIC);
    let Some(table) = start.and_then(|start| bytes.get(start..)) else {
        return Vec::new();
    };
    let count = number(table, MAGIC.len()).unwrap_or_default() as usize;
    let entries = table.get(HEADER..).unwrap_or_default().chunks_exact(ENTRY);
    entries
        .take(count)
        .filter_map(|entry| library(table, entry))
        .collect()
}

fn library(table: &[u8], entry: &[u8]) -> Option<(String, PathBuf)> {
    let plain = entry.get(16..ENTRY)?.iter().all(|byte| *byte == 0);
    if number(entry, 0)? != X86_64 || !plain {
        return None;
    }
    let name = text(table, number(entry, 4)?)?;
    let path = text(table, number(entry, 8)?)?;
    Some((name.to_owned(), PathBuf::from(path)))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_le_bytes)
}

fn text(table: &[u8], at: u32) -> Option<&str> {
    let rest = table.get(at as usize..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cache(flags: u32, capability: u64) -> Vec<u8> {
        let texts = b"libx.so.1\0/opt/x/libx.so.1\0";
        let first = u32::try_from(HEADER + ENTRY).unwrap();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(u32::try_from(texts.len()).unwrap().to_le_bytes());
        bytes.resize(HEADER, 0);
        for field in [flags, first, first + 10, 0] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(capability.to_le_bytes());
        bytes.extend(texts);
        bytes
    }

    #[test]
    fn libraries_of_this_machine_s_kind_are_found_behind_an_older_table_too() {
        let expected = vec![("libx.so.1".to_owned(), PathBuf::from("/opt/x/libx.so.1"))];
        let found = cache(X86_64, 0);
        assert_eq!(parse(&found), expected);
        assert_eq!(
            parse(&[&b"ld.so-1.7.0\0\0\0\0\0"[..], &found].concat()),
            expected
        );
        assert_eq!(parse(&cache(0x0003, 0)), []);
        assert_eq!(parse(&cache(X86_64, 1 << 62)), []);
    }

    #[test]
    fn the_system_s_own_has_the_c_library() {
        let bytes = std::fs::read("/etc/ld.so.cache").unwrap();
        assert!(
            parse(&bytes)
                .iter()
                .any(|(name, path)| name == "libc.so.6" && path.is_file())
        );
    }

    proptest! {
        #[test]
        fn damaged_caches_are_taken(at in 0usize..99, byte in any::<u8>(), keep in 0usize..100) {
            let mut bytes = cache(X86_64, 0);
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(keep);
            let found = parse(&bytes);
            prop_assert!(found.len() <= 1);
        }
    }
}
