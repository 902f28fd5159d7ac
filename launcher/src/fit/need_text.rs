//! A need -> the first half of `migfit fit PROGRAM ARGS`: bytes, verdict, allocations, launches, and what is taken
//! for granted or not known.

use crate::fit::trust::Basis;
use crate::table;
use migfit_schema::profile::Unknown;
use migfit_schema::units::Bytes;
use migfit_sizes::demand::{WEIGHT, demand};
use migfit_sizes::{AllocationNeed, ClosedNeed, LaunchNeed, Need};
use std::fmt::Write;

/// The need as text, for a program with so many bytes of device variables, and what it is known by.
#[must_use]
pub fn text(need: &Need, device_variables: Bytes, basis: Option<Basis>) -> String {
    let mut text = headline(need);
    if let Some(basis) = basis {
        let _ = writeln!(text, "known by: {}", basis.clause());
    }
    if device_variables.0 > 0 {
        let _ = writeln!(
            text,
            "device variables: {} bytes (of the module, not of an allocation call)",
            device_variables.0
        );
    }
    for library in &need.closed {
        let _ = writeln!(text, "{}", closed(library));
    }
    for note in &need.notes {
        let _ = writeln!(text, "{}", remark(note));
    }
    list(&mut text, "taken for granted", &need.assumptions);
    list(&mut text, "not known", &need.unknowns);
    if !need.allocations.is_empty() {
        let rows = need.allocations.iter().map(allocation).collect();
        let header = ["PLACE", "CALL", "TIMES", "BYTES EACH", "BYTES"];
        let _ = write!(
            text,
            "\nallocations\n{}",
            table::text(&header, rows, &[2, 3, 4])
        );
    }
    if !need.launches.is_empty() {
        let rows = grouped(&need.launches)
            .iter()
            .map(|group| launch(group))
            .collect();
        let header = [
            "PLACE", "KERNEL", "GRID", "BLOCK", "SHARED", "WARPS", "COUNT",
        ];
        let _ = write!(text, "\nlaunches\n{}", table::text(&header, rows, &[4, 6]));
        if need.launches.iter().any(|launch| !launch.count_known) {
            text += "  +: at least; the count depends on what the device computes\n";
        }
        text += &warps(need);
    }
    if !need.files.is_empty() {
        let _ = writeln!(text, "\nread: {}", need.files.join(", "));
    }
    text
}

/// The largest launch, and the mean over the run.
fn warps(need: &Need) -> String {
    let found = demand(&need.launches);
    let (Some((launch, most)), Some(mean)) = (found.largest, found.mean_warps) else {
        return String::new();
    };
    let known = if found.whole {
        ""
    } else {
        " (of the known ones)"
    };
    format!(
        "\nwarps: {most} in the largest launch{known}, {}; {mean:.0} in the mean,\nweighted by {WEIGHT}\n",
        launch.name
    )
}

fn headline(need: &Need) -> String {
    let Some(peak) = need.peak else {
        return format!("device memory: {}\n", need.verdict);
    };
    let rounded = need
        .peak_rounded
        .map(|rounded| format!("; {rounded} as the driver rounds"));
    format!(
        "device memory: {peak} at the peak ({} bytes{}), {}\n",
        peak.0,
        rounded.unwrap_or_default(),
        need.verdict,
    )
}

/// A closed library's own memory: `cuBLAS: at most 32 MiB beside the peak (at a.cu:9): ...`.
fn closed(library: &ClosedNeed) -> String {
    let bytes = match library.bytes {
        Some(bytes) => format!("at most {bytes} beside the peak"),
        None => "takes device memory beside the peak, how much is not known".to_owned(),
    };
    format!(
        "{} ({} at {}): {bytes}: {}",
        library.library, library.call, library.site, library.source
    )
}

/// What the user should know beside the figure: `e2.cu:4  the program ends with code 1: ...`.
fn remark(note: &Unknown) -> String {
    let place = note
        .site
        .as_ref()
        .map(|site| format!(" (at {site})"))
        .unwrap_or_default();
    match note.reason.is_empty() {
        true => format!("note: {}{place}", note.what),
        false => format!("note: {}: {}{place}", note.what, note.reason),
    }
}

fn list(text: &mut String, title: &str, items: &[Unknown]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for item in items {
        let place = item
            .site
            .as_ref()
            .map(|site| format!("{site}  "))
            .unwrap_or_default();
        let _ = writeln!(text, "  {place}{}: {}", item.what, item.reason);
    }
}

fn allocation(allocation: &AllocationNeed) -> Vec<String> {
    vec![
        allocation.site.to_string(),
        allocation.api.clone(),
        allocation.times.to_string(),
        allocation
            .bytes
            .map_or("unknown".to_owned(), |(least, most)| range(least, most)),
        total(allocation),
    ]
}

fn total(allocation: &AllocationNeed) -> String {
    match (allocation.bytes, allocation.total) {
        (None, Bytes(0)) => "unknown".to_owned(),
        (None, known) => format!("{}+", known.0),
        (Some(_), all) => all.0.to_string(),
    }
}

fn range(least: Bytes, most: Bytes) -> String {
    match least == most {
        true => most.0.to_string(),
        false => format!("{} to {}", least.0, most.0),
    }
}

