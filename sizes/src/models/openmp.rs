//! OpenMP as clang calls its run-time support. How many threads there are is known where the program or the environment
//! says so: then each runs the region in its turn. Otherwise one thread stands for all, and takes all turns of a loop.

use super::number::arg;
use super::table::Family;
use super::threads;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::run::Machine;
use crate::machine::value::Value;

/// The models of this file but for the start of a region, which calls back.
pub const MODELS: Family = &[
    ("__kmpc_for_static_init_4", |host, args| {
        share(host, args, 4)
    }),
    ("__kmpc_for_static_init_4u", |host, args| {
        share(host, args, 4)
    }),
    ("__kmpc_for_static_init_8", |host, args| {
        share(host, args, 8)
    }),
    ("__kmpc_for_static_init_8u", |host, args| {
        share(host, args, 8)
    }),
    ("__kmpc_dispatch_init_4", offer),
    ("__kmpc_dispatch_init_4u", offer),
    ("__kmpc_dispatch_init_8", offer),
    ("__kmpc_dispatch_init_8u", offer),
    ("__kmpc_dispatch_next_4", |host, args| take(host, args, 4)),
    ("__kmpc_dispatch_next_4u", |host, args| take(host, args, 4)),
    ("__kmpc_dispatch_next_8", |host, args| take(host, args, 8)),
    ("__kmpc_dispatch_next_8u", |host, args| take(host, args, 8)),
    ("__kmpc_push_num_threads", |host, args| {
        host.threads.teams.asked = arg(args, 2).as_int().ok();
        Ok(Value::int(0))
    }),
    ("omp_set_num_threads", |host, args| {
        host.threads.teams.set = arg(args, 0).as_int().ok();
        Ok(Value::int(0))
    }),
    ("__kmpc_barrier", barrier),
    ("__kmpc_single", first),
    ("__kmpc_master", first),
    ("__kmpc_masked", first),
    ("__kmpc_reduce", |_, _| Ok(Value::int(1))),
    ("__kmpc_reduce_nowait", |_, _| Ok(Value::int(1))),
    ("__kmpc_global_thread_num", number),
    ("omp_get_thread_num", number),
    ("omp_get_num_threads", |host, _| {
        match host.threads.teams.inner() {
            Some(team) => count(host, team.count),
            None => Ok(Value::int(1)),
        }
    }),
    ("omp_get_max_threads", |host, _| {
        let wanted = wanted(host);
        count(host, wanted)
    }),
    ("omp_in_parallel", |host, _| {
        Ok(Value::int(i32::from(host.threads.teams.inner().is_some())))
    }),
    ("__kmpc_for_static_fini", zero),
    ("__kmpc_dispatch_deinit", zero),
    ("__kmpc_critical", zero),
    ("__kmpc_end_critical", zero),
    ("__kmpc_end_single", zero),
    ("__kmpc_end_master", zero),
    ("__kmpc_end_masked", zero),
    ("__kmpc_end_reduce", zero),
    ("__kmpc_end_reduce_nowait", zero),
    ("__kmpc_flush", zero),
];

/// Starts a parallel region.
pub const START: &str = "__kmpc_fork_call";
/// Most threads of a region that are followed one by one.
const MOST: i32 = 1024;
/// Number that the ledger knows the first thread of a region by, behind those of POSIX threads.
const AGENTS: u64 = 1 << 32;

/// The regions that run, one within another.
#[derive(Debug, Default)]
pub struct Teams {
    running: Vec<Team>,
    /// For the next region (`num_threads`), and for all that follow (`omp_set_num_threads`).
    asked: Option<i32>,
    set: Option<i32>,
    /// The loop that is handed out by pieces: first and last turn, until somebody takes it.
    offered: Option<(Value, Value)>,
}

/// One thread of a region.
#[derive(Clone, Copy, Debug)]
struct Team {
    number: i32,
    count: Option<i32>,
}

impl Teams {
    fn inner(&self) -> Option<Team> {
        self.running.last().copied()
    }
}

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

/// How many threads the next region has, where anybody says so. A region within another has one.
fn wanted(host: &Host<'_>) -> Option<i32> {
    if host.threads.teams.inner().is_some() {
        return Some(1);
    }
    let environment = host.command.env.iter();
    let variable = environment
        .filter(|(name, _)| name == "OMP_NUM_THREADS")
        .find_map(|(_, text)| text.split(',').next()?.trim().parse().ok());
    host.threads.teams.set.or(variable)
}

