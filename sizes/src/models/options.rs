//! getopt and getopt_long as glibc has them: options may stand after other words, which are moved to the end.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("getopt", |host, args| run(host, args, None)),
    ("getopt_long", |host, args| run(host, args, Some(false))),
    ("getopt_long_only", |host, args| run(host, args, Some(true))),
];

/// State of getopt. The addresses are those of the C library's variables, where the program names them.
#[derive(Debug, Default)]
pub struct Options {
    /// `optarg`.
    pub arg: Option<u64>,
    /// `optind`.
    pub index: Option<u64>,
    /// `opterr`.
    pub errors: Option<u64>,
    /// `optopt`.
    pub option: Option<u64>,
    /// `optind` where the program does not name it.
    own_index: u64,
    /// Position within a group of short options (`-abc`).
    within: usize,
}

/// One call.
struct Call<'c, 'p> {
    host: &'c mut Host<'p>,
    argv: u64,
    count: u64,
    short: Vec<u8>,
    long: Option<(Value, Value, bool)>,
    index: u64,
}

/// What one look at the words gave.
enum Found {
    /// No more options.
    None,
    /// An option, or `?`, `:` or a long option's value.
    Option(i32),
}

fn run(host: &mut Host<'_>, args: &[Value], long: Option<bool>) -> Result<Value, Halt> {
    let (count, argv) = (arg(args, 0).as_int()?, arg(args, 1).get()?);
    let short = host.text(arg(args, 2))?;
    let index = match host.options.index {
        Some(address) => host.memory.load(address, 4).get()?,
        None => host.options.own_index,
    };
    if index == 0 {
        host.options.within = 0;
    }
    let mut call = Call {
        argv,
        count: u64::try_from(count).unwrap_or(0),
        short,
        long: long.map(|only| (arg(args, 3), arg(args, 4), only)),
        index: index.max(1),
        host,
    };
    let found = call.next()?;
    let index = call.index;
    match host.options.index {
        Some(address) => {
            host.memory.store(address, 4, Value::known(index));
        }
        None => host.options.own_index = index,
    }
    Ok(Value::int(match found {
        Found::None => -1,
        Found::Option(option) => option,
    }))
}

impl Call<'_, '_> {
    fn word_address(&self, index: u64) -> Result<Value, Halt> {
        let address = self
            .host
            .memory
            .load(self.argv.wrapping_add(index.wrapping_mul(8)), 8);
        Ok(Value::known(address.get()?))
    }

    fn word(&mut self, index: u64) -> Result<Vec<u8>, Halt> {
        let address = self.word_address(index)?;
        Ok(self.host.text(address)?)
    }

    fn set_argument(&mut self, value: Value) {
        if let Some(address) = self.host.options.arg {
            self.host.memory.store(address, 8, value);
        }
    }

    fn set_option(&mut self, option: u8) {
        if let Some(address) = self.host.options.option {
            self.host
                .memory
                .store(address, 4, Value::int(i32::from(option)));
        }
    }

    fn next(&mut self) -> Result<Found, Halt> {
        self.set_argument(Value::known(0));
        if self.host.options.within == 0 {
            let Some(moved) = self.bring_option()? else {
                return Ok(Found::None);
            };
            if moved == Moved::InOrder {
                let word = self.word_address(self.index)?;
                self.set_argument(word);
                self.index += 1;
                return Ok(Found::Option(1));
            }
            if let Some(found) = self.long_option()? {
                return Ok(found);
            }
            self.host.options.within = 1;
        }
        self.short_option()
    }

    /// Brings the next option to the present index by moving other words behind it. `None` at the end.
    fn bring_option(&mut self) -> Result<Option<Moved>, Halt> {
        let mut at = self.index;
        loop {
            if at >= self.count {
                return Ok(None);
            }
            let word = self.word(at)?;
            if word.starts_with(b"-") && word.len() > 1 {
                break;
            }
            match self.short.first() {
                Some(b'+') => return Ok(None),
                Some(b'-') => return Ok(Some(Moved::InOrder)),
                _ => at += 1,
            }
        }
        let is_end = self.word(at)? == b"--";
        let takes_next = !is_end && self.takes_next_word(at)?;
        self.rotate(at, if takes_next { 2 } else { 1 })?;
        if is_end {
            self.index += 1;
            return Ok(None);
        }
        Ok(Some(Moved::Option))
    }

