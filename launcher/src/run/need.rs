//! One job and a board -> what is foretold of it and the MIG profiles that hold it, tightest first, with the reason.
//! What is not known goes to the whole GPU and says why.

use crate::jobs::Job;
use crate::policy::Policy;
use crate::program::{self, ProgramError};
use crate::sizing::choice::Slice;
use crate::sizing::{Board, Choice, Sized, SliceNeed, as_the_driver_rounds, device, size};
use migfit_mig::{MigProfile, ProfileName};
use migfit_schema::profile::JobProfile;
use migfit_schema::units::{Bytes, Mib};
use migfit_sizes::{CommandLine, Limits, Need, Verdict, evaluate_given};
use std::fmt;
use std::path::Path;

/// What is foretold of a job, and where it may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foretold {
    /// Peak of requested bytes; none where unknown.
    pub peak: Option<Bytes>,
    /// How sure.
    pub verdict: Verdict,
    /// MIG profiles that hold it, tightest first; never empty.
    pub fitting: Vec<ProfileName>,
    /// Why these, as a clause.
    pub why: String,
    /// What the tightest of them needs with the context; none where the need does not bound the job.
    pub needs: Option<Mib>,
    /// What is special about it, in a few words; empty for a need that is foretold and bounds the job.
    pub special: String,
    /// Launches foretold.
    pub launches: u64,
    /// Bytes of the program's device variables, which no allocation asks for.
    pub variables: Bytes,
}

/// A job that no slice holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    job: String,
    program: Bytes,
    variables: Bytes,
    context: Bytes,
    need: Mib,
    largest: ProfileName,
    have: Mib,
    /// Whether that is the one slice which --slice names.
    is_named: bool,
}

impl TooLarge {
    /// The same, of the one slice that `--slice` names.
    #[must_use]
    pub fn of_the_named(self) -> TooLarge {
        TooLarge {
            is_named: true,
            ..self
        }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: needs {} ({}{} and a CUDA context of {}), the {} {} has {}",
            self.job,
            self.need,
            self.program,
            in_clause(self.variables, ", "),
            self.context,
            match self.is_named {
                true => "slice that --slice names,",
                false => "largest slice",
            },
            self.largest,
            self.have
        )
    }
}

/// Device variables as part of a sum; nothing where there are none.
fn in_clause(variables: Bytes, sign: &str) -> String {
    match variables.0 {
        0 => String::new(),
        _ => format!("{sign}{variables} of device variables"),
    }
}

/// Foretells a job's need on each slice of the board, and tells of the slice that the policy prefers. `program` is its
/// file, or why there is none.
///
/// # Errors
/// When even the largest slice is too small.
pub fn foretell(
    board: Board<'_>,
    job: &Job,
    program: Result<&Path, &str>,
    policy: &dyn Policy,
) -> Result<Foretold, TooLarge> {
    let read = |program| program::read_profile(program, &job.cwd, &job.environment());
    let evaluated = match program.map(read) {
        Ok(Ok(profile)) => evaluate(board, job, &profile),
        Ok(Err(error)) => Evaluated::nothing(unprofiled(&error)),
        Err(why) => Evaluated::nothing(why.to_owned()),
    };
    let sized = size(board, |slice| match job.memory {
        Some(bytes) => SliceNeed {
            bytes: Some(bytes),
            // The user's word is for all that the program takes.
            variables: Bytes(0),
            verdict: Verdict::UpperBound,
        },
        None => evaluated.on(slice),
    });
    decide(board, job, &evaluated, &sized, policy)
}

/// Evaluations of one job: one for all slices where the program does not ask what it runs on.
struct Evaluated {
    /// Bytes of the program's device variables.
    variables: Bytes,
    needs: Vec<(Option<ProfileName>, Need)>,
    /// Why nothing is known.
    nothing: Option<String>,
}

impl Evaluated {
    fn nothing(why: String) -> Evaluated {
        Evaluated {
            variables: Bytes(0),
            needs: Vec::new(),
            nothing: Some(why),
        }
    }

    fn need(&self, slice: ProfileName) -> Option<&Need> {
        let of = |own: &Option<ProfileName>| own.is_none_or(|own| own == slice);
        self.needs
            .iter()
            .find(|(own, _)| of(own))
            .map(|(_, need)| need)
    }