fn count(host: &mut Host<'_>, known: Option<i32>) -> Result<Value, Halt> {
    match known {
        Some(count) => Ok(Value::int(count)),
        None => {
            let what = "the number of OpenMP's threads (OMP_NUM_THREADS tells it)".to_owned();
            Ok(host.unknown(Source::Undefined(what)))
        }
    }
}

/// Runs a region once for each thread.
pub fn start(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    const FIRST_SHARED: usize = 3;
    let asked = machine.host.threads.teams.asked.take();
    let known = asked
        .or_else(|| wanted(&machine.host))
        .filter(|count| (1..=MOST).contains(count));
    // The thread's number, and that of the one that started the region's.
    let mut place = || -> Result<Value, Halt> {
        let address = machine.host.memory.add(Kind::Host, 4, Mark::KNOWN)?;
        Ok(Value::known(address))
    };
    let (own, bound) = (place()?, place()?);
    let mut given = vec![own, bound];
    given.extend(args.iter().skip(FIRST_SHARED));
    let calls = machine.host.notes.cuda_calls;
    let outer = machine.host.ledger.agent;
    let runs = known.unwrap_or(1);
    if runs > 1 {
        machine.host.ledger.open_window();
    }
    for number in 0..runs {
        machine.host.store(own, 4, Value::int(number));
        machine.host.ledger.agent = AGENTS + u64::from(number.unsigned_abs());
        machine.host.threads.teams.running.push(Team {
            number,
            count: known,
        });
        let ran = machine.call_back(arg(args, 2), &given);
        machine.host.threads.teams.running.pop();
        machine.host.ledger.agent = outer;
        ran?;
    }
    if known.is_none() && machine.host.notes.cuda_calls > calls {
        let place = machine.host.place;
        let reason =
            "it calls CUDA, and how many threads run it is not known: one is taken to do all";
        machine
            .host
            .notes
            .assume(place, "parallel region", reason.to_owned());
    }
    if machine.host.threads.all_joined() && machine.host.threads.teams.running.is_empty() {
        threads::finish(&mut machine.host);
    }
    Ok(Value::int(0))
}

fn number(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let team = host.threads.teams.inner();
    Ok(Value::int(team.map_or(0, |team| team.number)))
}

/// Work that one thread does: the first, whose turn comes before the others'.
fn first(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let team = host.threads.teams.inner();
    Ok(Value::int(i32::from(
        team.is_none_or(|team| team.number == 0),
    )))
}

/// Each thread goes on at once in its turn: with several, what the others do before the barrier comes too late.
fn barrier(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let team = host.threads.teams.inner();
    if team.is_some_and(|team| team.count.is_some_and(|count| count > 1)) {
        threads::assume_order(host);
    }
    Ok(Value::int(0))
}

/// A thread's share of a loop with a fixed division: one piece each, or pieces of a given length in turn.
fn share(host: &mut Host<'_>, args: &[Value], size: usize) -> Result<Value, Halt> {
    const BY_PIECES: i32 = 33;
    /// Above are hints.
    const KIND: i32 = 0xffff;
    let [last, lower, upper, stride] = [3, 4, 5, 6].map(|index| arg(args, index));
    let team = host.threads.teams.inner();
    let (number, count) = team.map_or((0, 1), |team| (team.number, team.count.unwrap_or(1)));
    let load = |host: &mut Host<'_>, place: Value| -> Result<i64, Halt> {
        Ok(signed(host.memory.load(place.get()?, size).get()?, size))
    };
    let (low, high) = (load(host, lower)?, load(host, upper)?);
    let piece = Loop {
        low,
        high,
        step: signed(arg(args, 7).get()?, size),
        length: (arg(args, 2).as_int()? & KIND == BY_PIECES)
            .then_some(signed(arg(args, 8).get()?, size).max(1)),
    }
    .piece(i64::from(number), i64::from(count));
    let put = |host: &mut Host<'_>, place: Value, value: i64| {
        host.store(place, size, Value::known(cut(value, size)));
    };
    host.store(last, 4, Value::int(i32::from(piece.is_last)));
    put(host, lower, piece.first);
    put(host, upper, piece.end);
    put(host, stride, piece.stride);
    Ok(Value::int(0))
}

