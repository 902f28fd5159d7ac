//! glibc's random numbers: rand's additive feedback generator (TYPE_3), rand_r and the drand48 family.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("rand", rand),
    ("random", rand),
    ("srand", srand),
    ("srandom", srand),
    ("rand_r", rand_r),
    ("drand48", drand48),
    ("lrand48", lrand48),
    ("mrand48", mrand48),
    ("srand48", srand48),
    ("erand48", |host, args| {
        let next = next_in(host, arg(args, 0))?;
        Ok(Value::double(next as f64 / (1u64 << 48) as f64))
    }),
    ("nrand48", |host, args| {
        Ok(Value::known(next_in(host, arg(args, 0))? >> 17))
    }),
    ("jrand48", |host, args| {
        let next = next_in(host, arg(args, 0))?;
        Ok(Value::known(i64::from((next >> 16) as i32) as u64))
    }),
];

/// Words of rand's state.
const WORDS: usize = 31;
/// Distance between the two words that are added.
const DISTANCE: usize = 3;
/// Results that are thrown away after seeding.
const DISCARDED: usize = 310;

/// State of the generators.
#[derive(Debug, Default)]
pub struct Random {
    /// `None` until first used: seeded with 1.
    words: Option<[u32; WORDS]>,
    at: usize,
    /// The seed was not known.
    unknown: Option<Mark>,
    /// State of drand48, 48 bits.
    state48: u64,
    unknown48: Option<Mark>,
}

impl Random {
    /// Seeds rand.
    pub fn seed(&mut self, seed: u32) {
        let mut words = [0u32; WORDS];
        let mut word = i64::from(if seed == 0 { 1 } else { seed } as i32);
        for slot in &mut words {
            *slot = word as u32;
            // 16807 * word mod 2^31 - 1, as glibc computes it (the remainder made positive).
            word = (16807 * word) % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        self.words = Some(words);
        self.at = DISTANCE;
        self.unknown = None;
        for _ in 0..DISCARDED {
            self.next();
        }
    }

    /// The next result of rand.
    pub fn next(&mut self) -> u32 {
        if self.words.is_none() {
            self.seed(1);
        }
        let at = self.at;
        self.at = (at + 1) % WORDS;
        let Some(words) = &mut self.words else {
            return 0;
        };
        let older = words
            .get((at + WORDS - DISTANCE) % WORDS)
            .copied()
            .unwrap_or(0);
        match words.get_mut(at) {
            Some(word) => {
                *word = word.wrapping_add(older);
                *word >> 1
            }
            None => 0,
        }
    }

    fn next48(&mut self) -> Result<u64, Mark> {
        if let Some(mark) = self.unknown48 {
            return Err(mark);
        }
        self.state48 = after48(self.state48);
        Ok(self.state48)
    }
}

/// The step of drand48's family.
fn after48(state: u64) -> u64 {
    state.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & ((1 << 48) - 1)
}

/// The same in a state of the program's own: three words of 16 bits, the lowest first.
fn next_in(host: &mut Host<'_>, place: Value) -> Result<u64, Halt> {
    let base = place.get()?;
    let mut state = 0;
    for (word, shift) in [(0, 0), (2, 16), (4, 32)] {
        state |= host.memory.load(base.wrapping_add(word), 2).get()? << shift;
    }
    let next = after48(state);
    for (word, shift) in [(0, 0), (2, 16), (4, 32)] {
        let part = Value::known((next >> shift) & 0xffff);
        host.memory.store(base.wrapping_add(word), 2, part);
    }
    Ok(next)
}

fn rand(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    if let Some(mark) = host.random.unknown {
        return Err(Halt::Unknown(mark));
    }
    Ok(Value::known(u64::from(host.random.next())))
}

fn srand(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match arg(args, 0).get() {
        Ok(seed) => host.random.seed(seed as u32),
        Err(mark) => host.random.unknown = Some(mark),
    }
    Ok(Value::known(0))
}

fn rand_r(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let address = arg(args, 0);
    let seed = host.memory.load(address.get()?, 4).get();
    let mut next = match seed {
        Ok(seed) => seed as u32,
        Err(mark) => return Err(Halt::Unknown(mark)),
    };
    let mut draw = |modulus: u32| {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (next / 65_536) % modulus
    };
    let result = (((draw(2048) << 10) ^ draw(1024)) << 10) ^ draw(1024);
    host.store(address, 4, Value::known(u64::from(next)));
    Ok(Value::known(u64::from(result)))
}

fn drand48(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::double(
        host.random.next48()? as f64 / (1u64 << 48) as f64,
    ))
}

fn lrand48(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(host.random.next48()? >> 17))
}

fn mrand48(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(
        i64::from((host.random.next48()? >> 16) as i32) as u64,
    ))
}

fn srand48(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match arg(args, 0).get() {
        Ok(seed) => {
            host.random.state48 = (u64::from(seed as u32) << 16) | 0x330E;
            host.random.unknown48 = None;
        }
        Err(mark) => host.random.unknown48 = Some(mark),
    }
    Ok(Value::known(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rand_gives_what_glibc_gives() {
        // Printed by a C program against glibc 2.36.
        let mut random = Random::default();
        let first: Vec<u32> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777]);
        random.seed(7);
        let seeded: Vec<u32> = (0..3).map(|_| random.next()).collect();
        assert_eq!(seeded, [1_045_618_677, 1_863_967_299, 1_272_579_899]);
        random.seed(3_000_000_000);
        assert_eq!(
            [2_058_147_116, 854_483_408].map(|_| random.next()),
            [2_058_147_116, 854_483_408]
        );
    }

    #[test]
    fn drand48_gives_what_glibc_gives() {
        let mut random = Random {
            state48: (1 << 16) | 0x330E,
            ..Random::default()
        };
        let first = random.next48().unwrap() as f64 / (1u64 << 48) as f64;
        assert!((first - 178_800_969.0 / 4_294_967_296.0).abs() < 1e-9);
    }
}
