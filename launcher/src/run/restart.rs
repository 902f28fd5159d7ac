//! An attempt that has ended -> whether its job is started again, and on which slices: only after a lack of device
//! memory that the run record proves, on slices larger than the one that was too small. What was seen goes before
//! what was foretold. Pure: no clock, no device, no process.

use crate::jobs::job::Restart;
use crate::run::attempt::Attempt;
use crate::run::record::Lack;
use crate::sizing::choice::Slice;
use crate::sizing::{Board, SliceNeed, size};
use migfit_mig::ProfileName;
use migfit_schema::units::{Bytes, Mib};
use migfit_sizes::Verdict;

/// Most starts of one job: each is on a larger slice, and no GPU has more sizes of them.
const MOST_ATTEMPTS: usize = 5;

/// Whether a program that is started again can read what it read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// It reads nothing, or a file, or a terminal.
    Again,
    /// What came through it is gone.
    Once,
}

/// What is known of a job whose attempt has ended.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// When the user lets it be started again.
    pub allowed: Restart,
    /// The attempt.
    pub attempt: &'c Attempt,
    /// Its number, from 1.
    pub number: usize,
    /// Bytes of the program's device variables.
    pub variables: Bytes,
    /// Its standard input.
    pub input: Input,
}

/// What is done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing lacked, or the program coped.
    End,
    /// It ran out, and is not started again; why.
    GiveUp(String),
    /// It is started again on one of these, the tightest first.
    Again {
        /// MIG profiles that hold what it asked for.
        slices: Vec<ProfileName>,
        /// Why these.
        why: String,
        /// What the tightest of them needs, the CUDA context included.
        need: Mib,
    },
}

/// Decides.
#[must_use]
pub fn next(case: Case<'_>, board: Board<'_>) -> Next {
    let attempt = case.attempt;
    let Some(first) = attempt.lack() else {
        return Next::End;
    };
    // A program that coped did its work; one that we stopped is not wanted any more.
    if attempt.ending.is_success() || attempt.stopped.is_some() {
        return Next::End;
    }
    if let Some(why) = hindrance(case) {
        return Next::GiveUp(format!("not started again: {why}"));
    }
    // A program may have asked for less and less: what it asked for first would satisfy it best.
    let mut lacks = attempt.seen.lacks.clone();
    lacks.sort_by_key(|lack| std::cmp::Reverse(lack.would_have));
    let larger = lacks.iter().find_map(|lack| larger(case, board, lack));
    larger.unwrap_or_else(|| {
        let least = lacks.last().unwrap_or(first);
        Next::GiveUp(format!(
            "not started again: {}",
            too_large(case, board, least)
        ))
    })
}

/// What keeps it from being started again, whatever slices there are.
fn hindrance(case: Case<'_>) -> Option<String> {
    match (case.allowed, case.input) {
        (Restart::Never, _) => Some("restart = \"never\"".to_owned()),
        (Restart::Oom | Restart::Early, Input::Once) => {
            Some("its standard input cannot be read a second time".to_owned())
        }
        (Restart::Oom | Restart::Early, Input::Again) => {
            (case.number >= MOST_ATTEMPTS).then(|| format!("{MOST_ATTEMPTS} attempts are enough"))
        }
    }
}

fn needs(case: Case<'_>, board: Board<'_>, lack: &Lack) -> Vec<Slice> {
    let need = SliceNeed {
        bytes: Some(lack.would_have),
        variables: case.variables,
        verdict: Verdict::UpperBound,
    };
    size(board, |_| need).slices
}

/// Slices with more memory than the one it had, which hold what it asked for.
fn larger(case: Case<'_>, board: Board<'_>, lack: &Lack) -> Option<Next> {
    let had = memory_of(board, case.attempt.placed.profile);
    let sized = needs(case, board, lack);
    let fitting = sized
        .iter()
        .filter(|slice| slice.holds() && slice.candidate.have > had);
    let slices: Vec<ProfileName> = fitting
        .clone()
        .map(|slice| slice.candidate.profile)
        .collect();
    let need = fitting.map(|slice| slice.candidate.need).next()?;
    let why = format!("started again: it needs {need} with its CUDA context");
    Some(Next::Again { slices, why, need })
}

fn memory_of(board: Board<'_>, profile: ProfileName) -> Mib {
    let found = board.model.profile(profile);
    found.map_or(Mib(0), |profile| profile.memory_mib)
}

