//! The first lines of a main source -> what a program needs, and its runs. Any `//!` line without one of these keys
//! tells people what the program is.
//!
//! `//! flags: FLAGS` for the compiler; `//! libs: WORDS` for the linker. What all runs find: `//! file NAME: TEXT`
//! (with `\n`, `\t` and `\xNN`), `//! make: COMMAND` of a shell that makes files, `//! env NAME: VALUE`, `//! stdin: TEXT`,
//! `//! device: MODEL`. A run: `//! run: ARGS` where the answer must be exact, `//! run (assumed): ARGS` where it has
//! another verdict. A line that begins with `+` (`//! + file NAME: TEXT`) is for the run above it alone.
//!
//! A form of `form.rs` for which the stated verdict is not right, each with a reason: `//! without FORM: REASON` leaves it
//! out (`clang` for all that clang makes); `//! assumed in FORM: REASON` accepts assumptions; `//! less in FORM: REASON`
//! also a bound that holds, or "unknown"; `//! exact in FORM: REASON` a right "exact" where another verdict is stated.

use crate::fixture::{Fixture, Run, Setting};

/// Reads the first lines of `text`.
pub fn read(fixture: &mut Fixture, text: &str) {
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.trim();
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        if let Some(key) = key.strip_prefix("+ ") {
            let run = fixture.runs.last_mut();
            let run = run.unwrap_or_else(|| panic!("{}: no run above '{line}'", fixture.name));
            let known = run.setting.heed(key, value);
            assert!(known, "{}: '{line}' is not understood", fixture.name);
        } else if !fixture.setting.heed(key, value) {
            fixture.heed(key, value);
        }
    }
}

impl Fixture {
    fn heed(&mut self, key: &str, value: &str) {
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "flags" => self.flags.extend(words()),
            "libs" => self.libs.extend(words()),
            "run" => self.add_run(value, "exact"),
            _ => {
                if let Some(form) = key.strip_prefix("without ") {
                    self.left_out.push(form.to_owned());
                } else if let Some(form) = key.strip_prefix("assumed in ") {
                    self.assumed_in.push(form.to_owned());
                } else if let Some(form) = key.strip_prefix("exact in ") {
                    self.exact_in.push(form.to_owned());
                } else if let Some(form) = key.strip_prefix("less in ") {
                    self.knows_less_in.push(form.to_owned());
                } else if let Some(verdict) = key.strip_prefix("run (") {
                    self.add_run(value, verdict.trim_end_matches(')'));
                }
            }
        }
    }

    fn add_run(&mut self, args: &str, verdict: &str) {
        self.runs.push(Run {
            args: args.to_owned(),
            verdict: verdict.to_owned(),
            setting: Setting::default(),
        });
    }
}

impl Setting {
    /// Whether the key is one of a setting.
    fn heed(&mut self, key: &str, value: &str) -> bool {
        match key.split_once(' ').unwrap_or((key, "")) {
            ("file", name) if !name.is_empty() && !name.contains(' ') => {
                self.files.push((name.to_owned(), unescaped(value)));
            }
            ("env", name) if !name.is_empty() && !name.contains(' ') => {
                self.variables.push((name.to_owned(), value.to_owned()));
            }
            ("make", "") => self.makes.push(value.to_owned()),
            ("stdin", "") => self.stdin = Some(unescaped(value)),
            ("device", "") => self.device = Some(value.to_owned()),
            _ => return false,
        }
        true
    }
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        (rest, _) = match (first, tail) {
            (b'\\', [b'n', tail @ ..]) => (tail, bytes.push(b'\n')),
            (b'\\', [b't', tail @ ..]) => (tail, bytes.push(b'\t')),
            (b'\\', [b'x', high, low, tail @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("hexadecimal digits");
                let byte = u8::from_str_radix(digits, 16).expect("hexadecimal digits");
                (tail, bytes.push(byte))
            }
            _ => (tail, bytes.push(*first)),
        };
    }
    bytes
}
