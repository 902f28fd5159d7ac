//! Parts of formulas that are not known, and collecting them: never dropped.

use crate::formula::Formulas;
use migfit_schema::formula::Expr;
use migfit_schema::profile::Unknown;
use migfit_schema::site::Site;

/// Not known, with the reason.
pub fn unknown(site: Option<Site>, reason: &str) -> Expr {
    Expr::Unknown {
        site,
        reason: reason.to_owned(),
    }
}

/// Whether some part is not known.
pub fn has_unknown(expr: &Expr) -> bool {
    matches!(expr, Expr::Unknown { .. }) || parts(expr).into_iter().any(has_unknown)
}

/// The first part that is not known.
pub fn first(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Unknown { .. } => Some(expr),
        other => parts(other).into_iter().find_map(first),
    }
}

/// The reason of the first part that is not known.
pub fn first_unknown(expr: &Expr) -> Option<&str> {
    match first(expr) {
        Some(Expr::Unknown { reason, .. }) => Some(reason),
        _ => None,
    }
}

/// The expressions that an expression is made of.
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Unknown { .. } | Expr::Int(_) | Expr::Float(_) | Expr::Input(_) => Vec::new(),
        Expr::Loop(variable) => vec![&variable.first, &variable.step, &variable.bound],
        Expr::Over(over) => {
            let variable = &over.variable;
            vec![&variable.first, &variable.step, &variable.bound, &over.each]
        }
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Unary(_, a) => vec![a],
        Expr::Select {
            condition,
            then,
            otherwise,
        } => vec![condition, then, otherwise],
        Expr::OneOf(all) => all.iter().collect(),
    }
}

/// Every unknown part of every formula, each once.
pub fn unknowns(found: &Formulas) -> Vec<Unknown> {
    let mut all: Vec<Unknown> = Vec::new();
    for allocation in &found.allocations {
        let (api, site) = (&allocation.api, &allocation.site);
        add(
            &mut all,
            &format!("size of {api} at {site}"),
            site,
            &allocation.size,
        );
        add(
            &mut all,
            &format!("count of {api} at {site}"),
            site,
            &allocation.times,
        );
    }
    for launch in &found.launches {
        let site = &launch.site;
        let what = format!("configuration of the launch at {site}");
        let extents = launch.grid.iter().chain(&launch.block);
        for expr in extents.chain([&launch.shared]) {
            add(&mut all, &what, site, expr);
        }
        let what = format!("count of the launch at {site}");
        add(&mut all, &what, site, &launch.times);
    }
    all
}

/// Adds the unknown parts of one formula that are not listed yet.
fn add(all: &mut Vec<Unknown>, what: &str, own: &Site, expr: &Expr) {
    if let Expr::Unknown { site, reason } = expr {
        let unknown = Unknown {
            site: site.clone().or_else(|| Some(own.clone())),
            what: what.to_owned(),
            reason: reason.clone(),
        };
        if !all.contains(&unknown) {
            all.push(unknown);
        }
    }
    for part in parts(expr) {
        add(all, what, own, part);
    }
}
