//! Words of the command line -> `Request`. The only reader of flags.

use crate::build::{BuildOptions, HostCompiler};
use crate::cli::chance::trials;
use crate::cli::error::CliError;
use crate::cli::flags::{
    AnalyzeFlags, BuildFlags, FitFlags, Flags, HostCompilerName, HostFlags, LayoutVerb, RunFlags,
    SimulateFlags, Verb,
};
use crate::cli::mig_profiles;
use crate::cli::policies::policy;
use crate::cli::request::{
    AnalyzeRequest, DoctorRequest, FitRequest, GraphRequest, PlanRequest, PolicyName, Request,
    RunPlan, ShowRequest, SimulateRequest, StatedHost, TrialRequest,
};
use crate::cli::selector::{self, GpuSelector};
use crate::failure::Failure;
use crate::jobs::{JobSource, duration, memory};
use crate::scratch::InScratch;
use crate::sizing::Board;
use clap::Parser;
use clap::error::ErrorKind;
use migfit_sizes::assumed::Given;
use std::ffi::OsString;
use std::path::PathBuf;

/// GPU models that `migfit fit` shows when none is asked for: small, common and large ones.
const USUAL_MODELS: [&str; 4] = ["a100-40gb", "a100-80gb", "h100-80gb-sxm", "a30-24gb"];

/// Reads and checks the command line of this process.
///
/// # Errors
/// When it is no sentence of ours, or names something that does not exist.
pub fn parse() -> Result<Request, Failure> {
    request(std::env::args_os())
}

fn request(words: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
    match Flags::try_parse_from(words) {
        Ok(flags) => Ok(checked(flags.verb)?),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Request::Text(error.render().to_string()))
            }
            _ => Err(Failure::Grammar(error)),
        },
    }
}

fn checked(verb: Verb) -> Result<Request, CliError> {
    Ok(match verb {
        Verb::Build(flags) => Request::Build(build(flags)),
        Verb::Fit(flags) if flags.run => Request::Trial(trial(flags)?),
        Verb::Fit(flags) => Request::Fit(fit(flags)?),
        Verb::InScratch(flags) => Request::InScratch(InScratch {
            room: flags.room,
            through: flags.through,
            failure: flags.failure,
            program: flags.program,
            words: flags.words,
        }),
        Verb::Run(flags) if flags.plan => Request::Plan(plan(flags)?),
        Verb::Run(flags) => Request::Run(run(flags)?),
        Verb::Analyze(flags) => Request::Analyze(analyze(flags)?),
        Verb::Simulate(flags) => Request::Simulate(simulate(flags)?),
        Verb::Doctor(flags) => Request::Doctor(DoctorRequest {
            gpu: flags.gpu.as_deref().map(GpuSelector::read).transpose()?,
            json: flags.json,
        }),
        Verb::SelfTest { allocate } => Request::SelfTest { allocate },
        Verb::Layout(LayoutVerb::Show { gpu, json }) => Request::LayoutShow(ShowRequest {
            model: selector::planned_model(&gpu)?,
            json,
        }),
        Verb::Layout(LayoutVerb::Graph {
            gpu,
            format,
            profiles,
        }) => {
            let model = selector::planned_model(&gpu)?;
            let mig_profiles = mig_profiles::read(model, &profiles)?;
            Request::LayoutGraph(GraphRequest {
                model,
                format,
                mig_profiles,
            })
        }
    })
}

fn build(flags: BuildFlags) -> BuildOptions {
    BuildOptions {
        command: flags.command,
        for_virtual_gpu: flags.for_virtual_gpu,
        host_compiler: match flags.host_compiler {
            HostCompilerName::Clang => HostCompiler::Clang,
            HostCompilerName::User => HostCompiler::User,
        },
    }
}

fn fit(flags: FitFlags) -> Result<FitRequest, CliError> {
    let (program, args) = program_and_args(flags.command);
    if flags.no_args && !args.is_empty() {
        return Err(CliError::NoArgsWithArgs);
    }
    let assume = given(&flags.assume)?;
    if !assume.is_empty() && args.is_empty() && !flags.no_args {
        return Err(CliError::AssumeWithoutArgs);
    }
    let boards = boards(flags.gpus)?;
    Ok(FitRequest {
        program,
        args: (flags.no_args || !args.is_empty()).then_some(args),
        boards,
        assume,
        limits: flags.limits.limits(),
        explain: flags.explain,
        json: flags.json,
    })
}

