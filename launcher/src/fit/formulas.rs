//! The summary of a job profile -> every size as a formula with its place: as data (for JSON) and as the text of
//! `migfit fit PROGRAM`.

use crate::fit::formula_text::FormulaPrinter;
use migfit_schema::formula::{BinaryOp, Expr, UnaryOp};
use migfit_schema::profile::{Allocation, Launch, Summary, Unknown};
use migfit_schema::units::WARP_THREADS;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Threads of one warp, as formulas count.
const WARP: i64 = WARP_THREADS as i64;

/// What the ways of writing inputs mean.
type Legend = BTreeSet<&'static str>;

/// Every formula of a program, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Formulas {
    /// Allocation sites.
    pub allocations: Vec<SiteFormulas>,
    /// Launch sites.
    pub launches: Vec<SiteFormulas>,
    /// The largest sum of bytes alive at once; none where nothing is allocated.
    pub peak: Option<SiteFormulas>,
    /// What the ways of writing inputs mean, for those that occur.
    pub legend: Legend,
}

/// The formulas of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteFormulas {
    /// `lud.cu:133`.
    pub place: String,
    /// The call, or the kernel.
    pub what: String,
    /// Pairs of name and formula: `bytes`, `grid`, `block`, `warps`, `shared`, `times`, in reading order.
    pub formulas: Vec<(&'static str, String)>,
    /// What the loop variables in them run over.
    pub clauses: Vec<String>,
}

impl Formulas {
    /// Those of a summary.
    #[must_use]
    pub fn of(summary: &Summary) -> Formulas {
        let mut legend = BTreeSet::new();
        let allocations = summary.allocations.iter();
        let allocations = allocations
            .map(|one| allocation(one, &mut legend))
            .collect();
        let launches = summary.launches.iter();
        let launches = launches
            .map(|one| launch(summary, one, &mut legend))
            .collect();
        Formulas {
            peak: (!summary.allocations.is_empty()).then(|| peak(summary, &mut legend)),
            allocations,
            launches,
            legend,
        }
    }
}

fn allocation(allocation: &Allocation, legend: &mut Legend) -> SiteFormulas {
    let mut printer = FormulaPrinter::default();
    let mut formulas = vec![("bytes", printer.text(&allocation.size))];
    push_unless(&mut formulas, &mut printer, "times", &allocation.times, 1);
    push_unless(&mut formulas, &mut printer, "if", &allocation.condition, 1);
    if changes(&allocation.size) && !matches!(allocation.total, Expr::Unknown { .. }) {
        formulas.push(("in all", printer.text(&allocation.total)));
    }
    legend.extend(printer.legend());
    SiteFormulas {
        place: allocation.site.to_string(),
        what: allocation.api.clone(),
        formulas,
        clauses: printer.clauses().to_vec(),
    }
}

/// Whether a size is another one in each turn of a loop.
fn changes(size: &Expr) -> bool {
    match size {
        Expr::Loop(_) => true,
        Expr::Binary(_, a, b) => changes(a) || changes(b),
        Expr::Unary(_, a) => changes(a),
        Expr::Select {
            condition,
            then,
            otherwise,
        } => changes(condition) || changes(then) || changes(otherwise),
        _ => false,
    }
}

fn peak(summary: &Summary, legend: &mut Legend) -> SiteFormulas {
    let mut printer = FormulaPrinter::default();
    let formulas = vec![("bytes", printer.text(&summary.peak))];
    legend.extend(printer.legend());
    SiteFormulas {
        place: "the largest sum alive at once".to_owned(),
        what: String::new(),
        formulas,
        clauses: printer.clauses().to_vec(),
    }
}

fn launch(summary: &Summary, launch: &Launch, legend: &mut Legend) -> SiteFormulas {
    let mut printer = FormulaPrinter::default();
    let mut formulas = vec![
        ("grid", extent(&mut printer, &launch.grid)),
        ("block", extent(&mut printer, &launch.block)),
        ("warps", printer.text(&warps(&launch.grid, &launch.block))),
    ];
    push_unless(&mut formulas, &mut printer, "shared", &launch.shared, 0);
    push_unless(&mut formulas, &mut printer, "times", &launch.times, 1);
    push_unless(&mut formulas, &mut printer, "if", &launch.condition, 1);
    let kind = if launch.cooperative {
        " (cooperative)"
    } else {
        ""
    };
    legend.extend(printer.legend());
    SiteFormulas {
        place: launch.site.to_string(),
        what: format!("{}{kind}", kernel_name(summary, &launch.kernel)),
        formulas,
        clauses: printer.clauses().to_vec(),
    }
}

