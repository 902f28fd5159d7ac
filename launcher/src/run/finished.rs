//! How a run went -> what the shell, standard output and standard error are told.

use crate::cli::request::RunPlan;
use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::report::{self, Told};
use crate::run::RunError;
use crate::run::folder::RunFolder;
use migfit_schema::report::Report;

/// How a run went.
pub struct Ran {
    /// The report.
    pub told: Told,
    /// Name of the signal that stopped it.
    pub stopped_by: Option<&'static str>,
    /// What failed of migfit's own, after jobs had been started.
    pub failure: Option<RunError>,
}

/// What a run came to.
pub struct Finished {
    /// What the shell is told.
    pub code: ExitCode,
    /// What standard output gets.
    pub output: String,
    /// What standard error gets, before it.
    pub remark: String,
    /// What standard error gets, after it.
    pub failure: Option<RunError>,
}

/// Puts it into words. A failure of migfit's own goes before all that jobs did.
pub fn finished(plan: &RunPlan, folder: &RunFolder, ran: Ran) -> Finished {
    let report = &ran.told.report;
    let code = match (&ran.failure, ran.stopped_by, plan.is_single()) {
        (Some(failure), ..) => failure.exit_code(),
        (None, Some(_), _) => ExitCode::Interrupted,
        (None, None, true) => single_code(report),
        (None, None, false) if report.batch.failed > 0 => ExitCode::JobsFailed,
        (None, None, false) => ExitCode::Success,
    };
    let place = format!("report: {}\n", folder.report().display());
    let (output, remark) = match (plan.json, plan.has_terminal()) {
        (true, _) => (report::json(report), String::new()),
        (false, true) => (
            String::new(),
            format!("{}{place}", report::table::line(report)),
        ),
        (false, false) => (report::table::text(&ran.told), place),
    };
    let remark = if plan.quiet { String::new() } else { remark };
    Finished {
        code,
        output,
        remark,
        failure: ran.failure,
    }
}

fn single_code(report: &Report) -> ExitCode {
    let code = report.jobs.first().map(|job| job.exit_code);
    code.flatten()
        .map_or(ExitCode::CannotStart, ExitCode::of_command)
}
