//! The bytes of our ELF sections: a sequence of entries, each an 8-byte mark, an 8-byte little-endian
//! length and the payload. Linkers concatenate sections, so a reader walks all entries and skips zero padding.

/// Section that carries host IR (bitcode) from the compile to the final link.
pub const IR_SECTION: &str = ".migfit.ir";
/// Section that carries the job profile in a linked program.
pub const PROFILE_SECTION: &str = ".migfit.profile";

/// Mark of an entry that holds LLVM bitcode.
pub const BITCODE: [u8; 8] = *b"MIGFITBC";
/// Mark of an entry in place of LLVM bitcode: the reason, as text, why there is none.
pub const NO_BITCODE: [u8; 8] = *b"MIGFITNO";
/// Mark of an entry that holds the JSON of a `profile::Summary`.
pub const SUMMARY: [u8; 8] = *b"MIGFITJS";
/// Mark of an entry that holds the postcard bytes of a `program::SizeProgram`.
pub const PROGRAM: [u8; 8] = *b"MIGFITSP";
/// Mark of a second size program, which keeps checks with the work that they look at; where there is one.
pub const CHECKED: [u8; 8] = *b"MIGFITCH";
/// Mark of an entry that holds the postcard bytes of a `program::Part`: what shared libraries offer, and programs that
/// need some.
pub const PART: [u8; 8] = *b"MIGFITPT";

/// Mark of the entry that ends a job profile: the checksum of everything before it.
pub const CHECKSUM: [u8; 8] = *b"MIGFITCK";

/// All marks.
const MARKS: [[u8; 8]; 7] = [
    BITCODE, NO_BITCODE, SUMMARY, PROGRAM, CHECKED, PART, CHECKSUM,
];

/// Why the bytes of a section could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerError {
    /// An entry is cut short, at this offset.
    Truncated(usize),
    /// Bytes that are no mark of ours, at this offset.
    Mark(usize),
    /// The checksum is missing, or is not that of the bytes before it.
    Checksum,
}

impl std::fmt::Display for ContainerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ContainerError::Truncated(at) => write!(f, "entry cut short at byte {at}"),
            ContainerError::Mark(at) => write!(f, "no known mark at byte {at}"),
            ContainerError::Checksum => write!(f, "the checksum does not fit"),
        }
    }
}

impl std::error::Error for ContainerError {}

/// Appends one entry.
pub fn append(section: &mut Vec<u8>, mark: [u8; 8], payload: &[u8]) {
    section.extend_from_slice(&mark);
    section.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    section.extend_from_slice(payload);
}

/// Appends bitcode with a checksum behind it: damage that a reader of bitcode does not notice changes what it means.
pub fn append_bitcode(section: &mut Vec<u8>, bitcode: &[u8]) {
    append(section, BITCODE, bitcode);
    append(section, CHECKSUM, &checksum(bitcode).to_le_bytes());
}

/// The modules in a section of host IR, in order.
///
/// # Errors
/// As `entries`, and when a module has no checksum behind it, or another one's.
pub fn bitcode(section: &[u8]) -> Result<Vec<&[u8]>, ContainerError> {
    let mut modules = Vec::new();
    let mut entries = entries(section)?.into_iter();
    while let Some((mark, payload)) = entries.next() {
        if mark == NO_BITCODE {
            continue;
        }
        let sum = entries.next().filter(|(mark, _)| *mark == CHECKSUM);
        let fits = sum.is_some_and(|(_, sum)| sum == checksum(payload).to_le_bytes());
        if mark != BITCODE || !fits {
            return Err(ContainerError::Checksum);
        }
        modules.push(payload);
    }
    Ok(modules)
}

/// Why an object's section holds no bitcode, where it says so.
#[must_use]
pub fn no_bitcode(section: &[u8]) -> Option<String> {
    let entries = entries(section).ok()?;
    let (_, reason) = entries.iter().find(|(mark, _)| *mark == NO_BITCODE)?;
    Some(String::from_utf8_lossy(reason).into_owned())
}

/// Ends a job profile with the checksum of what it holds.
pub fn seal(section: &mut Vec<u8>) {
    let sum = checksum(section);
    append(section, CHECKSUM, &sum.to_le_bytes());
}

