//! Boards sized for a need -> the second half of `migfit fit PROGRAM ARGS`: the slice to take on each, and why the
//! smaller ones do not do.

use crate::sizing::choice::Slice;
use crate::sizing::context::Basis;
use crate::sizing::{Board, Choice, Sized};
use crate::table;
use std::fmt::Write;

/// The boards as a table, with what the needed MiB are made of.
#[must_use]
pub fn text(boards: &[(Board<'_>, Sized)]) -> String {
    let rows = boards
        .iter()
        .map(|(board, sized)| row(*board, sized))
        .collect();
    let header = ["GPU", "SLICE", "HAS", "NEEDS", "WHY NO SMALLER ONE"];
    format!(
        "slices\n{}\n{}",
        table::text(&header, rows, &[2, 3]),
        footnote(boards)
    )
}

fn row(board: Board<'_>, sized: &Sized) -> Vec<String> {
    let (name, slice) = match &sized.choice {
        None => return vec![board.to_string(), "none".to_owned()],
        Some(Choice::Tightest(slice)) => (slice.candidate.profile.to_string(), slice),
        Some(Choice::Whole(slice)) => (format!("{} (whole)", slice.candidate.profile), slice),
        Some(Choice::TooLarge(slice)) => ("none".to_owned(), slice),
    };
    vec![
        board.to_string(),
        name,
        slice.candidate.have.to_string(),
        needs(slice),
        why(sized, slice),
    ]
}

fn needs(slice: &Slice) -> String {
    match slice.need.bounds_the_job() {
        true => slice.candidate.need.to_string(),
        false => format!("{}+", slice.candidate.need),
    }
}

/// Why no smaller slice was taken, one reason a line.
fn why(sized: &Sized, taken: &Slice) -> String {
    let reason = match sized.choice {
        Some(Choice::Whole(_)) => {
            return format!("the need is not known well enough ({})", taken.need.verdict);
        }
        Some(Choice::TooLarge(_)) => "too small even so: ",
        _ => "",
    };
    let smaller = sized.slices.iter().take_while(|slice| *slice != taken);
    let lines: Vec<String> = smaller.map(|slice| slice.candidate.to_string()).collect();
    match (reason.is_empty(), lines.is_empty()) {
        (true, true) => "it is the smallest".to_owned(),
        (true, false) => lines.join("\n"),
        (false, _) => format!("{reason}{}", taken.candidate),
    }
}

fn footnote(boards: &[(Board<'_>, Sized)]) -> String {
    let all = boards.iter().flat_map(|(_, sized)| &sized.slices);
    let bases: Vec<Basis> = all.map(|slice| slice.context.basis).collect();
    let variables = boards
        .iter()
        .flat_map(|(_, sized)| &sized.slices)
        .any(|slice| slice.need.variables.0 > 0);
    let variables = if variables { " + device variables" } else { "" };
    let mut text =
        format!("needs = device memory as the driver rounds it{variables} + CUDA context\n");
    for (basis, of) in [
        (Basis::Assumed, ""),
        (Basis::Modelled, " of the virtual GPU"),
    ] {
        if bases.contains(&basis) {
            let _ = writeln!(text, "context{of}: {}", basis.note());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::{self, SliceNeed};
    use migfit_schema::units::{Bytes, Mib};
    use migfit_sizes::Verdict;

    fn shown(gpu: &str, mib: u64, verdict: Verdict) -> String {
        let board = Board::real(migfit_mig::find(gpu).unwrap());
        let need = SliceNeed {
            bytes: Some(Mib(mib).to_bytes()),
            variables: Bytes(0),
            verdict,
        };
        text(&[(board, sizing::size(board, |_| need))])
    }

    #[test]
    fn the_slice_and_the_reasons_stand_side_by_side() {
        let expected = "\
slices
  GPU        SLICE         HAS      NEEDS  WHY NO SMALLER ONE
  a100-40gb  3g.20gb  19968 MiB  10600 MiB  1g.5gb: has 4864 MiB, need 10600 MiB
                                            1g.10gb: has 9856 MiB, need 10600 MiB
                                            2g.10gb: has 9856 MiB, need 10600 MiB

needs = device memory as the driver rounds it + CUDA context
context: 600 MiB, assumed (reports range from 107 to 555 MiB; not measured on these slices);
migfit run on the virtual GPU takes that GPU's modelled context (--gpu virtual:MODEL shows it)
";
        let text = shown("a100-40gb", 10_000, Verdict::Exact);
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&text), squeezed(expected));
    }

    #[test]
    fn the_smallest_the_whole_and_none() {
        assert!(shown("a30", 100, Verdict::Exact).contains("it is the smallest"));
        let whole = shown("a30", 100, Verdict::LowerBound);
        assert!(whole.contains("4g.24gb (whole)"), "{whole}");
        assert!(
            whole.contains("700 MiB+  the need is not known well enough (lower bound)"),
            "{whole}"
        );
        let none = shown("a30", 1 << 20, Verdict::Exact);
        assert!(none.contains("none"), "{none}");
        assert!(none.contains("too small even so: 4g.24gb: has "), "{none}");
    }
}
