//! The command `migfit`: reads the command line, does what one verb asks, prints, and exits with a named code.
//! Knows no flag, no device and no file format: each stage has its own folder.

mod analyze;
mod build;
mod cli;
mod doctor;
mod exit_code;
mod failure;
mod fit;
mod gpu;
mod jobs;
mod layout;
mod modelled;
mod output;
mod plan;
mod policy;
mod program;
mod report;
mod run;
mod scratch;
mod simulate;
mod sizing;
mod table;
mod trial;

use cli::request::Request;
use exit_code::ExitCode;
use failure::Failure;

fn main() -> std::process::ExitCode {
    let code = match cli::parse().and_then(perform) {
        Ok(code) => code,
        Err(failure) => {
            output::report(&failure);
            failure.exit_code()
        }
    };
    code.into()
}

/// Does what one verb asks.
fn perform(request: Request) -> Result<ExitCode, Failure> {
    match request {
        Request::Text(text) => output::print(&text),
        Request::Build(options) => Ok(ExitCode::of_command(build::run(options)?)),
        Request::Run(plan) => {
            let finished = run::run(&plan)?;
            output::remark(&finished.remark);
            output::print(&finished.output)?;
            if let Some(failure) = finished.failure {
                output::report(&failure.into());
            }
            Ok(finished.code)
        }
        Request::Plan(request) => output::print(&plan::plan(&request)?),
        Request::Simulate(request) => output::print(&simulate::simulate(&request)?),
        Request::Doctor(request) => {
            let checked = doctor::doctor(&request)?;
            output::print(&checked.output)?;
            Ok(checked.code)
        }
        Request::SelfTest { allocate } => output::print(&doctor::client(allocate)),
        Request::Fit(request) => output::print(&fit::fit(&request)?),
        Request::Trial(request) => {
            let tried = trial::run(&request)?;
            output::print(&tried.output)?;
            Ok(tried.code)
        }
        Request::InScratch(asked) => {
            output::remark(&format!("migfit: {}\n", scratch::enter(&asked)));
            Ok(ExitCode::CannotStart)
        }
        Request::Analyze(request) => output::print(&analyze::analyze(&request)?),
        Request::LayoutShow(request) => output::print(&layout::show::show(&request)?),
        Request::LayoutGraph(request) => output::print(&layout::graph::graph(&request)?),
    }
}
