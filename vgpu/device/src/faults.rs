//! `MIGFIT_VGPU_FAULTS` -> which call fails how. The text is a list of rules, parted by semicolons:
//!
//! ```text
//! TARGET=ANSWER[@FIRST][*COUNT]      create-gi=no-permission; destroy-gi=in-use*3; create-ci=gpu-is-lost@2
//! ```
//!
//! Calls of TARGET from the FIRST-th on (none: from the first) answer ANSWER, COUNT of them (none: all). Counted are the
//! calls of one process. Where several rules meet a call each counts it and the first that is due answers.
//! A target is an [`Operation`] or the name of one function (`nvmlDeviceGetMigMode`). Knows no C interface.

use crate::settings;
use crate::state::StateError;
use std::sync::atomic::{AtomicU64, Ordering};

const VARIABLE: &str = "MIGFIT_VGPU_FAULTS";

macro_rules! words {
    ($(#[$about:meta])* $type:ident: $what:literal; $($(#[$each:meta])* $name:ident = $word:literal)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[$each])* #[doc = concat!(" Written `", $word, "`.")] $name,)*
        }

        impl $type {
            fn parse(word: &str) -> Result<$type, String> {
                match word {
                    $($word => Ok($type::$name),)*
                    _ => Err(format!(concat!("`{}` is no ", $what, "; there are {}"), word, [$($word),*].join(", "))),
                }
            }
        }
    };
}

words! {
    /// A group of calls that faults can be set for by one word.
    Operation: "operation and no function of NVML";
    /// The start of the library.
    Start = "start"
    /// Creating a GPU instance, at a place or not.
    CreateGpuInstance = "create-gi"
    /// Destroying a GPU instance.
    DestroyGpuInstance = "destroy-gi"
    /// Creating a compute instance, at a place or not.
    CreateComputeInstance = "create-ci"
    /// Destroying a compute instance.
    DestroyComputeInstance = "destroy-ci"
    /// Switching MIG mode.
    SetMigMode = "set-mig-mode"
    /// Listing GPU instances and compute instances.
    List = "list"
    /// Everything that needs an administrator: all of the above but the start; asking for places, for remaining capacity
    /// and for instances by id; memory and processes of a GPU under MIG as a whole.
    Admin = "admin"
    /// Every call about a GPU, all of the above but the start among them.
    Gpu = "gpu"
}

words! {
    /// What a call answers instead of being done.
    Answer: "answer";
    /// The caller may not.
    NoPermission = "no-permission"
    /// Somebody uses it.
    InUse = "in-use"
    /// No room.
    InsufficientResources = "insufficient-resources"
    /// The GPU fell off the bus.
    GpuIsLost = "gpu-is-lost"
    /// The driver does not have this function.
    FunctionNotFound = "function-not-found"
    /// The GPU does not offer it.
    NotSupported = "not-supported"
    /// There is no such thing.
    NotFound = "not-found"
    /// An argument is wrong.
    InvalidArgument = "invalid-argument"
    /// It waits for a reset of the GPU.
    ResetRequired = "reset-required"
    /// There is no driver.
    DriverNotLoaded = "driver-not-loaded"
    /// Library and driver are of different versions.
    VersionMismatch = "version-mismatch"
    /// The driver took too long.
    Timeout = "timeout"
    /// The driver has no reason.
    Unknown = "unknown"
}

/// The faults that are set.
#[derive(Debug, Default)]
pub struct Faults(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    target: Target,
    answer: Answer,
    /// The first call that fails, counted from 1.
    first: u64,
    /// How many fail; none: all from there on.
    count: Option<u64>,
    /// Calls so far.
    calls: AtomicU64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Operation(Operation),
    Function(String),
}

impl Faults {
    /// As `MIGFIT_VGPU_FAULTS` says; none where it is not set.
    ///
    /// # Errors
    /// `Setting` when it cannot be read.
    pub fn from_env() -> Result<Faults, StateError> {
        settings::variable(VARIABLE)
            .map_or_else(|| Ok(Faults::default()), |text| Faults::parse(&text))
    }

    /// Reads a list of rules.
    ///
    /// # Errors
    /// `Setting` with the rule that cannot be read, and why.
    pub fn parse(text: &str) -> Result<Faults, StateError> {
        let rules = text
            .split(';')
            .map(str::trim)
            .filter(|rule| !rule.is_empty());
        let parsed = rules.map(|rule| Rule::parse(rule).map_err(|reason| unusable(rule, reason)));
        parsed.collect::<Result<_, _>>().map(Faults)
    }

    /// What a call of this function, which is part of these operations, is to answer; `None`: it is done.
    pub fn answer(&self, function: &str, operations: &[Operation]) -> Option<Answer> {
        let met = self
            .0
            .iter()
            .filter(|rule| rule.target.meets(function, operations));
        // Every rule that meets the call counts it, also behind the one that answers.
        let due: Vec<_> = met.filter_map(Rule::call).collect();
        due.first().copied()
    }