/// The boards that are named, or the usual ones.
fn boards(given: Vec<String>) -> Result<Vec<Board<'static>>, CliError> {
    let usual = || USUAL_MODELS.map(str::to_owned).into();
    let given: Vec<String> = Some(given)
        .filter(|given| !given.is_empty())
        .unwrap_or_else(usual);
    let mut boards = Vec::new();
    for name in &given {
        boards.extend(selector::boards(name)?);
    }
    Ok(boards)
}

fn trial(flags: FitFlags) -> Result<TrialRequest, CliError> {
    let (program, args) = program_and_args(flags.command);
    let limit = flags
        .trial
        .limit
        .map(|given| duration::read(&given).map_err(|how| CliError::BadLimit { given, how }));
    Ok(TrialRequest {
        program,
        args,
        boards: boards(flags.gpus)?,
        limits: flags.limits.limits(),
        in_place: flags.trial.in_place,
        skip_kernels: flags.trial.skip_kernels,
        limit: limit.transpose()?,
        svg: flags.trial.svg,
        json: flags.json,
    })
}

fn analyze(flags: AnalyzeFlags) -> Result<AnalyzeRequest, CliError> {
    let args = shlex::split(&flags.args).ok_or_else(|| CliError::OpenQuote(flags.args.clone()))?;
    Ok(AnalyzeRequest {
        files: flags.files,
        args,
        cwd: flags.cwd,
        device: flags.device,
        assume: given(&flags.assume)?,
        limits: flags.limits.limits(),
        json: flags.json,
    })
}

/// What the user says, each thing read by itself.
fn given(all: &[String]) -> Result<Vec<Given>, CliError> {
    let read = |text: &String| {
        Given::parse(text).map_err(|why| CliError::BadAssumption {
            given: text.clone(),
            why,
        })
    };
    all.iter().map(read).collect()
}

fn run(flags: RunFlags) -> Result<RunPlan, CliError> {
    let flag = match &flags.host {
        HostFlags { cpus: Some(_), .. } => Some("--cpus"),
        HostFlags {
            host_memory: Some(_),
            ..
        } => Some("--host-memory"),
        _ => None,
    };
    if let Some(flag) = flag {
        return Err(CliError::HostOfARun { flag });
    }
    Ok(RunPlan {
        jobs: jobs(flags.file, flags.command, &flags.assume)?,
        gpu: GpuSelector::read(&flags.gpu)?,
        slice: flags.slice.map(slice).transpose()?,
        policy: policy(&flags.policy)?,
        out: flags.out,
        json: flags.json,
        quiet: flags.quiet,
    })
}

fn plan(flags: RunFlags) -> Result<PlanRequest, CliError> {
    Ok(PlanRequest {
        jobs: jobs(flags.file, flags.command, &flags.assume)?,
        board: selector::board(&flags.gpu)?,
        policy: policy(&flags.policy)?,
        host: host(flags.host)?,
        json: flags.json,
    })
}

fn simulate(flags: SimulateFlags) -> Result<SimulateRequest, CliError> {
    let mut policies = Vec::new();
    let (board, gpus) = selector::boards_of_one_model(&flags.gpu)?;
    let all = flags.policy.iter().any(|given| given.trim() == "all");
    let named = match all {
        true => PolicyName::ALL.map(|policy| policy.name()).to_vec(),
        false => flags.policy,
    };
    for given in &named {
        let policy = policy(given.trim())?;
        if policies.contains(&policy) {
            return Err(CliError::PolicyTwice(policy.name()));
        }
        policies.push(policy);
    }
    Ok(SimulateRequest {
        jobs: jobs(Some(flags.file), Vec::new(), &[])?,
        board,
        gpus,
        trials: trials(
            flags.trials,
            flags.seed,
            flags.draw.as_deref(),
            flags.error,
            flags.load,
        )?,
        policies,
        host: host(flags.host)?,
        json: flags.json,
    })
}

fn jobs(
    file: Option<PathBuf>,
    command: Vec<OsString>,
    assume: &[String],
) -> Result<JobSource, CliError> {
    Ok(match file {
        Some(file) if file.as_os_str() == "-" => JobSource::StandardInput,
        Some(file) => JobSource::File(file),
        None => {
            let (program, args) = program_and_args(command);
            let assume = given(assume)?;
            JobSource::Program {
                program,
                args,
                assume,
            }
        }
    })
}