/// Warps of one launch: blocks times warps per block, a partly filled warp counted whole.
fn warps(grid: &[Expr; 3], block: &[Expr; 3]) -> Expr {
    let threads = product(block);
    let per_block = match threads {
        Expr::Int(threads) => {
            Expr::Int(threads.div_euclid(WARP) + i64::from(threads.rem_euclid(WARP) > 0))
        }
        threads => {
            let threads = Expr::Unary(UnaryOp::ToFloat, threads.into());
            let ratio = Expr::Binary(
                BinaryOp::Div,
                threads.into(),
                Expr::Float(WARP as f64).into(),
            );
            Expr::Unary(
                UnaryOp::ToInt,
                Expr::Unary(UnaryOp::Ceil, ratio.into()).into(),
            )
        }
    };
    let [x, y, z] = grid.clone();
    product(&[per_block, x, y, z])
}

/// The product, constants in front and multiplied out.
fn product(factors: &[Expr]) -> Expr {
    let constants = factors.iter().filter_map(|factor| match factor {
        Expr::Int(value) => Some(*value),
        _ => None,
    });
    let constant = Some(constants.fold(1, i64::saturating_mul)).filter(|constant| *constant != 1);
    let others = factors
        .iter()
        .filter(|factor| !matches!(factor, Expr::Int(_)))
        .cloned();
    let all = constant.map(Expr::Int).into_iter().chain(others);
    all.reduce(|a, b| Expr::Binary(BinaryOp::Mul, a.into(), b.into()))
        .unwrap_or(Expr::Int(1))
}