    /// True where the option's argument is the word behind it, which then moves along.
    fn takes_next_word(&mut self, at: u64) -> Result<bool, Halt> {
        if at + 1 >= self.count {
            return Ok(false);
        }
        let word = self.word(at)?;
        if let Some((_, option)) = self.find_long(&word)? {
            return Ok(option.argument == 1 && !word.contains(&b'='));
        }
        let group = word.get(1..).unwrap_or_default();
        for (index, letter) in group.iter().enumerate() {
            match self.wants(*letter) {
                Some(Wants::Argument) => return Ok(index + 1 == group.len()),
                Some(Wants::Optional) => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Moves `len` words from `at` before those from the present index on.
    fn rotate(&mut self, at: u64, len: u64) -> Result<(), Halt> {
        for step in 0..len {
            let moved = self.word_address(at + step)?;
            let mut to = at + step;
            while to > self.index + step {
                let before = self.word_address(to - 1)?;
                self.host
                    .memory
                    .store(self.argv.wrapping_add(to.wrapping_mul(8)), 8, before);
                to -= 1;
            }
            self.host
                .memory
                .store(self.argv.wrapping_add(to.wrapping_mul(8)), 8, moved);
        }
        Ok(())
    }

    fn wants(&self, letter: u8) -> Option<Wants> {
        let at = self
            .short
            .iter()
            .position(|c| *c == letter && letter != b':')?;
        let colons = self
            .short
            .get(at + 1..)?
            .iter()
            .take_while(|c| **c == b':')
            .count();
        Some(match colons {
            0 => Wants::Nothing,
            1 => Wants::Argument,
            _ => Wants::Optional,
        })
    }

    fn missing(&mut self, option: u8) -> Found {
        self.set_option(option);
        let quiet = self.short.iter().find(|c| !matches!(c, b'+' | b'-')) == Some(&b':');
        Found::Option(i32::from(if quiet { b':' } else { b'?' }))
    }

    fn short_option(&mut self) -> Result<Found, Halt> {
        let within = self.host.options.within;
        let word = self.word(self.index)?;
        let address = self.word_address(self.index)?;
        let letter = word.get(within).copied().unwrap_or(b'?');
        let is_last = within + 1 >= word.len();
        let rest = Value::known(address.bits.wrapping_add(within as u64 + 1));
        let wants = self.wants(letter);
        if is_last || matches!(wants, Some(Wants::Argument | Wants::Optional)) {
            self.host.options.within = 0;
            self.index += 1;
        } else {
            self.host.options.within += 1;
        }
        match wants {
            None => {
                self.set_option(letter);
                return Ok(Found::Option(i32::from(b'?')));
            }
            Some(Wants::Nothing) => {}
            Some(_) if !is_last => self.set_argument(rest),
            Some(Wants::Optional) => {}
            Some(Wants::Argument) if self.index < self.count => {
                let next = self.word_address(self.index)?;
                self.set_argument(next);
                self.index += 1;
            }
            Some(Wants::Argument) => return Ok(self.missing(letter)),
        }
        Ok(Found::Option(i32::from(letter)))
    }

    /// The long option that a word names, with its index: exactly, or as the only one that it begins.
    fn find_long(&mut self, word: &[u8]) -> Result<Option<(u64, Long)>, Halt> {
        let Some((table, _, only)) = self.long else {
            return Ok(None);
        };
        let name = match word.strip_prefix(b"--") {
            Some(name) => name,
            None if only => word.get(1..).unwrap_or_default(),
            None => return Ok(None),
        };
        let name = name.split(|c| *c == b'=').next().unwrap_or_default();
        let mut begun = Vec::new();
        for index in 0.. {
            let entry = Long::read(self.host, table.get()?.wrapping_add(index * 32))?;
            let Some((full, entry)) = entry else {
                break;
            };
            if full == name {
                return Ok(Some((index, entry)));
            }
            if full.starts_with(name) {
                begun.push((index, entry));
            }
        }
        Ok(if begun.len() == 1 { begun.pop() } else { None })
    }

    fn long_option(&mut self) -> Result<Option<Found>, Halt> {
        let word = self.word(self.index)?;
        let Some((index, option)) = self.find_long(&word)? else {
            if self.long.is_some() && word.starts_with(b"--") {
                self.index += 1;
                self.set_option(0);
                return Ok(Some(Found::Option(i32::from(b'?'))));
            }
            return Ok(None);
        };
        let address = self.word_address(self.index)?;
        self.index += 1;
        match word.iter().position(|c| *c == b'=') {
            Some(at) => self.set_argument(Value::known(address.bits.wrapping_add(at as u64 + 1))),
            None if option.argument == 1 && self.index < self.count => {
                let next = self.word_address(self.index)?;
                self.set_argument(next);
                self.index += 1;
            }
            None if option.argument == 1 => return Ok(Some(self.missing(option.value as u8))),
            None => {}
        }
        if let Some((_, out, _)) = self.long
            && out != Value::known(0)
        {
            self.host.store(out, 4, Value::known(index));
        }
        if option.flag != 0 {
            self.host
                .memory
                .store(option.flag, 4, Value::int(option.value));
            return Ok(Some(Found::Option(0)));
        }
        Ok(Some(Found::Option(option.value)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Option,
    InOrder,
}

#[derive(Clone, Copy)]
enum Wants {
    Nothing,
    Argument,
    Optional,
}

/// `struct option`: name at 0, `has_arg` at 8, flag at 16, value at 24.
#[derive(Clone, Copy)]
struct Long {
    argument: i32,
    flag: u64,
    value: i32,
}

impl Long {
    fn read(host: &mut Host<'_>, address: u64) -> Result<Option<(Vec<u8>, Long)>, Halt> {
        let name = host.memory.load(address, 8).get()?;
        if name == 0 {
            return Ok(None);
        }
        let entry = Long {
            argument: host.memory.load(address.wrapping_add(8), 4).as_int()?,
            flag: host.memory.load(address.wrapping_add(16), 8).get()?,
            value: host.memory.load(address.wrapping_add(24), 4).as_int()?,
        };
        Ok(Some((host.text(Value::known(name))?, entry)))
    }
}
