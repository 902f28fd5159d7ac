//! Measured run times of one job, by MIG profile. Names are checked as names; whether the GPU has them is told where
//! the GPU is known.

use crate::jobs::complaint::{Complaint, Value, complain, integer, known_keys, wrong_type};
use crate::jobs::job::SliceTime;
use migfit_mig::ProfileName;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::DeValue;

const HOW: &str = "times = { \"1g.5gb\" = 12.5 }, in seconds, or { \"1g.5gb\" = { startup = 13.2, iteration = 0.12 } }";

/// Longest that is taken, in seconds: ten years.
const LONGEST_S: f64 = 10.0 * 365.0 * 86400.0;

/// Reads the times of one job.
pub(super) fn read(
    value: &Value<'_>,
    iterations: Option<u64>,
) -> Result<BTreeMap<ProfileName, SliceTime>, Complaint> {
    let Some(table) = value.get_ref().as_table() else {
        return wrong_type(value, "times", HOW);
    };
    if table.is_empty() {
        return complain(value.span(), "times is empty", format!("write {HOW}"));
    }
    let mut times = BTreeMap::new();
    for (key, value) in table.iter() {
        let name =
            mig_profile(key.get_ref()).or_else(|(what, hint)| complain(key.span(), what, hint))?;
        let time = time(value)?;
        if time.iteration_s > 0.0 && iterations.is_none() {
            return complain(
                value.span(),
                format!("{name} has a time for each iteration, and the job has no iterations"),
                "add iterations = 500, or state the seconds of the whole job",
            );
        }
        if time.whole_s(iterations.unwrap_or(0)) > LONGEST_S {
            return complain(value.span(), format!("{name}: more than ten years"), HOW);
        }
        times.insert(name, time);
    }
    Ok(times)
}

/// A MIG profile that a job can be given; else what is wrong and what to do.
fn mig_profile(text: &str) -> Result<ProfileName, (String, String)> {
    let name: ProfileName = text.parse().map_err(|_| {
        (
            format!("'{text}' is no MIG profile"),
            format!("write {HOW}"),
        )
    })?;
    match name.compute.is_some() || name.attribute.is_some() {
        true => Err((
            format!("no job is given a slice of MIG profile {name}"),
            format!("name the plain one: {}g.{}gb", name.slices, name.gb),
        )),
        false => Ok(name),
    }
}

fn time(value: &Value<'_>) -> Result<SliceTime, Complaint> {
    let Some(table) = value.get_ref().as_table() else {
        return Ok(SliceTime {
            startup_s: above_zero(value, "a time")?,
            iteration_s: 0.0,
        });
    };
    known_keys(table, &["startup", "iteration"], "a time")?;
    let Some(iteration) = table.get("iteration") else {
        return complain(value.span(), "a time without iteration", HOW);
    };
    let startup = table.get("startup").map(|v| seconds(v, "startup"));
    Ok(SliceTime {
        startup_s: startup.transpose()?.unwrap_or(0.0),
        iteration_s: above_zero(iteration, "iteration")?,
    })
}

fn above_zero(value: &Value<'_>, what: &str) -> Result<f64, Complaint> {
    match seconds(value, what)? {
        0.0 => complain(value.span(), format!("{what} of 0 seconds"), HOW),
        seconds => Ok(seconds),
    }
}

/// Seconds from 0, finite.
fn seconds(value: &Spanned<DeValue<'_>>, what: &str) -> Result<f64, Complaint> {
    let (written, number) = match value.get_ref() {
        DeValue::Integer(written) => {
            #[expect(clippy::cast_precision_loss, reason = "2^53 seconds are refused below")]
            let number = integer(value).map(|number| number as f64);
            (written.as_str().to_owned(), number)
        }
        DeValue::Float(written) => (written.as_str().to_owned(), written.as_str().parse().ok()),
        _ => return wrong_type(value, what, HOW),
    };
    match number {
        Some(seconds) if (0.0..=LONGEST_S).contains(&seconds) => Ok(seconds),
        _ => complain(
            value.span(),
            format!("{what} = {written} is no time in seconds"),
            format!("write a number above 0: {HOW}"),
        ),
    }
}
