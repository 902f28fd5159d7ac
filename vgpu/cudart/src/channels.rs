//! Formats of texels: the runtime's bits per channel and kind <-> the driver's format and number of channels.

use crate::error::{Outcome, Status};

/// `cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Bits of each channel; 0: there is none.
    pub bits: [i32; 4],
    /// `cudaChannelFormatKind`.
    pub kind: u32,
}

const SIGNED: u32 = 0;
const UNSIGNED: u32 = 1;
const FLOAT: u32 = 2;
/// Of the normalized kinds, which name their channels themselves, the runtime's number of the first; the driver's numbers
/// follow each other as the runtime's do.
const FIRST_NORMALIZED: u32 = 5;
const LAST_NORMALIZED: u32 = 16;
const DRIVERS_FIRST_NORMALIZED: u32 = 0xc0;

impl Channels {
    /// The driver's format, and the number of channels.
    pub fn format(&self) -> Outcome<(u32, u32)> {
        const INVALID_CHANNELS: Status = Status(20);
        let [first, ..] = self.bits;
        let count = self.bits.iter().take_while(|bits| **bits != 0).count();
        let equal = self.bits.iter().take(count).all(|bits| *bits == first);
        let rest_empty = self.bits.iter().skip(count).all(|bits| *bits == 0);
        if !equal || !rest_empty || ![1, 2, 4].contains(&count) {
            return Err(INVALID_CHANNELS);
        }
        let format = match (self.kind, first) {
            (UNSIGNED, 8) => 0x01,
            (UNSIGNED, 16) => 0x02,
            (UNSIGNED, 32) => 0x03,
            (SIGNED, 8) => 0x08,
            (SIGNED, 16) => 0x09,
            (SIGNED, 32) => 0x0a,
            (FLOAT, 16) => 0x10,
            (FLOAT, 32) => 0x20,
            (kind @ FIRST_NORMALIZED..=LAST_NORMALIZED, _) => {
                DRIVERS_FIRST_NORMALIZED + (kind - FIRST_NORMALIZED)
            }
            _ => return Err(INVALID_CHANNELS),
        };
        Ok((format, u32::try_from(count).map_err(|_| INVALID_CHANNELS)?))
    }

    /// What the driver's format and number of channels mean.
    pub fn of(format: u32, count: u32) -> Channels {
        let (kind, bits) = match format {
            0x01 => (UNSIGNED, 8),
            0x02 => (UNSIGNED, 16),
            0x03 => (UNSIGNED, 32),
            0x08 => (SIGNED, 8),
            0x09 => (SIGNED, 16),
            0x0a => (SIGNED, 32),
            0x10 => (FLOAT, 16),
            0x20 => (FLOAT, 32),
            other => {
                let nth = other.wrapping_sub(DRIVERS_FIRST_NORMALIZED);
                (
                    FIRST_NORMALIZED + nth % 12,
                    if nth % 6 < 3 { 8 } else { 16 },
                )
            }
        };
        let mut channels = [0; 4];
        for channel in channels.iter_mut().take(count as usize) {
            *channel = bits;
        }
        Channels {
            bits: channels,
            kind,
        }
    }

    /// Bytes of a texel.
    pub fn bytes(&self) -> usize {
        let bits: i32 = self.bits.iter().sum();
        usize::try_from(bits / 8).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(bits: [i32; 4], kind: u32) -> Channels {
        Channels { bits, kind }
    }

    #[test]
    fn formats_go_to_the_driver_and_back() {
        for (bits, kind, format, count) in [
            ([32, 0, 0, 0], FLOAT, 0x20, 1),
            ([32, 32, 32, 32], FLOAT, 0x20, 4),
            ([8, 8, 8, 8], UNSIGNED, 0x01, 4),
            ([16, 16, 0, 0], SIGNED, 0x09, 2),
            ([8, 8, 0, 0], 6, 0xc1, 2),
            ([16, 0, 0, 0], 14, 0xc9, 1),
        ] {
            let given = channels(bits, kind);
            assert_eq!(given.format(), Ok((format, count)), "{given:?}");
            assert_eq!(Channels::of(format, count), given);
        }
        assert_eq!(channels([32, 32, 0, 0], FLOAT).bytes(), 8);
    }

    #[test]
    fn channels_that_no_texel_has_are_refused() {
        for wrong in [
            channels([0; 4], FLOAT),
            channels([32, 16, 0, 0], FLOAT),
            channels([32, 32, 32, 0], FLOAT),
            channels([32, 0, 32, 0], FLOAT),
            channels([64, 0, 0, 0], UNSIGNED),
            channels([8, 0, 0, 0], FLOAT),
        ] {
            assert_eq!(wrong.format(), Err(Status(20)), "{wrong:?}");
        }
    }
}
