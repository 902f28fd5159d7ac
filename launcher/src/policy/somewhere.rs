//! One MIG profile wanted, several GPUs: the first that has a place, those in use before those that are not.

use crate::policy::Situation;
use migfit_mig::{Decision, NoPlacement, ProfileName, place};

/// A place for `wanted`, with its GPU; where there is none, why the first GPU has none.
///
/// # Errors
/// When the situation contradicts itself.
pub fn somewhere(
    situation: &Situation<'_>,
    wanted: ProfileName,
) -> Result<Result<(usize, Decision), String>, NoPlacement> {
    let mut why = None;
    for gpu in situation.filling_order() {
        let held = situation.gpus.get(gpu).map_or(&[][..], Vec::as_slice);
        match place(situation.graph, held, wanted) {
            Ok(decision) => return Ok(Ok((gpu, decision))),
            Err(occupied @ NoPlacement::Occupied { .. }) => {
                why.get_or_insert_with(|| occupied.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Err(why.unwrap_or_else(|| "there is no GPU".to_owned())))
}
