//! The summary of a job profile -> the text of `migfit fit PROGRAM`: every size as a formula, with its place.

use crate::fit::formula_text::FormulaPrinter;
use migfit_schema::formula::Expr;
use migfit_schema::profile::{Allocation, Launch, Summary, Unknown};
use std::fmt::Write;

/// Everything that the summary knows, as text.
#[must_use]
pub fn text(summary: &Summary) -> String {
    let mut text = format!(
        "{}: {}, {}\n",
        summary.name,
        counted(summary.allocations.len(), "allocation site"),
        counted(summary.launches.len(), "launch site"),
    );
    if let Some(failure) = &summary.failure {
        let _ = writeln!(text, "\nno figures can be worked out: {failure}");
    }
    section(&mut text, "allocations", &summary.allocations, allocation);
    section(&mut text, "launches", &summary.launches, |one| {
        launch(summary, one)
    });
    section(&mut text, "unknown", &summary.unknowns, unknown);
    section(
        &mut text,
        "linked without IR, so not looked into",
        &summary.without_ir,
        |object| format!("  {object}\n"),
    );
    text
}

/// `1 site`, `2 sites`.
fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn section<T>(text: &mut String, title: &str, items: &[T], print: impl Fn(&T) -> String) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for item in items {
        text.push_str(&print(item));
    }
}

fn allocation(allocation: &Allocation) -> String {
    let mut printer = FormulaPrinter::default();
    let mut text = format!("  {}  {}\n", allocation.site, allocation.api);
    line(&mut text, "bytes", &printer.text(&allocation.size));
    if allocation.times != Expr::Int(1) {
        line(&mut text, "times", &printer.text(&allocation.times));
    }
    clauses(&mut text, &printer);
    text
}

fn launch(summary: &Summary, launch: &Launch) -> String {
    let mut printer = FormulaPrinter::default();
    let kind = if launch.cooperative {
        "  (cooperative)"
    } else {
        ""
    };
    let mut text = format!(
        "  {}  {}{kind}\n",
        launch.site,
        kernel_name(summary, &launch.kernel)
    );
    line(&mut text, "grid", &extent(&mut printer, &launch.grid));
    line(&mut text, "block", &extent(&mut printer, &launch.block));
    if launch.shared != Expr::Int(0) {
        line(&mut text, "shared", &printer.text(&launch.shared));
    }
    if launch.times != Expr::Int(1) {
        line(&mut text, "times", &printer.text(&launch.times));
    }
    clauses(&mut text, &printer);
    text
}

/// The kernel's name for people; its mangled name where the summary does not list it.
fn kernel_name<'a>(summary: &'a Summary, symbol: &'a str) -> &'a str {
    let kernel = summary
        .kernels
        .iter()
        .find(|kernel| kernel.symbol == symbol);
    kernel.map_or(symbol, |kernel| &kernel.name)
}

/// `n`, `n, m` or `n, m, k`: trailing ones are left out.
fn extent(printer: &mut FormulaPrinter, extent: &[Expr; 3]) -> String {
    let said = match extent {
        [_, Expr::Int(1), Expr::Int(1)] => 1,
        [_, _, Expr::Int(1)] => 2,
        _ => 3,
    };
    let texts: Vec<String> = extent
        .iter()
        .take(said)
        .map(|expr| printer.text(expr))
        .collect();
    texts.join(", ")
}

fn unknown(unknown: &Unknown) -> String {
    let place = unknown
        .site
        .as_ref()
        .map_or("unknown place".to_owned(), ToString::to_string);
    format!("  {place}  {}: {}\n", unknown.what, unknown.reason)
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "      {name:<6} {value}");
}

fn clauses(text: &mut String, printer: &FormulaPrinter) {
    for clause in printer.clauses() {
        line(text, "where", clause);
    }
}