/// The entries of a sealed job profile, without the checksum.
///
/// # Errors
/// As `entries`, and when the last entry is no checksum of the bytes before it.
pub fn sealed_entries(section: &[u8]) -> Result<Vec<Entry<'_>>, ContainerError> {
    let mut found = entries(section)?;
    let Some((CHECKSUM, sum)) = found.pop() else {
        return Err(ContainerError::Checksum);
    };
    // Sections may be padded behind: the entry is looked for from its payload's place.
    let end = (sum.as_ptr() as usize) - (section.as_ptr() as usize) - ENTRY_HEADER;
    if sum != checksum(&section[..end]).to_le_bytes() {
        return Err(ContainerError::Checksum);
    }
    Ok(found)
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): enough against damage, not against intent.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(PRIME);
    bytes.iter().fold(START, step)
}

/// Bytes of mark and length.
const ENTRY_HEADER: usize = 16;

/// One entry: its mark and its payload.
pub type Entry<'a> = ([u8; 8], &'a [u8]);

/// All entries of a section, in order.
///
/// # Errors
/// When an entry is cut short or bytes between entries are neither a mark nor zero padding.
pub fn entries(section: &[u8]) -> Result<Vec<Entry<'_>>, ContainerError> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < section.len() {
        if section[at] == 0 {
            at += 1;
            continue;
        }
        let header = section
            .get(at..at + 16)
            .ok_or(ContainerError::Truncated(at))?;
        let (mark, length) = header.split_at(8);
        let mark: [u8; 8] = mark.try_into().map_err(|_| ContainerError::Mark(at))?;
        if !MARKS.contains(&mark) {
            return Err(ContainerError::Mark(at));
        }
        let length = length
            .try_into()
            .map(u64::from_le_bytes)
            .map_err(|_| ContainerError::Truncated(at))?;
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| (at + 16).checked_add(length))
            .ok_or(ContainerError::Truncated(at))?;
        let payload = section
            .get(at + 16..end)
            .ok_or(ContainerError::Truncated(at))?;
        found.push((mark, payload));
        at = end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_concatenation_and_padding() {
        let mut section = Vec::new();
        append(&mut section, BITCODE, b"one");
        section.extend_from_slice(&[0; 13]);
        append(&mut section, SUMMARY, b"");
        let found = entries(&section).unwrap();
        assert_eq!(found, vec![(BITCODE, &b"one"[..]), (SUMMARY, &b""[..])]);
    }

    #[test]
    fn modules_that_were_concatenated_come_back_and_every_damaged_byte_is_told() {
        let mut section = Vec::new();
        append_bitcode(&mut section, b"one");
        section.extend_from_slice(&[0; 6]);
        append_bitcode(&mut section, b"");
        assert_eq!(bitcode(&section), Ok(vec![&b"one"[..], b""]));
        for at in (0..43).chain(49..section.len()) {
            let mut damaged = section.clone();
            damaged[at] ^= 1;
            assert!(bitcode(&damaged).is_err(), "byte {at}");
        }
        append(&mut section, SUMMARY, b"{}");
        assert_eq!(bitcode(&section), Err(ContainerError::Checksum));
    }

    #[test]
    fn a_sealed_profile_tells_every_damaged_byte() {
        let mut section = Vec::new();
        append(&mut section, SUMMARY, b"{}");
        append(&mut section, PROGRAM, b"code");
        assert_eq!(sealed_entries(&section), Err(ContainerError::Checksum));
        seal(&mut section);
        section.extend_from_slice(&[0; 5]);
        let found = vec![(SUMMARY, &b"{}"[..]), (PROGRAM, &b"code"[..])];
        assert_eq!(sealed_entries(&section), Ok(found));
        for at in 0..section.len() - 5 {
            let mut damaged = section.clone();
            damaged[at] ^= 1;
            assert!(sealed_entries(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_cut_or_foreign_section_is_refused_with_its_offset() {
        let mut section = Vec::new();
        append(&mut section, BITCODE, b"payload");
        section.truncate(18);
        assert_eq!(entries(&section), Err(ContainerError::Truncated(0)));
        assert_eq!(
            entries(b"something else entirely"),
            Err(ContainerError::Mark(0))
        );
        let mut huge = BITCODE.to_vec();
        huge.extend_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(entries(&huge), Err(ContainerError::Truncated(0)));
    }
}
