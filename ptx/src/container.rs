//! The container of a fat binary: a header and entries, each PTX or machine code for one architecture.
//! Bytes in, entries out; knows nothing of where they came from and never panics on what it is given.

use std::borrow::Cow;
use std::io::Read;

/// First word of a container.
pub const MAGIC: u32 = 0xba55_ed50;
/// Bytes of the container's header.
pub const HEADER: usize = 16;
/// More than this is not believed of one entry's text.
const MOST: u64 = 1 << 30;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// An ELF file of machine code.
    Cubin,
    /// Something else.
    Other(u16),
}

/// An entry of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// Architecture: 80 for compute capability 8.0.
    pub architecture: u32,
    /// Where it begins.
    at: usize,
    payload: &'a [u8],
    /// Bytes of the payload that count where it is packed.
    packed: usize,
    flags: u64,
    /// Bytes that it claims to have unpacked.
    unpacked: u64,
}

impl<'a> Entry<'a> {
    /// Its bytes, unpacked. That takes time, and a program has entries for GPUs that are not here.
    ///
    /// # Errors
    /// When it cannot be unpacked.
    pub fn bytes(&self) -> Result<Cow<'a, [u8]>, ContainerError> {
        let unpacked = unpack(self.payload, self.packed, self.flags, self.unpacked);
        unpacked.map_err(|reason| ContainerError::Packed {
            at: self.at,
            reason,
        })
    }
}

/// Why bytes are no container.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// The first word is another.
    #[error("no fat binary: its first word is {0:#x}")]
    Magic(u32),
    /// Something reaches beyond the end.
    #[error("the fat binary is cut short at byte {0}")]
    Truncated(usize),
    /// An entry cannot be unpacked.
    #[error("the entry at byte {at} of the fat binary cannot be unpacked: {reason}")]
    Packed {
        /// Where the entry begins.
        at: usize,
        /// Why.
        reason: String,
    },
}

/// Length of a whole container, from its header.
///
/// # Errors
/// When it is no header.
pub fn length(header: &[u8]) -> Result<usize, ContainerError> {
    let magic = u32::from_le_bytes(field(header, 0)?);
    if magic != MAGIC {
        return Err(ContainerError::Magic(magic));
    }
    let before = usize::from(u16::from_le_bytes(field(header, 6)?));
    let bytes = u64::from_le_bytes(field(header, 8)?);
    let bytes = usize::try_from(bytes)
        .ok()
        .and_then(|bytes| bytes.checked_add(before));
    bytes
        .filter(|_| before >= HEADER)
        .ok_or(ContainerError::Truncated(8))
}

/// All entries of a container, in order.
///
/// # Errors
/// When it is none, or is cut short.
pub fn entries(container: &[u8]) -> Result<Vec<Entry<'_>>, ContainerError> {
    let end = length(container)?;
    let all = container
        .get(..end)
        .ok_or(ContainerError::Truncated(container.len()))?;
    let mut at = usize::from(u16::from_le_bytes(field(all, 6)?));
    let mut found = Vec::new();
    while at < all.len() {
        let (entry, next) = entry(all, at)?;
        found.push(entry);
        at = next;
    }
    Ok(found)
}

/// The entry that begins at `at`, and where the next one does.
fn entry(all: &[u8], at: usize) -> Result<(Entry<'_>, usize), ContainerError> {
    let cut = || ContainerError::Truncated(at);
    let here = all.get(at..).ok_or_else(cut)?;
    let kind = match u16::from_le_bytes(field(here, 0)?) {
        1 => Kind::Ptx,
        2 => Kind::Cubin,
        other => Kind::Other(other),
    };
    let header = size(u32::from_le_bytes(field(here, 4)?).into(), at)?;
    let padded = size(u64::from_le_bytes(field(here, 8)?), at)?;
    let packed = size(u32::from_le_bytes(field(here, 16)?).into(), at)?;
    let architecture = u32::from_le_bytes(field(here, 28)?);
    let flags = u64::from_le_bytes(field(here, 40)?);
    let unpacked = u64::from_le_bytes(field(here, 56)?);
    let next = header
        .checked_add(padded)
        .and_then(|bytes| bytes.checked_add(at))
        .ok_or_else(cut)?;
    let payload = all
        .get(at..next)
        .and_then(|entry| entry.get(header..))
        .ok_or_else(cut)?;
    if header == 0 {
        return Err(cut());
    }
    let entry = Entry {
        kind,
        architecture,
        at,
        payload,
        packed,
        flags,
        unpacked,
    };
    Ok((entry, next))
}