/// Why no larger slice holds it, with the numbers.
fn too_large(case: Case<'_>, board: Board<'_>, lack: &Lack) -> String {
    let had = case.attempt.placed.profile;
    let sized = needs(case, board, lack);
    let largest = sized.iter().max_by_key(|slice| slice.candidate.have);
    match largest.map(|slice| slice.candidate) {
        Some(largest) if largest.need > largest.have => format!(
            "it needs {} with its CUDA context, the largest slice {} has {}",
            largest.need, largest.profile, largest.have
        ),
        Some(largest) => format!("no slice is larger than {had} ({})", largest.have),
        None => format!("no slice is larger than {had}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::attempt::tests::{ended, lack};
    use crate::run::ending::{Ending, Stopped};

    fn board() -> Board<'static> {
        Board::virtual_gpu(migfit_mig::find("a100-40gb").unwrap())
    }

    /// An attempt on this MIG profile that failed with exit code 2 after these lacks.
    fn short(profile: &str, lacks: &[Lack]) -> Attempt {
        let mut attempt = ended(Ending::Exit(2));
        attempt.placed.profile = profile.parse().unwrap();
        attempt.seen.lacks = lacks.to_vec();
        attempt
    }

    fn case(attempt: &Attempt) -> Case<'_> {
        Case {
            allowed: Restart::Oom,
            attempt,
            number: 1,
            variables: Bytes(0),
            input: Input::Again,
        }
    }

    /// MIG profiles of the restart, or why there is none.
    fn told(case: Case<'_>) -> String {
        match next(case, board()) {
            Next::End => "end".to_owned(),
            Next::GiveUp(why) => why,
            Next::Again { slices, .. } => {
                let names: Vec<String> = slices.iter().map(ToString::to_string).collect();
                names.join(" ")
            }
        }
    }

    #[test]
    fn it_goes_to_the_tightest_slice_that_holds_what_it_asked_for() {
        let attempt = short("1g.5gb", &[lack(4096, 2048)]);
        assert_eq!(
            told(case(&attempt)),
            "1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"
        );
        // 64 + 4 * 14 MiB of context.
        let Next::Again { why, .. } = next(case(&attempt), board()) else {
            panic!("it is not started again");
        };
        assert_eq!(
            why,
            "started again: it needs 6264 MiB with its CUDA context"
        );
        // One MiB too much for 9856 MiB with that context.
        let attempt = short("1g.5gb", &[lack(9856 - 120 - 100 + 1, 100)]);
        assert_eq!(told(case(&attempt)), "3g.20gb 4g.20gb 7g.40gb");
    }

    #[test]
    fn device_variables_count_again() {
        let attempt = short("1g.5gb", &[lack(9856 - 120 - 100, 100)]);
        assert!(told(case(&attempt)).starts_with("1g.10gb "));
        let with_variables = Case {
            variables: Bytes(1),
            ..case(&attempt)
        };
        assert!(told(with_variables).starts_with("3g.20gb "));
    }

    #[test]
    fn it_goes_up_even_where_the_figures_say_that_it_had_enough() {
        let attempt = short("1g.5gb", &[lack(1, 1)]);
        assert!(told(case(&attempt)).starts_with("1g.10gb "));
        let attempt = short("2g.10gb", &[lack(1, 1)]);
        assert_eq!(told(case(&attempt)), "3g.20gb 4g.20gb 7g.40gb");
    }

    #[test]
    fn on_the_largest_slice_it_is_over_with_the_numbers() {
        let attempt = short("7g.40gb", &[lack(4096, 38_000)]);
        assert_eq!(
            told(case(&attempt)),
            "not started again: it needs 42552 MiB with its CUDA context, the largest slice 7g.40gb has 40192 MiB"
        );
        let attempt = short("7g.40gb", &[lack(1, 1)]);
        assert_eq!(
            told(case(&attempt)),
            "not started again: no slice is larger than 7g.40gb (40192 MiB)"
        );
    }

    #[test]
    fn a_program_that_asked_for_the_impossible_first_is_judged_by_what_can_be() {
        let attempt = short(
            "1g.5gb",
            &[lack(100_000, 0), lack(12_000, 0), lack(5_000, 0)],
        );
        assert_eq!(told(case(&attempt)), "3g.20gb 4g.20gb 7g.40gb");
    }

    #[test]
    fn exit_codes_prove_nothing() {
        assert_eq!(told(case(&short("1g.5gb", &[]))), "end");
        let mut coped = short("1g.5gb", &[lack(4096, 2048)]);
        coped.ending = Ending::Exit(0);
        assert_eq!(told(case(&coped)), "end");
        let mut stopped = short("1g.5gb", &[lack(4096, 2048)]);
        stopped.stopped = Some(Stopped::Told("SIGINT"));
        assert_eq!(told(case(&stopped)), "end");
    }

    #[test]
    fn the_user_the_input_and_the_number_of_attempts_may_forbid_it() {
        let attempt = short("1g.5gb", &[lack(4096, 2048)]);
        let never = Case {
            allowed: Restart::Never,
            ..case(&attempt)
        };
        assert_eq!(told(never), "not started again: restart = \"never\"");
        let piped = Case {
            input: Input::Once,
            ..case(&attempt)
        };
        assert_eq!(
            told(piped),
            "not started again: its standard input cannot be read a second time"
        );
        let fifth = Case {
            number: 5,
            ..case(&attempt)
        };
        assert_eq!(told(fifth), "not started again: 5 attempts are enough");
        let early = Case {
            allowed: Restart::Early,
            ..case(&attempt)
        };
        assert!(told(early).starts_with("1g.10gb"));
    }

    #[test]
    fn the_largest_request_overflows_nothing() {
        let lack = Lack {
            requested: Bytes(u64::MAX),
            in_use: Bytes(u64::MAX),
            would_have: Bytes(u64::MAX),
        };
        let said = told(case(&short("1g.5gb", &[lack])));
        assert!(said.starts_with("not started again: it needs "), "{said}");
    }
}