fn host(flags: HostFlags) -> Result<StatedHost, CliError> {
    let memory = flags
        .host_memory
        .map(|given| memory::read(&given).map_err(|how| CliError::BadHostMemory { given, how }));
    Ok(StatedHost {
        cpus: flags.cpus,
        memory: memory.transpose()?,
    })
}

fn slice(given: String) -> Result<String, CliError> {
    match given.starts_with("MIG-") {
        true => Ok(given),
        false => Err(CliError::BadSlice { given }),
    }
}

/// The grammar asks for at least one word.
fn program_and_args(command: Vec<OsString>) -> (PathBuf, Vec<OsString>) {
    let mut words = command.into_iter();
    let program = words.next().unwrap_or_default();
    (program.into(), words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        format!("migfit {line}")
            .split(' ')
            .map(OsString::from)
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn run_of(line: &str) -> Result<RunPlan, CliError> {
        #[derive(Parser)]
        struct Alone {
            #[command(flatten)]
            flags: RunFlags,
        }
        run(Alone::try_parse_from(words(line)).unwrap().flags)
    }

    #[test]
    fn a_run_of_one_program_keeps_the_program_s_own_flags() {
        let plan =
            run_of("--gpu virtual:a100-40gb --policy sequential ./lud -s 256 --quiet").unwrap();
        let args = ["-s", "256", "--quiet"].map(OsString::from).into();
        let program = PathBuf::from("./lud");
        let assume = Vec::new();
        assert_eq!(
            plan.jobs,
            JobSource::Program {
                program,
                args,
                assume
            }
        );
        assert_eq!((plan.policy, plan.quiet), (PolicyName::Sequential, false));
        assert_eq!(plan.gpu.to_string(), "virtual:a100-40gb");
    }

    #[test]
    fn a_run_of_a_file_has_its_defaults() {
        let plan = run_of("-f jobs.toml -q --json").unwrap();
        assert_eq!(plan.jobs, JobSource::File("jobs.toml".into()));
        assert_eq!(run_of("-f -").unwrap().jobs, JobSource::StandardInput);
        assert_eq!(
            (plan.policy, plan.gpu.to_string()),
            (PolicyName::Migfit, "auto".to_owned())
        );
        assert!(plan.quiet && plan.json && plan.out.is_none());
    }

    #[test]
    fn an_unknown_policy_offers_the_one_meant() {
        let error = run_of("--policy fifi ./a").unwrap_err();
        assert_eq!(error.to_string(), "no policy is called 'fifi'");
        let hint = crate::failure::Explain::hint(&error).unwrap();
        assert_eq!(
            hint,
            "did you mean 'fifo'? policies: sequential fifo passing sorted far static:best optimal migfit"
        );
    }

    #[test]
    fn a_fit_has_formulas_without_arguments_and_figures_with() {
        let args = |line| match request(words(line)) {
            Ok(Request::Fit(fit)) => fit.args.map(|args| args.len()),
            other => panic!("no fit: {other:?}"),
        };
        assert_eq!(args("fit ./a"), None);
        assert_eq!(args("fit ./a 1 --json"), Some(2));
        assert_eq!(args("fit --no-args ./a"), Some(0));
        let both = request(words("fit --no-args ./a 1"));
        assert!(matches!(both, Err(Failure::Cli(CliError::NoArgsWithArgs))));
    }

    #[test]
    fn a_build_command_is_all_that_follows_the_dashes() {
        let Ok(Request::Build(options)) = request(words("build --virtual -- make -j 2")) else {
            panic!("no build");
        };
        assert_eq!(options.command, ["make", "-j", "2"].map(OsString::from));
        assert!(options.for_virtual_gpu);
        assert_eq!(options.host_compiler, HostCompiler::User);
    }

    #[test]
    fn an_analysis_takes_its_arguments_as_one_text() {
        let words = [
            "migfit",
            "analyze",
            "a.bc",
            "--args",
            "-n 4 'two words'",
            "--json",
        ];
        let Ok(Request::Analyze(asked)) = request(words.map(OsString::from)) else {
            panic!("no analysis");
        };
        assert_eq!(asked.args, ["-n", "4", "two words"]);
        assert_eq!((asked.device.as_str(), asked.json), ("h200-141gb", true));
        let open = request(["migfit", "analyze", "a.bc", "--args", "'x"].map(OsString::from));
        assert!(matches!(open, Err(Failure::Cli(CliError::OpenQuote(_)))));
    }

    #[test]
    fn the_grammar_is_consistent() {
        use clap::CommandFactory;
        Flags::command().debug_assert();
    }
}