/// A formula that is only worth a line when it is not the usual constant.
fn push_unless(
    formulas: &mut Vec<(&'static str, String)>,
    printer: &mut FormulaPrinter,
    name: &'static str,
    expr: &Expr,
    usual: i64,
) {
    if *expr != Expr::Int(usual) {
        formulas.push((name, printer.text(expr)));
    }
}

/// The kernel's name for people; its mangled name where the summary does not list it.
fn kernel_name<'a>(summary: &'a Summary, symbol: &'a str) -> &'a str {
    let mut kernels = summary.kernels.iter();
    let kernel = kernels.find(|kernel| kernel.symbol == symbol);
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

/// Everything that the summary knows, as text.
#[must_use]
pub fn text(summary: &Summary, formulas: &Formulas) -> String {
    let mut text = format!(
        "{}: {}, {}\n",
        summary.name,
        counted(formulas.allocations.len(), "allocation site"),
        counted(formulas.launches.len(), "launch site"),
    );
    section(&mut text, "allocations", &formulas.allocations, site);
    let peak: Vec<&SiteFormulas> = formulas.peak.iter().collect();
    section(&mut text, "peak", &peak, |peak| lines(peak));
    section(&mut text, "launches", &formulas.launches, site);
    section(&mut text, "not known", &summary.unknowns, unknown);
    let legend: Vec<_> = formulas.legend.iter().collect();
    section(&mut text, "how inputs are written", &legend, |line| {
        format!("  {line}\n")
    });
    text + &gaps(summary)
}

/// What analysis did not see of the program: no evaluation can know it either.
#[must_use]
pub fn gaps(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(failure) = &summary.failure {
        let _ = writeln!(text, "\nno figures can be worked out: {failure}");
    }
    let title = "linked without IR, so not looked into";
    section(&mut text, title, &summary.without_ir, |object| {
        format!("  {object}\n")
    });
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

fn site(site: &SiteFormulas) -> String {
    format!("  {}  {}\n{}", site.place, site.what, lines(site))
}

/// The formulas of a site, one a line.
fn lines(site: &SiteFormulas) -> String {
    let mut text = String::new();
    let clauses = site.clauses.iter().map(|clause| ("where", clause));
    let formulas = site.formulas.iter().map(|(name, formula)| (*name, formula));
    for (name, value) in formulas.chain(clauses) {
        let _ = writeln!(text, "      {name:<6}  {value}");
    }
    text
}

fn unknown(unknown: &Unknown) -> String {
    let place = unknown
        .site
        .as_ref()
        .map(|site| format!("{site}  "))
        .unwrap_or_default();
    format!("  {place}{}: {}\n", unknown.what, unknown.reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::formula::{BinaryOp, CompareOp, Input, LoopVar};
    use migfit_schema::kernel::Kernel;
    use migfit_schema::profile::PROFILE_VERSION;
    use migfit_schema::site::Site;

    fn site_at(line: u32) -> Site {
        Site {
            file: "lud/lud.cu".to_owned(),
            line,
        }
    }

    fn n() -> Expr {
        Expr::Input(Input::OptionInt(vec!["-s".to_owned(), "--size".to_owned()]))
    }

    fn rest() -> Expr {
        let variable = Expr::Loop(Box::new(LoopVar {
            name: "i".to_owned(),
            first: Expr::Int(0),
            step: Expr::Int(16),
            compare: CompareOp::Less,
            bound: n(),
        }));
        let left = Expr::Binary(BinaryOp::Sub, n().into(), variable.into());
        Expr::Binary(BinaryOp::Div, left.into(), Expr::Int(16).into())
    }

    fn lud() -> Summary {
        let square = Expr::Binary(BinaryOp::Mul, n().into(), n().into());
        Summary {
            version: PROFILE_VERSION,
            migfit: "0.1.0".to_owned(),
            name: "lud".to_owned(),
            allocations: vec![Allocation {
                site: site_at(133),
                api: "cudaMalloc".to_owned(),
                size: Expr::Binary(BinaryOp::Mul, square.into(), Expr::Int(4).into()),
                times: Expr::Int(1),
                condition: Expr::Int(1),
                total: Expr::Int(1),
            }],
            peak: Expr::Binary(BinaryOp::Mul, n().into(), Expr::Int(4).into()),
            launches: vec![Launch {
                site: site_at(58),
                kernel: "_Z12lud_internalPfii".to_owned(),
                grid: [rest(), rest(), Expr::Int(1)],
                block: [Expr::Int(16), Expr::Int(16), Expr::Int(1)],
                shared: Expr::Int(0),
                times: Expr::Int(1),
                condition: Expr::Int(1),
                cooperative: false,
            }],
            kernels: vec![Kernel {
                symbol: "_Z12lud_internalPfii".to_owned(),
                name: "lud_internal".to_owned(),
                images: Vec::new(),
            }],
            device_variables: 0,
            annotations: Vec::new(),
            unknowns: vec![Unknown {
                site: Some(site_at(9)),
                what: "call of foo".to_owned(),
                reason: "it has no body".to_owned(),
            }],
            without_ir: vec!["libx.a(y.o)".to_owned()],
            libraries: Vec::new(),
            identity: None,
            failure: None,
        }
    }

    #[test]
    fn every_part_of_a_summary_is_told() {
        let summary = lud();
        let expected = "\
lud: 1 allocation site, 1 launch site

allocations
  lud.cu:133  cudaMalloc
      bytes   option(-s, --size) * option(-s, --size) * 4

peak
      bytes   option(-s, --size) * 4

launches
  lud.cu:58  lud_internal
      grid    (option(-s, --size) - i) / 16, (option(-s, --size) - i) / 16
      block   16, 16
      warps   8 * ((option(-s, --size) - i) / 16) * ((option(-s, --size) - i) / 16)
      where   i = 0, 16 .. < option(-s, --size)

not known
  lud.cu:9  call of foo: it has no body

how inputs are written
  option(NAMES): the number behind this option, in any of its spellings

linked without IR, so not looked into
  libx.a(y.o)
";
        assert_eq!(text(&summary, &Formulas::of(&summary)), expected);
    }

    #[test]
    fn a_failed_analysis_says_so() {
        let mut summary = lud();
        summary.failure = Some("the analysis ran out of memory".to_owned());
        let text = text(&summary, &Formulas::of(&summary));
        assert!(
            text.contains("\n\nno figures can be worked out: the analysis ran out"),
            "{text}"
        );
    }
}