    fn on(&self, slice: &MigProfile) -> SliceNeed {
        match self.need(slice.name) {
            Some(need) => SliceNeed {
                bytes: device::wanted(need),
                variables: self.variables,
                verdict: need.verdict,
            },
            None => SliceNeed {
                bytes: None,
                variables: self.variables,
                verdict: Verdict::Unknown,
            },
        }
    }
}

fn evaluate(board: Board<'_>, job: &Job, profile: &JobProfile) -> Evaluated {
    let Some(program) = &profile.program else {
        let why = profile
            .summary
            .failure
            .as_deref()
            .unwrap_or("its analysis failed");
        return Evaluated::nothing(format!("the job profile holds no size program: {why}"));
    };
    let words = job.command.iter().map(|word| word.clone().into_string());
    let Ok(args) = words.collect::<Result<Vec<String>, _>>() else {
        return Evaluated::nothing("an argument is not valid UTF-8".to_owned());
    };
    let command = CommandLine {
        args,
        env: job.environment(),
        cwd: job.cwd.clone(),
    };
    let asks = device::asks(program);
    let on = |properties| {
        let limits = Limits::default();
        evaluate_given(profile, &command, &properties, &limits, &job.assume)
    };
    let needs: Vec<_> = match asks {
        false => {
            let everywhere = on(device::nowhere());
            let plain = board.model.profiles.iter();
            let small = plain.filter(|slice| device::may_lack(&everywhere, slice));
            let own = small.map(|slice| (Some(slice.name), on(device::with_memory_of(slice))));
            let mut needs: Vec<_> = own.collect();
            needs.push((None, everywhere));
            needs
        }
        true => {
            let plain = board.model.profiles.iter();
            let plain = plain.filter(|slice| slice.name.attribute.is_none());
            let known = plain.filter_map(|slice| {
                Some((
                    Some(slice.name),
                    on(device::properties(board.model, slice)?),
                ))
            });
            known.collect()
        }
    };
    Evaluated {
        variables: Bytes(profile.summary.device_variables),
        nothing: needs.is_empty().then(|| {
            "it asks its device for what is not told of this GPU (its number of SMs)".to_owned()
        }),
        needs,
    }
}

/// Why a file tells nothing: a clause that fits behind "need unknown:".
fn unprofiled(error: &ProgramError) -> String {
    match error {
        ProgramError::NoProfile(_) => {
            "the program carries no job profile (migfit build makes one)".to_owned()
        }
        ProgramError::NotElf { kind, .. } => format!("it is {kind}, which carries no job profile"),
        other => other.to_string(),
    }
}

fn decide(
    board: Board<'_>,
    job: &Job,
    evaluated: &Evaluated,
    sized: &Sized,
    policy: &dyn Policy,
) -> Result<Foretold, TooLarge> {
    let measured = measured(job, sized);
    let (tightest, fitting) = match (measured.first(), sized.choice) {
        (Some(&slice), _) => (slice, names(&measured)),
        (None, Some(Choice::Tightest(slice))) => (slice, fitting(sized)),
        (None, Some(Choice::Whole(slice))) => (slice, vec![slice.candidate.profile]),
        (None, Some(Choice::TooLarge(slice))) => return Err(too_large(job, &slice)),
        (None, None) => {
            return Ok(Foretold {
                peak: None,
                verdict: Verdict::Unknown,
                fitting: Vec::new(),
                why: "the GPU has no MIG profile".to_owned(),
                needs: None,
                special: "the GPU has no MIG profile".to_owned(),
                launches: 0,
                variables: evaluated.variables,
            });
        }
    };
    let whole = board.model.whole().map(|whole| whole.name);
    let preferred = whole.and_then(|whole| policy.choose(&fitting, whole).first().copied());
    let mut slices = sized.slices.iter();
    let slice = slices
        .find(|slice| Some(slice.candidate.profile) == preferred)
        .unwrap_or(&tightest);
    let need = evaluated.need(slice.candidate.profile);
    Ok(Foretold {
        peak: need.and_then(|need| need.peak),
        verdict: need.map_or(Verdict::Unknown, |need| need.verdict),
        why: match measured.is_empty() {
            true => why(job, evaluated, slice, need),
            false => why_measured(job, &fitting),
        },
        needs: slice.need.bounds_the_job().then_some(slice.candidate.need),
        special: special(job, slice, sized),
        launches: need.map_or(0, launches),
        variables: evaluated.variables,
        fitting,
    })
}

