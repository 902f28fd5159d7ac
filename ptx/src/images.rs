//! The device code of one file (the bytes of `.nv_fatbin` or `__nv_relfatbin`: fat binaries one behind the other) ->
//! each kernel's images: registers and static shared memory, by architecture.

use crate::container::{self, Entry, Kind};
use crate::{cubin, outline, pressure, source};
use migfit_schema::kernel::{ImageCode, KernelImage};
use std::collections::BTreeMap;

/// Images by a kernel's mangled name; each kernel's in ascending order of architecture, machine code before PTX.
pub type Images = BTreeMap<String, Vec<KernelImage>>;

/// What device code says of its kernels. What cannot be read adds nothing; reasons come beside.
#[must_use]
pub fn read(section: &[u8]) -> (Images, Vec<String>) {
    let mut found = Images::new();
    let mut troubles = Vec::new();
    for fat_binary in fat_binaries(section) {
        match container::entries(fat_binary) {
            Ok(entries) => {
                for entry in &entries {
                    if let Err(reason) = add(&mut found, entry) {
                        troubles.push(reason);
                    }
                }
            }
            Err(error) => troubles.push(error.to_string()),
        }
    }
    for images in found.values_mut() {
        images.sort_by_key(|image| (image.architecture, image.code));
        images.dedup();
    }
    (found, troubles)
}

/// The containers in a section, each at a multiple of eight bytes; what lies between is padding.
fn fat_binaries(section: &[u8]) -> Vec<&[u8]> {
    const STEP: usize = 8;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = section
        .get(at..)
        .filter(|rest| rest.len() >= container::HEADER)
    {
        match container::length(rest) {
            Ok(length) => {
                found.push(rest.get(..length).unwrap_or(rest));
                at = at.saturating_add(length.next_multiple_of(STEP).max(STEP));
            }
            Err(_) => at += STEP,
        }
    }
    found
}

fn add(found: &mut Images, entry: &Entry<'_>) -> Result<(), String> {
    let architecture = entry.architecture;
    match entry.kind {
        Kind::Cubin => {
            let bytes = entry.bytes().map_err(|error| error.to_string())?;
            let cubin = cubin::read(&bytes)
                .map_err(|error| format!("machine code for sm_{architecture}: {error}"))?;
            let code = match cubin.linked {
                true => ImageCode::Machine,
                false => ImageCode::Part,
            };
            for (name, facts) in cubin.kernels {
                found.entry(name).or_default().push(KernelImage {
                    architecture,
                    code,
                    ptx: cubin.ptx,
                    registers: Some(facts.registers),
                    static_shared: facts.static_shared,
                    most_threads: facts.most_threads,
                });
            }
        }
        Kind::Ptx => {
            let bytes = entry.bytes().map_err(|error| error.to_string())?;
            let text = source::from_text(&bytes).map_err(|error| error.to_string())?;
            let mut pressure = pressure::of(&text);
            for (name, kernel) in outline::scan(&text).kernels {
                found.entry(name.clone()).or_default().push(KernelImage {
                    architecture,
                    code: ImageCode::Ptx,
                    ptx: Some(architecture),
                    registers: pressure.remove(&name),
                    static_shared: u32::try_from(kernel.shared).ok(),
                    most_threads: kernel.most_threads,
                });
            }
        }
        Kind::Other(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = ".version 8.0\n.target sm_80\n.visible .entry twice(.param .u64 a)\n.maxntid 128, 1, 1\n{\n\
        .reg .b32 %r<4>;\n.shared .align 4 .b8 tile[96];\nmov.u32 %r1, 1;\nadd.s32 %r2, %r1, %r1;\nst.global.u32 [a], %r2;\nret;\n}\n";

    fn fat_binary(text: &str) -> Vec<u8> {
        let padded = text.len().next_multiple_of(8);
        let mut bytes = container::MAGIC.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((64 + padded as u64).to_le_bytes());
        let mut head = [0; 64];
        head[0] = 1;
        head[4] = 64;
        head[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        head[28] = 80;
        bytes.extend(head);
        bytes.extend(text.as_bytes());
        bytes.resize(80 + padded, 0);
        bytes
    }

    #[test]
    fn fat_binaries_follow_each_other_with_padding_between() {
        let mut section = fat_binary(TEXT);
        section.extend([0; 24]);
        section.extend(fat_binary(&TEXT.replace("twice", "again")));
        let (images, troubles) = read(&section);
        assert_eq!((images.len(), troubles.len()), (2, 0));
        let twice = images["twice"][0];
        assert_eq!((twice.architecture, twice.code), (80, ImageCode::Ptx));
        assert_eq!(
            (twice.static_shared, twice.most_threads),
            (Some(96), Some(128))
        );
        assert!(twice.registers.is_some());
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_is_kept() {
        let mut section = fat_binary(TEXT);
        let mut broken = fat_binary(TEXT);
        broken[16] = 2;
        section.extend(broken);
        let (images, troubles) = read(&section);
        assert_eq!(images.len(), 1);
        assert!(
            troubles[0].starts_with("machine code for sm_80: "),
            "{troubles:?}"
        );
    }

    proptest! {
        #[test]
        fn a_damaged_section_makes_no_panic(at in any::<prop::sample::Index>(), value in any::<u8>()) {
            let mut section = fat_binary(TEXT);
            let at = at.index(section.len());
            section[at] = value;
            let _ = read(&section);
        }
    }
}