    /// An error for a rule about a function that there is none of.
    ///
    /// # Errors
    /// `Setting` with the first of them.
    pub fn require_functions(&self, is_one: impl Fn(&str) -> bool) -> Result<(), StateError> {
        let named = self.0.iter().filter_map(|rule| match &rule.target {
            Target::Function(name) => Some(name),
            Target::Operation(_) => None,
        });
        match { named }.find(|name| !is_one(name)) {
            None => Ok(()),
            Some(name) => Err(unusable(
                name,
                "NVML has no function of this name".to_owned(),
            )),
        }
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Rule, String> {
        let form = || "it is not of the form TARGET=ANSWER[@FIRST][*COUNT]".to_owned();
        let (target, rest) = text.split_once('=').ok_or_else(form)?;
        let (rest, count) = number_behind(rest, '*')?;
        let (answer, first) = number_behind(rest, '@')?;
        Ok(Rule {
            target: Target::parse(target.trim())?,
            answer: Answer::parse(answer.trim())?,
            first: first.unwrap_or(1),
            count,
            calls: AtomicU64::new(0),
        })
    }

    /// Counts a call; the answer if it is to fail.
    fn call(&self) -> Option<Answer> {
        let nth = self.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let behind = nth.checked_sub(self.first)?;
        self.count
            .is_none_or(|count| behind < count)
            .then_some(self.answer)
    }
}

impl Target {
    fn parse(word: &str) -> Result<Target, String> {
        if word.starts_with("nvml") {
            return Ok(Target::Function(word.to_owned()));
        }
        Operation::parse(word).map(Target::Operation)
    }

    fn meets(&self, function: &str, operations: &[Operation]) -> bool {
        match self {
            Target::Operation(operation) => operations.contains(operation),
            Target::Function(name) => name == function,
        }
    }
}

/// Splits `REST`, or `REST` and a number from 1 on behind a mark.
fn number_behind(text: &str, mark: char) -> Result<(&str, Option<u64>), String> {
    let Some((rest, digits)) = text.split_once(mark) else {
        return Ok((text, None));
    };
    let number = digits.trim().parse().ok().filter(|number| *number > 0);
    match number {
        Some(number) => Ok((rest, Some(number))),
        None => Err(format!(
            "behind `{mark}` stands a number from 1 on, not `{digits}`"
        )),
    }
}

fn unusable(rule: &str, reason: String) -> StateError {
    StateError::Setting {
        variable: VARIABLE,
        value: rule.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answers(text: &str, operation: Operation, calls: usize) -> Vec<Option<Answer>> {
        let faults = Faults::parse(text).unwrap();
        let call = |_| faults.answer("nvmlSomething", &[Operation::Gpu, operation]);
        (0..calls).map(call).collect()
    }

    #[test]
    fn a_rule_answers_always_for_a_while_or_from_a_call_on() {
        use Operation::{CreateGpuInstance, DestroyGpuInstance};
        let denied = Some(Answer::NoPermission);
        let busy = Some(Answer::InUse);
        let text = " create-gi = no-permission ; destroy-gi=in-use*2;";
        assert_eq!(answers(text, CreateGpuInstance, 3), [denied; 3]);
        assert_eq!(answers(text, DestroyGpuInstance, 3), [busy, busy, None]);
        let late = answers("destroy-gi=in-use@2*2", DestroyGpuInstance, 4);
        assert_eq!(late, [None, busy, busy, None]);
        assert_eq!(
            answers("destroy-gi=in-use@3", DestroyGpuInstance, 4),
            [None, None, busy, busy]
        );
        assert_eq!(answers("", DestroyGpuInstance, 1), [None]);
    }

    #[test]
    fn rules_that_meet_the_same_call_all_count_it() {
        let text = "destroy-gi=in-use*1;gpu=gpu-is-lost@3";
        let said = answers(text, Operation::DestroyGpuInstance, 4);
        let lost = Some(Answer::GpuIsLost);
        assert_eq!(said, [Some(Answer::InUse), None, lost, lost]);
    }

    #[test]
    fn one_function_can_be_named() {
        let faults = Faults::parse("nvmlDeviceGetMigMode=function-not-found").unwrap();
        let missing = Some(Answer::FunctionNotFound);
        assert_eq!(faults.answer("nvmlDeviceGetMigMode", &[]), missing);
        assert_eq!(faults.answer("nvmlDeviceGetName", &[Operation::Gpu]), None);
        assert!(
            faults
                .require_functions(|name| name == "nvmlDeviceGetMigMode")
                .is_ok()
        );
        let error = faults.require_functions(|_| false).unwrap_err().to_string();
        assert!(
            error.contains("nvmlDeviceGetMigMode is not usable: NVML has no"),
            "{error}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_what_there_is() {
        for (text, part) in [
            ("create-gi", "not of the form TARGET=ANSWER"),
            (
                "make-gi=in-use",
                "`make-gi` is no operation and no function of NVML; there are start, create-gi",
            ),
            (
                "create-gi=busy",
                "`busy` is no answer; there are no-permission, in-use",
            ),
            (
                "create-gi=in-use*0",
                "behind `*` stands a number from 1 on, not `0`",
            ),
            ("create-gi=in-use*2@2", "not `2@2`"),
            ("create-gi=in-use@x", "not `x`"),
            ("gpu=gpu-is-lost; =in-use", "`` is no operation"),
        ] {
            let error = Faults::parse(text).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains("MIGFIT_VGPU_FAULTS="),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-z=;@*0-9 -]{0,40}") {
            let _ = Faults::parse(&text);
        }
    }
}