/// Slices that the job was measured on, tightest first: the user's word that they hold it, which goes before what is
/// foretold. With the user's word for its memory, those that hold that.
fn measured(job: &Job, sized: &Sized) -> Vec<Slice> {
    let named = |slice: &&Slice| job.times.contains_key(&slice.candidate.profile);
    let holds = |slice: &&Slice| job.memory.is_none() || slice.holds();
    let slices = sized.slices.iter().filter(named).filter(holds);
    slices.copied().collect()
}

fn names(slices: &[Slice]) -> Vec<ProfileName> {
    slices.iter().map(|slice| slice.candidate.profile).collect()
}

fn why_measured(job: &Job, fitting: &[ProfileName]) -> String {
    let names: Vec<String> = fitting.iter().map(ToString::to_string).collect();
    let memory = job
        .memory
        .map(|memory| format!(" and {memory} by its word"));
    format!(
        "measured on {}, by the job file's times{}",
        names.join(" "),
        memory.unwrap_or_default()
    )
}

fn special(job: &Job, slice: &Slice, sized: &Sized) -> String {
    let special = special_need(job, slice);
    let named = |slice: &Slice| job.times.contains_key(&slice.candidate.profile);
    if job.times.is_empty() || sized.slices.iter().any(named) {
        return special;
    }
    let foreign = "its times are of other slices than this GPU has";
    match special.is_empty() {
        true => foreign.to_owned(),
        false => format!("{special}; {foreign}"),
    }
}

fn special_need(job: &Job, slice: &Slice) -> String {
    match (job.memory, slice.need.bounds_the_job()) {
        (Some(_), _) => "by the job file's word".to_owned(),
        (None, _) if job.times.contains_key(&slice.candidate.profile) => {
            "by the job file's times".to_owned()
        }
        (None, true) => String::new(),
        (None, false) => format!("need {}: whole GPU", slice.need.verdict),
    }
}

fn launches(need: &Need) -> u64 {
    let counts = need.launches.iter().map(|launch| launch.count);
    counts.fold(0, u64::saturating_add)
}

fn fitting(sized: &Sized) -> Vec<ProfileName> {
    let holding = sized
        .slices
        .iter()
        .filter(|s| s.need.bounds_the_job() && s.holds());
    holding.map(|slice| slice.candidate.profile).collect()
}

fn too_large(job: &Job, slice: &Slice) -> TooLarge {
    TooLarge {
        job: job.name.clone(),
        program: slice.need.bytes.unwrap_or_default(),
        variables: as_the_driver_rounds(slice.need.variables),
        context: slice.context.bytes,
        need: slice.candidate.need,
        largest: slice.candidate.profile,
        have: slice.candidate.have,
        is_named: false,
    }
}

fn why(job: &Job, evaluated: &Evaluated, slice: &Slice, need: Option<&Need>) -> String {
    let context = slice.context.bytes;
    let peak = need.and_then(|need| need.peak);
    if let Some(memory) = job.memory {
        let less = match peak {
            Some(peak) if peak > memory => format!(", less than the {peak} foretold,"),
            _ => String::new(),
        };
        return format!("{memory} by the job file's word{less} + {context} context");
    }
    match slice.need.bytes {
        Some(bytes) if slice.need.bounds_the_job() => {
            let peak = peak.unwrap_or(bytes);
            let rounded = match bytes == peak {
                true => String::new(),
                false => format!(", {bytes} as the driver rounds"),
            };
            format!(
                "{peak} foretold ({}){rounded}{} + {context} context",
                slice.need.verdict,
                in_clause(as_the_driver_rounds(slice.need.variables), " + "),
            )
        }
        _ => format!(
            "need {}, so the whole GPU: {}",
            slice.need.verdict,
            doubt(evaluated, need)
        ),
    }
}

fn doubt(evaluated: &Evaluated, need: Option<&Need>) -> String {
    let first = need.and_then(|need| need.unknowns.first());
    match (&evaluated.nothing, first) {
        (Some(nothing), _) => nothing.clone(),
        (None, Some(unknown)) => match &unknown.site {
            Some(site) => format!("{} at {site}: {}", unknown.what, unknown.reason),
            None => format!("{}: {}", unknown.what, unknown.reason),
        },
        (None, None) => "the program takes what it gets".to_owned(),
    }
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
