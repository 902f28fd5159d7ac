//! Bytes of a run record -> what they say. A record is large and nearly all zero, so the input is also laid over an
//! empty one: its first words over the head, then pairs of a position and a word.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_schema::record::read;
use migfit_schema::record::{
    FAILURE_ROWS, KERNEL_ROWS, MappedRecord, RECORD_MAGIC, RECORD_VERSION, SERIES_ROWS,
};
use std::mem::{offset_of, size_of};

const HEAD: std::ops::Range<usize> = 16..offset_of!(MappedRecord, failure);

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    let mut record = vec![0; size_of::<MappedRecord>()];
    record[..8].copy_from_slice(&RECORD_MAGIC);
    record[8..16].copy_from_slice(&RECORD_VERSION.to_le_bytes());
    let (head, patches) = bytes.split_at(bytes.len().min(HEAD.len()));
    record[HEAD][..head.len()].copy_from_slice(head);
    for patch in patches.as_chunks::<12>().0 {
        let (position, word) = patch.split_at(4);
        let position = u32::from_le_bytes(position.try_into().expect("four bytes")) as usize;
        let at = position % (record.len() / 8) * 8;
        record[at..at + 8].copy_from_slice(word);
    }
    let Ok(seen) = read(&record) else {
        return;
    };
    assert!(seen.first_failures.len() <= FAILURE_ROWS);
    assert!(seen.kernels.len() <= KERNEL_ROWS);
    assert!(seen.series.len() <= SERIES_ROWS);
});
