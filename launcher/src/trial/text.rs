//! What was measured -> text for people.

use crate::fit::slices_text;
use crate::modelled::{Part, rates};
use crate::table;
use crate::trial::chart;
use crate::trial::launches::{warps, waves};
use crate::trial::measured::Measured;
use migfit_schema::record::{AllocationSite, LaunchCount};
use migfit_schema::units::Bytes;
use migfit_sizes::{Verdict, people_name};
use std::fmt::Write;

/// Rows of a table beyond which the rest is summed up.
const MOST_ROWS: usize = 40;

/// The whole answer.
#[must_use]
pub fn text(measured: &Measured) -> String {
    let mut text = format!("{}\n{}", measured.command.join(" "), headline(measured));
    let _ = writeln!(
        text,
        "known by: a run on a virtual {} with {} ({}, {:.1} s)",
        measured.model,
        measured.memory,
        measured.ending,
        measured.took.as_secs_f64()
    );
    for doubt in &measured.doubts {
        let _ = writeln!(text, "note: {doubt}");
    }
    text += &beside(measured);
    let chart = chart::text(&measured.series, measured.took);
    if !chart.is_empty() {
        let _ = write!(text, "\n{chart}");
    }
    text += &allocations(&measured.sites);
    text += &launches(measured);
    text += &times(measured);
    let _ = write!(text, "\n{}", slices_text::text(&measured.boards));
    text
}

fn headline(measured: &Measured) -> String {
    let record = &measured.record;
    let bound = match measured.verdict {
        Verdict::LowerBound => ", at least",
        _ => "",
    };
    format!(
        "device memory: {} at the peak ({} bytes; {} as the driver rounds){bound}\n",
        Bytes(record.peak_bytes),
        record.peak_bytes,
        Bytes(record.peak_rounded_bytes),
    )
}

fn beside(measured: &Measured) -> String {
    let mut text = String::new();
    let record = &measured.record;
    if measured.processes > 1 {
        let _ = writeln!(
            text,
            "{} processes used CUDA: the memory is that of the largest",
            measured.processes
        );
    }
    match measured.variables {
        Some(Bytes(0)) => {}
        Some(variables) => {
            let _ = writeln!(
                text,
                "device variables: {} bytes (of the module, not of an allocation call)",
                variables.0
            );
        }
        None => {
            text += "device variables: not known (the program has no job profile; migfit build makes one)\n"
        }
    }
    let _ = writeln!(
        text,
        "{} allocations, {} frees, {} held at the end",
        record.allocations,
        record.frees,
        Bytes(record.current_bytes)
    );
    text += &match measured.written {
        Some(written) if written.files > 0 => {
            let (files, bytes) = (written.files, Bytes(written.bytes));
            format!("what it wrote ({files} files, {bytes}) went to a scratch layer and is gone\n")
        }
        Some(_) => "it wrote no files\n".to_owned(),
        None => "it wrote in place\n".to_owned(),
    };
    text
}

fn allocations(sites: &[(String, AllocationSite)]) -> String {
    if sites.is_empty() {
        return String::new();
    }
    let mut sorted: Vec<_> = sites.iter().collect();
    sorted.sort_by_key(|(_, site)| std::cmp::Reverse(site.bytes));
    let rows = sorted.iter().take(MOST_ROWS).map(|(place, site)| {
        let each = match site.smallest == site.largest {
            true => site.largest.to_string(),
            false => format!("{} to {}", site.smallest, site.largest),
        };
        vec![
            place.clone(),
            site.count.to_string(),
            each,
            Bytes(site.bytes).to_string(),
        ]
    });
    let header = ["PLACE", "TIMES", "BYTES EACH", "ALL"];
    let table = table::text(&header, rows.collect(), &[1, 2, 3]);
    format!("\nallocations\n{table}{}", rest(sorted.len()))
}

fn launches(measured: &Measured) -> String {
    let Some((board, _)) = measured
        .boards
        .first()
        .filter(|_| !measured.launches.is_empty())
    else {
        return String::new();
    };
    let names = board.model.basic_profiles();
    let waves_of = |launch: &LaunchCount| waves(launch, &measured.kernels, board.model);
    let rows = measured.launches.iter().take(MOST_ROWS).map(|launch| {
        let mut row = vec![
            people_name(&launch.kernel),
            launch.grid.to_string(),
            launch.block.to_string(),
            launch.shared.to_string(),
            warps(launch).to_string(),
            launch.count.to_string(),
        ];
        let found = waves_of(launch).by_mig_profile;
        row.extend(names.iter().map(|name| {
            let waves = found.iter().find(|(known, _)| known == name);
            waves.map_or_else(|| "-".to_owned(), |(_, waves)| format!("{waves:.1}"))
        }));
        row
    });
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut header = vec!["KERNEL", "GRID", "BLOCK", "SHARED", "WARPS", "COUNT"];
    header.extend(names.iter().map(String::as_str));
    let numeric: Vec<usize> = (3..header.len()).collect();
    let table = table::text(&header, rows.collect(), &numeric);
    let mut text = format!("\nlaunches, with waves on the MIG profiles of {board}\n{table}");
    text += &rest(measured.launches.len());
    if measured
        .launches
        .iter()
        .any(|launch| waves_of(launch).blocks_per_sm.is_none())
    {
        text += "  -: the kernel's registers are not known\n";
    }
    text
}

/// Modelled times on the first board's slices; nothing where kernels were not executed.
fn times(measured: &Measured) -> String {
    let Some((board, _)) = measured.boards.first().filter(|_| measured.is_counted()) else {
        return String::new();
    };
    let rows: Vec<Vec<String>> = measured
        .modelled(board.model)
        .into_iter()
        .map(|(name, found)| {
            vec![
                name.to_string(),
                format!("{:.6}", found.kernels_s),
                format!("{:.6}", found.copies_s),
                found
                    .added_j
                    .map_or_else(|| "-".to_owned(), |joules| format!("{joules:.3}")),
                bound(found.bound_by).to_owned(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return format!("\nmodelled time: none, as no source has the speeds of {board}\n");
    }
    let header = ["SLICE", "KERNELS s", "COPIES s", "ADDED J", "BOUND BY"];
    let source = rates(board.model).map_or("", |rates| rates.source);
    format!(
        "\nmodelled time on {board} (a roofline over what was counted, without host time; not measured)\n{}  speeds: {source}\n",
        table::text(&header, rows, &[1, 2, 3])
    )
}

fn bound(part: Part) -> &'static str {
    match part {
        Part::Instructions => "instructions",
        Part::Double => "double precision",
        Part::Cache => "cache",
        Part::Memory => "memory",
        Part::Launch => "launching",
    }
}

fn rest(rows: usize) -> String {
    match rows.checked_sub(MOST_ROWS) {
        None | Some(0) => String::new(),
        Some(more) => format!("  and {more} more (--json has all)\n"),
    }
}
