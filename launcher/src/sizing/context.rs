//! What a CUDA context costs on a slice before the program allocates anything. A built-in table with its sources;
//! figures measured on a GPU will go before it.

use crate::sizing::board::Board;
use migfit_mig::MigProfile;
use migfit_schema::units::{Bytes, Mib};
use serde::Serialize;

/// Taken where nothing was measured. Source: public issue threads report 107 to 555 MiB, growing with the SM
/// count and with lazily loaded code; this lies above all of them.
const ASSUMED: Mib = Mib(600);

/// The virtual GPU's fixed part. Source: our own model (`context_cost` of the virtual GPU; a test compares the two).
const VIRTUAL_FIXED: Mib = Mib(64);
/// The virtual GPU's part per SM, in MiB. Source: as above.
const VIRTUAL_PER_SM: u64 = 4;

/// Where a context's figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A figure with margin, because none was measured.
    Assumed,
    /// What the virtual GPU charges.
    Modelled,
}

impl Basis {
    /// One line for people on the figures behind it.
    #[must_use]
    pub fn note(self) -> String {
        match self {
            Basis::Assumed => {
                format!(
                    "{ASSUMED}, assumed (reports range from 107 to 555 MiB; not measured on these slices);\n\
                     migfit run on the virtual GPU takes that GPU's modelled context (--gpu virtual:MODEL shows it)"
                )
            }
            Basis::Modelled => format!("{VIRTUAL_FIXED} + {VIRTUAL_PER_SM} MiB per SM, modelled"),
        }
    }
}

/// What a CUDA context costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// How much.
    pub bytes: Bytes,
    /// How that is known.
    pub basis: Basis,
}

/// The context of one process on a slice of this MIG profile.
#[must_use]
pub fn context(board: Board<'_>, profile: &MigProfile) -> Context {
    match (board.is_virtual, profile.sms) {
        (true, Some(sms)) => Context {
            bytes: Mib(VIRTUAL_FIXED.0 + VIRTUAL_PER_SM * u64::from(sms)).to_bytes(),
            basis: Basis::Modelled,
        },
        _ => Context {
            bytes: ASSUMED.to_bytes(),
            basis: Basis::Assumed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_virtual_gpu_charges_what_is_foretold() {
        let model = migfit_mig::find("a100-40gb").unwrap();
        for profile in &model.profiles {
            let foretold = context(Board::virtual_gpu(model), profile);
            let charged = migfit_vgpu_device::context_cost(profile.sms.unwrap());
            assert_eq!((foretold.bytes, foretold.basis), (charged, Basis::Modelled));
        }
    }

    #[test]
    fn a_real_board_s_context_is_assumed() {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let foretold = context(Board::real(model), &model.profiles[0]);
        assert_eq!(
            (foretold.bytes, foretold.basis),
            (ASSUMED.to_bytes(), Basis::Assumed)
        );
    }
}