fn unpack(
    payload: &[u8],
    packed: usize,
    flags: u64,
    unpacked: u64,
) -> Result<Cow<'_, [u8]>, String> {
    const LZ4: u64 = 0x2000;
    const ZSTD: u64 = 0x8000;
    if flags & (LZ4 | ZSTD) == 0 {
        return Ok(Cow::Borrowed(payload));
    }
    let packed = payload
        .get(..packed)
        .ok_or("its packed size is larger than its place")?;
    if unpacked > MOST {
        return Err(format!("it claims {unpacked} bytes"));
    }
    if flags & ZSTD != 0 {
        let reader =
            ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        reader
            .take(unpacked)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        return Ok(Cow::Owned(bytes));
    }
    let unpacked = usize::try_from(unpacked).map_err(|error| error.to_string())?;
    let bytes = lz4_flex::block::decompress(packed, unpacked).map_err(|error| error.to_string())?;
    Ok(Cow::Owned(bytes))
}

fn size(value: u64, at: usize) -> Result<usize, ContainerError> {
    usize::try_from(value).map_err(|_| ContainerError::Truncated(at))
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], ContainerError> {
    let field = bytes
        .get(at..at + N)
        .and_then(|field| field.try_into().ok());
    field.ok_or(ContainerError::Truncated(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A container with one entry, written from the layout's description.
    fn container(kind: u16, flags: u64, payload: &[u8], unpacked: usize) -> Vec<u8> {
        let padded = payload.len().next_multiple_of(8);
        let mut bytes = Vec::new();
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(1_u16.to_le_bytes());
        bytes.extend(16_u16.to_le_bytes());
        bytes.extend((64 + padded as u64).to_le_bytes());
        let mut header = [0; 64];
        header[..2].copy_from_slice(&kind.to_le_bytes());
        header[4..8].copy_from_slice(&64_u32.to_le_bytes());
        header[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        header[16..20].copy_from_slice(&u32::try_from(payload.len()).unwrap().to_le_bytes());
        header[28..32].copy_from_slice(&80_u32.to_le_bytes());
        header[40..48].copy_from_slice(&flags.to_le_bytes());
        header[56..64].copy_from_slice(&(unpacked as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(payload);
        bytes.resize(16 + 64 + padded, 0);
        bytes
    }

    fn all_bytes(container: &[u8]) -> Result<usize, ContainerError> {
        let sizes = entries(container)?.into_iter();
        let sizes = sizes.map(|entry| entry.bytes().map(|bytes| bytes.len()));
        sizes.sum()
    }

    #[test]
    fn plain_lz4_and_zstd_entries_give_the_same_text() {
        let text = b".version 8.0\n.version 8.0\n.version 8.0\n.version 8.0\n";
        let plain = container(1, 0, text, 0);
        let found = entries(&plain).unwrap();
        assert_eq!((found[0].kind, found[0].architecture), (Kind::Ptx, 80));
        assert!(found[0].bytes().unwrap().starts_with(text));
        let lz4 = container(1, 0x2000, &lz4_flex::block::compress(text), text.len());
        assert_eq!(entries(&lz4).unwrap()[0].bytes().unwrap().as_ref(), text);
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let zstd = ruzstd::encoding::compress_to_vec(text.as_slice(), level);
        let zstd = container(1, 0x8000, &zstd, text.len());
        assert_eq!(entries(&zstd).unwrap()[0].bytes().unwrap().as_ref(), text);
    }

    #[test]
    fn what_is_no_container_is_refused() {
        assert_eq!(
            entries(b"hello, world"),
            Err(ContainerError::Magic(0x6c6c_6568))
        );
        let mut cut = container(2, 0, b"machine code", 0);
        cut.truncate(70);
        assert!(matches!(entries(&cut), Err(ContainerError::Truncated(_))));
        let garbled = container(1, 0x8000, b"not zstd", 100);
        assert!(matches!(
            entries(&garbled).unwrap()[0].bytes(),
            Err(ContainerError::Packed { at: 16, .. })
        ));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = all_bytes(&bytes);
        }

        #[test]
        fn a_damaged_container_makes_no_panic(
            at in any::<prop::sample::Index>(), value in any::<u8>(), flags in prop::sample::select(vec![0_u64, 0x2000, 0x8000])
        ) {
            let mut bytes = container(1, flags, b".entry kernel(){}", 17);
            let at = at.index(bytes.len());
            bytes[at] = value;
            let _ = all_bytes(&bytes);
        }
    }
}