/// A loop that is divided among threads: its first and last value, the step, the length of pieces where it has one.
#[derive(Clone, Copy, Debug)]
struct Loop {
    low: i64,
    high: i64,
    step: i64,
    length: Option<i64>,
}

/// What one thread does first, and how far its next piece is.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: i64,
    end: i64,
    stride: i64,
    is_last: bool,
}

impl Loop {
    fn turns(&self) -> i64 {
        match self.step {
            0 => 0,
            step => self
                .high
                .wrapping_sub(self.low)
                .wrapping_div(step)
                .wrapping_add(1)
                .max(0),
        }
    }

    /// The first piece of thread `number` of `count`.
    fn piece(&self, number: i64, count: i64) -> Piece {
        let turns = self.turns();
        let (begin, mine, apart, is_last) = match self.length {
            Some(length) => {
                let last_piece = (turns - 1).max(0) / length;
                (
                    number.wrapping_mul(length),
                    length,
                    count.wrapping_mul(length),
                    last_piece % count == number,
                )
            }
            None => {
                let (each, more) = (turns / count, turns % count);
                let begin = number * each + number.min(more);
                let mine = each + i64::from(number < more);
                (begin, mine, turns, begin + mine == turns && mine > 0)
            }
        };
        let first = self.low.wrapping_add(begin.wrapping_mul(self.step));
        Piece {
            first,
            end: first.wrapping_add((mine - 1).wrapping_mul(self.step)),
            stride: apart.wrapping_mul(self.step),
            is_last,
        }
    }
}

fn signed(bits: u64, size: usize) -> i64 {
    if size == 4 {
        i64::from(bits as i32)
    } else {
        bits as i64
    }
}

fn cut(value: i64, size: usize) -> u64 {
    if size == 4 {
        u64::from(value as u32)
    } else {
        value as u64
    }
}

/// A loop that is handed out by pieces: whoever asks first takes all.
fn offer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let team = host.threads.teams.inner();
    let is_first = team.is_none_or(|team| team.number == 0);
    host.threads.teams.offered = is_first.then(|| (arg(args, 3), arg(args, 4)));
    Ok(Value::int(0))
}

fn take(host: &mut Host<'_>, args: &[Value], size: usize) -> Result<Value, Halt> {
    let Some((low, high)) = host.threads.teams.offered.take() else {
        return Ok(Value::int(0));
    };
    let [last, lower, upper, stride] = [2, 3, 4, 5].map(|index| arg(args, index));
    host.store(last, 4, Value::int(1));
    host.store(lower, size, low);
    host.store(upper, size, high);
    host.store(stride, size, Value::known(1));
    Ok(Value::int(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values that a thread takes, as compiled code goes through its pieces.
    fn taken(all: &Loop, number: i64, count: i64) -> Vec<i64> {
        let mut piece = all.piece(number, count);
        let mut values = Vec::new();
        let within = |value: i64| match all.step > 0 {
            true => value <= all.high,
            false => value >= all.high,
        };
        let mut pieces = 0;
        while within(piece.first) && pieces < 1000 {
            let mut value = piece.first;
            let in_piece = |value: i64| match all.step > 0 {
                true => value <= piece.end,
                false => value >= piece.end,
            };
            while in_piece(value) && within(value) {
                values.push(value);
                value += all.step;
            }
            if all.length.is_none() {
                break;
            }
            (piece.first, piece.end) = (piece.first + piece.stride, piece.end + piece.stride);
            pieces += 1;
        }
        values
    }

    proptest! {
        #[test]
        fn each_turn_of_a_loop_is_taken_by_one_thread(
            low in -50i64..50,
            turns in 0i64..80,
            step in prop_oneof![1i64..4, -3i64..0],
            length in proptest::option::of(1i64..7),
            count in 1i64..9,
        ) {
            let all = Loop { low, high: low + (turns - 1) * step, step, length };
            let mut values: Vec<i64> = (0..count).flat_map(|number| taken(&all, number, count)).collect();
            values.sort_unstable();
            let mut expected: Vec<i64> = (0..turns).map(|turn| low + turn * step).collect();
            expected.sort_unstable();
            prop_assert_eq!(values, expected);
            let last = (0..count).filter(|number| all.piece(*number, count).is_last).count();
            prop_assert!(turns == 0 || last == 1);
        }
    }
}