/// Launches of one kernel from one place that differ in their grid alone.
fn grouped(launches: &[LaunchNeed]) -> Vec<Vec<&LaunchNeed>> {
    let mut groups: Vec<Vec<&LaunchNeed>> = Vec::new();
    for launch in launches {
        let alike =
            |group: &&mut Vec<&LaunchNeed>| group.first().is_some_and(|first| alike(first, launch));
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(launch),
            None => groups.push(vec![launch]),
        }
    }
    groups
}

fn alike(a: &LaunchNeed, b: &LaunchNeed) -> bool {
    (&a.site, &a.kernel, a.block, a.shared) == (&b.site, &b.kernel, b.block, b.shared)
        && a.grid.is_some()
        && b.grid.is_some()
}

fn launch(group: &[&LaunchNeed]) -> Vec<String> {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return Vec::new();
    };
    let count = group
        .iter()
        .fold(0u64, |sum, launch| sum.saturating_add(launch.count));
    let more = if group.iter().all(|launch| launch.count_known) {
        ""
    } else {
        "+"
    };
    vec![
        first.site.to_string(),
        first.name.clone(),
        from_to(known(first.grid), known(last.grid)),
        known(first.block),
        first
            .shared
            .map_or("unknown".to_owned(), |bytes| bytes.to_string()),
        from_to(known(first.warps()), known(last.warps())),
        format!("{count}{more}"),
    ]
}

/// First and last of several shapes, in the order in which they are launched.
fn from_to(first: String, last: String) -> String {
    if first == last {
        first
    } else {
        format!("{first} .. {last}")
    }
}

fn known<T: ToString>(value: Option<T>) -> String {
    value.map_or("unknown".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::kernel::Extent;
    use migfit_schema::site::Site;
    use migfit_sizes::Verdict;

    fn site(line: u32) -> Site {
        Site {
            file: "src/lud.cu".to_owned(),
            line,
        }
    }

    fn launch_of(grid: Option<u32>, count_known: bool) -> LaunchNeed {
        LaunchNeed {
            site: site(58),
            kernel: "_Z3foo".to_owned(),
            name: "lud_internal".to_owned(),
            grid: grid.map(|x| Extent { x, y: x, z: 1 }),
            block: Some(Extent { x: 16, y: 16, z: 1 }),
            shared: Some(0),
            count: 1,
            count_known,
        }
    }

    fn need(launches: Vec<LaunchNeed>) -> Need {
        Need {
            lacked: None,
            returned: true,
            a_call_failed: false,
            peak: Some(Bytes(262_144)),
            peak_rounded: Some(Bytes(2 << 20)),
            live_at_end: Bytes(0),
            closed: Vec::new(),
            raised_limits: Bytes(0),
            verdict: Verdict::Exact,
            allocations: vec![AllocationNeed {
                site: site(133),
                api: "cudaMalloc".to_owned(),
                times: 1,
                bytes: Some((Bytes(262_144), Bytes(262_144))),
                total: Bytes(262_144),
                sizes: vec![(Some(Bytes(262_144)), 1)],
            }],
            launches,
            assumptions: Vec::new(),
            unknowns: Vec::new(),
            notes: Vec::new(),
            files: vec!["256.dat".to_owned()],
            steps: 10,
        }
    }

    #[test]
    fn a_whole_need_reads_as_tables() {
        let launches = [15, 14, 1].map(|grid| launch_of(Some(grid), true)).into();
        let expected = "\
device memory: 256.00 KiB at the peak (262144 bytes; 2.00 MiB as the driver rounds), exact
known by: evaluation of the program's own code for these arguments

allocations
  PLACE       CALL        TIMES  BYTES EACH   BYTES
  lud.cu:133  cudaMalloc      1      262144  262144

launches
  PLACE      KERNEL        GRID        BLOCK  SHARED  WARPS      COUNT
  lud.cu:58  lud_internal  15x15 .. 1  16x16       0  1800 .. 8      3

warps: 1800 in the largest launch, lud_internal; 1688 in the mean,
weighted by warps x trips of each launch, an estimate of its time

read: 256.dat
";
        assert_eq!(
            text(&need(launches), Bytes(0), Some(Basis::Evaluated)),
            expected
        );
    }

    #[test]
    fn what_depends_on_the_device_is_marked_and_stays_on_its_own_row() {
        let text = text(
            &need(vec![launch_of(None, false), launch_of(Some(2), false)]),
            Bytes(0),
            None,
        );
        assert!(
            text.contains("unknown  16x16       0  unknown     1+\n"),
            "{text}"
        );
        assert!(text.contains("  +: at least;"), "{text}");
    }

    #[test]
    fn nothing_unknown_is_left_out() {
        let mut need = need(Vec::new());
        need.verdict = Verdict::LowerBound;
        need.peak = None;
        need.allocations[0].bytes = None;
        need.unknowns.push(Unknown {
            site: Some(site(9)),
            what: "size of cudaMalloc".to_owned(),
            reason: "read from device memory".to_owned(),
        });
        let text = text(&need, Bytes(400), None);
        let variables =
            "\ndevice variables: 400 bytes (of the module, not of an allocation call)\n";
        assert!(text.contains(variables), "{text}");
        assert!(text.starts_with("device memory: lower bound\n"), "{text}");
        assert!(
            text.contains("\nnot known\n  lud.cu:9  size of cudaMalloc: read from device memory\n"),
            "{text}"
        );
        assert!(text.contains("unknown  262144+\n"), "{text}");
    }
}
