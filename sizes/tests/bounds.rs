//! Small random programs whose branches hang on what the device computed: whatever the device computes, a bound that is
//! given holds, and an exact answer is right.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_sizes::{Need, Verdict};
use proptest::prelude::*;

/// What a program does, one after the other.
#[derive(Clone, Debug)]
enum Step {
    /// Takes so many bytes.
    Take(u16),
    /// Takes as many bytes as the device computed.
    TakeResult,
    /// Frees the buffer that was taken so many steps ago; unknown: as the device says, it or none.
    Free { back: usize, unknown: bool },
    /// Where the device says so, takes so many bytes.
    Maybe(u16, Rule),
    /// Gives up with an error where the device says so.
    Check,
    /// A function whose code is not here.
    Stranger,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    TakeCuda,
    Stop,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u16..2000).prop_map(Step::Take),
        1 => Just(Step::TakeResult),
        3 => (0usize..4, any::<bool>()).prop_map(|(back, unknown)| Step::Free { back, unknown }),
        2 => (1u16..2000, any::<bool>()).prop_map(|(bytes, stop)| {
            Step::Maybe(bytes, if stop { Rule::Stop } else { Rule::TakeCuda })
        }),
        1 => Just(Step::Check),
        1 => Just(Step::Stranger),
    ]
}

/// The answer for a program.
fn answer(steps: &[Step]) -> Need {
    let mut build = Build::new();
    build.program.opaque.push("stranger".to_owned());
    build.main(|body, _| {
        let mut slots = Vec::new();
        for step in steps {
            write(body, step, &mut slots);
        }
        body.ret(int(0));
    });
    build.need(&[])
}

fn write(body: &mut Body<'_>, step: &Step, slots: &mut Vec<Operand>) {
    match step {
        Step::Take(bytes) => slots.push(body.cuda_malloc(int(i64::from(*bytes))).0),
        Step::TakeResult => {
            let result = small_result(body);
            let bytes = body.sext(result);
            slots.push(body.cuda_malloc(bytes).0);
        }
        Step::Free { back, unknown } => {
            if *back >= slots.len() {
                return;
            }
            let slot = slots.remove(slots.len() - 1 - back);
            let pointer = body.load(Type::Ptr, slot);
            let freed = match unknown {
                false => pointer,
                true => {
                    let condition = small_result(body);
                    let dst = body.register();
                    body.op(Op::Select {
                        dst,
                        ty: Type::Ptr,
                        condition,
                        a: pointer,
                        b: int(0),
                    });
                    Operand::Reg(dst)
                }
            };
            body.call("cudaFree", &[(freed, Type::Ptr)]);
        }
        Step::Maybe(bytes, rule) => {
            let condition = small_result(body);
            let (then, join) = (body.block(), body.block());
            let rule = match rule {
                Rule::TakeCuda => OnUnknown::TakeCuda(then),
                Rule::Stop => OnUnknown::Stop,
            };
            body.branch(condition, then, join, rule);
            body.at(then);
            body.cuda_malloc(int(i64::from(*bytes)));
            body.jump(join);
            body.at(join);
        }
        Step::Check => {
            let condition = small_result(body);
            let (failed, fine) = (body.block(), body.block());
            body.branch(condition, failed, fine, OnUnknown::CheckPasses(fine));
            body.at(failed);
            body.call("exit", &[(int(1), I32)]);
            body.ret(int(1));
            body.at(fine);
        }
        Step::Stranger => {
            body.call("stranger", &[]);
        }
    }
}

/// A number that the device computed, without an allocation of its own.
fn small_result(body: &mut Body<'_>) -> Operand {
    let slot = body.alloca(4);
    let args = [
        (slot, Type::Ptr),
        (int(0), Type::Ptr),
        (int(4), I64),
        (int(0), I64),
        (int(2), I32),
    ];
    body.call("cudaMemcpyFromSymbol", &args);
    body.load(I32, slot)
}

/// The true peak where the device computes `results` one after the other. Strangers take 500 bytes, or nothing.
fn truth(steps: &[Step], results: &[u32]) -> u64 {
    let mut results = results.iter().copied().cycle();
    let mut next = || results.next().unwrap_or(0);
    let (mut live, mut peak) = (0u64, 0);
    let mut buffers: Vec<u64> = Vec::new();
    for step in steps {
        match step {
            Step::Take(bytes) => {
                live += u64::from(*bytes);
                buffers.push(u64::from(*bytes));
            }
            Step::TakeResult => {
                let bytes = u64::from(next() % 4096);
                live += bytes;
                buffers.push(bytes);
            }
            Step::Free { back, unknown } => {
                if *back < buffers.len() {
                    let bytes = buffers.remove(buffers.len() - 1 - back);
                    if !unknown || next() & 1 == 1 {
                        live -= bytes;
                    }
                }
            }
            Step::Maybe(bytes, _) => {
                if next() & 1 == 1 {
                    live += u64::from(*bytes);
                }
            }
            Step::Check => {
                if next() & 1 == 1 {
                    return peak;
                }
            }
            Step::Stranger => {
                if next() & 1 == 1 {
                    live += 500;
                }
            }
        }
        peak = peak.max(live);
    }
    peak
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_claimed_holds_whatever_the_device_computes(
        steps in prop::collection::vec(step(), 0..9),
        results in prop::collection::vec(prop::collection::vec(any::<u32>(), 9), 8),
    ) {
        let need = answer(&steps);
        for results in &results {
            let truth = truth(&steps, results);
            let peak = need.peak.map(|bytes| bytes.0);
            match need.verdict {
                Verdict::Exact => prop_assert_eq!(peak, Some(truth), "{:#?}", need),
                Verdict::UpperBound => prop_assert!(peak >= Some(truth), "{:?} {:#?}", truth, need),
                Verdict::LowerBound => prop_assert!(peak <= Some(truth), "{:?} {:#?}", truth, need),
                Verdict::Unknown => prop_assert_eq!(peak, None),
                Verdict::Assumed => prop_assert!(!need.assumptions.is_empty(), "{:#?}", need),
                Verdict::Elastic => prop_assert!(false, "nothing asks for free memory"),
            }
        }
    }
}
