//! What models and instructions act on: memory, files, hidden state of libraries, the ledger, notes.
//! Everything of one evaluation but registers and control.

use super::given::UsersWord;
use super::mark::{Mark, Marks, Source};
use super::memory::{Full, Memory};
use super::provenance::Layout;
use super::value::Value;
use crate::input::{CommandLine, DeviceProperties};
use crate::ledger::Ledger;
use crate::models::at_exit::Handler;
use crate::models::cuda::arrays::ArrayShape;
use crate::models::cuda::closed::Closed;
use crate::models::cuda::failure::Unseen;
use crate::models::cuda::graph::Graphs;
use crate::models::cuda::virtual_memory::Physical;
use crate::models::cxx::exceptions::Exceptions;
use crate::models::environment::Environment;
use crate::models::errno::Errno;
use crate::models::files::Files;
use crate::models::options::Options;
use crate::models::random::Random;
use crate::models::scan_format::{Directive, Scanned};
use crate::models::threads::Threads;
use migfit_schema::kernel::Kernel;
use migfit_schema::program::{Place, SizeProgram};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How an evaluation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// `main` returned or `exit` was called; the code, where known.
    Exit(Option<i32>),
    /// The process is certainly killed by a signal here.
    Killed {
        /// The signal's number.
        signal: i32,
        /// What the program does, as a clause.
        how: String,
    },
    /// The program gave up in another way that is not an exit: a thrown exception, a signal that it handles.
    Died(String),
    /// Not followed further: an unknown branch, a limit, a malformed program.
    Stopped {
        /// What, as a noun phrase.
        what: String,
        /// Why, as a clause.
        reason: String,
    },
}

/// Signals by number: an abort, an access to memory that is not there.
pub const ABRT: i32 = 6;
/// See `ABRT`.
pub const SEGV: i32 = 11;

/// Why a model gives no known result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The result is unknown; the program goes on.
    Unknown(Mark),
    /// The program does not go on.
    End(End),
    /// The call throws an exception, which is on its way.
    Thrown,
}

impl From<Mark> for Halt {
    fn from(mark: Mark) -> Halt {
        if mark == Mark::NULL {
            let how = "a null pointer is read: is an argument missing?".to_owned();
            return Halt::End(End::Killed { signal: SEGV, how });
        }
        Halt::Unknown(mark)
    }
}

impl From<Full> for Halt {
    fn from(_: Full) -> Halt {
        Halt::End(End::Stopped {
            what: "host memory of the evaluated program".to_owned(),
            reason: "it holds more than the limit of the evaluation".to_owned(),
        })
    }
}

/// A launch configuration that was pushed and not yet used.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// x and y of the grid, y in the upper half.
    pub grid_xy: Value,
    /// z of the grid.
    pub grid_z: Value,
    /// x and y of the block.
    pub block_xy: Value,
    /// z of the block.
    pub block_z: Value,
    /// Dynamic shared memory.
    pub shared: Value,
    /// The stream.
    pub stream: Value,
    /// Where it was pushed.
    pub place: Place,
}

/// What was noted for the answer. Keys are ordered so that the answer does not depend on hashing.
#[derive(Debug, Default)]
pub struct Notes {
    /// Assumptions in order: place, what, why.
    pub assumptions: Vec<(Place, String, String)>,
    /// What stayed unknown, in order: place, what, why.
    pub unknowns: Vec<(Place, String, String)>,
    /// What is known and worth telling, in order: place, what, why.
    pub remarks: Vec<(Place, String, String)>,
    seen: BTreeSet<(Place, String)>,
    /// What the program takes depends on how much memory is free.
    pub elastic: bool,
    /// What the program would have held, as the driver rounds, when memory first lacked.
    pub lacked: Option<u64>,
    /// Of such a lack nobody was seen to look at the status.
    pub lack_unseen: bool,
    /// Whether a CUDA call failed.
    pub a_call_failed: bool,
    /// Failed calls that the program has not looked at.
    pub unseen: Vec<Unseen>,
    /// A size of an allocation is unknown, or a call may hide allocations.
    pub missed_allocation: bool,
    /// How many of the assumptions are that a size of an allocation is at most what the user says.
    pub users_bounds: usize,
    /// A free whose target is unknown was left out.
    pub missed_free: bool,
    /// Code that is not here may have given memory back.
    pub may_have_freed: bool,
    /// A shape of a launch is unknown.
    pub unknown_shape: bool,
    /// The program goes on elsewhere than behind this place: at a handler of an exception, at a setjmp.
    pub thrown: bool,
    /// The evaluation stopped where only launches may follow, and no allocation.
    pub only_launches_ahead: bool,
    /// Closed libraries that take device memory beside the program's own, in order.
    pub closed: Vec<(Place, Closed)>,
    /// Number of CUDA calls made.
    pub cuda_calls: u64,
    /// Files that could not be opened for reading, and why.
    pub missing_files: BTreeMap<String, String>,
}

impl Notes {
    /// The program takes what it gets, by what stands here.
    pub fn take_what_is_free(&mut self, place: Place, what: &str) {
        let reason = "it depends on how much device memory is free";
        self.remark(place, what, reason.to_owned());
        self.elastic = true;
    }

    /// Notes an assumption once per place and subject.
    pub fn assume(&mut self, place: Place, what: &str, reason: String) {
        if self.seen.insert((place, what.to_owned())) {
            self.assumptions.push((place, what.to_owned(), reason));
        }
    }

    /// Whether what is counted from here on may not happen.
    pub fn are_doubtful(&self) -> bool {
        !self.assumptions.is_empty() || self.missed_free || self.may_have_freed
    }

    /// Notes something unknown once per place and subject.
    pub fn unknown(&mut self, place: Place, what: &str, reason: String) {
        if self.seen.insert((place, what.to_owned())) {
            self.unknowns.push((place, what.to_owned(), reason));
        }
    }

    /// Notes a call whose code is not here: it may take device memory.
    pub fn not_looked_into(&mut self, place: Place, name: &str) {
        let reason = "its code was not looked into; it may take device memory";
        self.unknown(place, &format!("call of {name}"), reason.to_owned());
        self.missed_allocation = true;
    }

    /// Notes something that is known, once per place and text; the first hundred, for a loop may have millions.
    pub fn remark(&mut self, place: Place, what: &str, reason: String) {
        const MOST: usize = 100;
        if self.remarks.len() < MOST && self.seen.insert((place, reason.clone())) {
            self.remarks.push((place, what.to_owned(), reason));
        }
    }
}

/// Everything that is not registers and control.
#[derive(Debug)]
pub struct Host<'p> {
    /// The program.
    pub program: &'p SizeProgram,
    /// Kernels with their registers and static shared memory.
    pub kernels: &'p [Kernel],
    /// Objects were linked that analysis did not see: what they do is unknown.
    pub parts_unseen: bool,
    /// The command line.
    pub command: &'p CommandLine,
    /// The device.
    pub device: &'p DeviceProperties,
    /// Host memory.
    pub memory: Memory,
    /// Sources of unknown values.
    pub marks: Marks,
    /// Open files.
    pub files: Files,
    /// State of getopt.
    pub options: Options,
    /// State of the random number generators.
    pub random: Random,
    /// Device memory and launches.
    pub ledger: Ledger,
    /// Notes for the answer.
    pub notes: Notes,
    /// What runs at exit, in the order of registration.
    pub at_exit: Vec<Handler>,
    /// Pushed launch configurations.
    pub pushed: Vec<Configuration>,
    /// Texts of the environment and fixed texts that were handed out, by content.
    pub fixed_texts: BTreeMap<Vec<u8>, u64>,
    /// Names behind opaque handles (a driver's `CUfunction`).
    pub handle_names: BTreeMap<u64, String>,
    /// Graphs, captured streams and nodes.
    pub graphs: Graphs,
    /// Physical memory of the driver's virtual memory calls.
    pub physical: Physical,
    /// Arrays by their address, for those who ask what they are.
    pub arrays: BTreeMap<u64, ArrayShape>,
    /// Limits that the program set, by their number; `None`: to a value that is not known.
    pub limits: BTreeMap<i32, Option<u64>>,
    /// Formats of scanf that were taken apart, by their addresses.
    pub formats: Vec<(u64, Rc<[Directive]>)>,
    /// Reused for the results of scanf.
    pub scanned: Scanned,
    /// What a model gives beside its result, where a call has two.
    pub second_result: Option<Value>,
    /// Dynamic shared memory that kernels opted into, by symbol ("": any kernel); `None`: not known how much.
    pub opted_in: BTreeMap<String, Option<u64>>,
    /// The runtime's last error, until the program asks for it.
    pub last_error: i32,
    /// `errno`, where the program asks for it.
    pub errno: Option<Errno>,
    /// Exceptions on their way.
    pub exceptions: Exceptions,
    /// What the user says.
    pub word: UsersWord,
    /// The environment.
    pub environment: Environment,
    /// Threads that the program started.
    pub threads: Threads,
    /// Position of `strtok`.
    pub strtok: Value,
    /// The function outside the program that is called now.
    pub called: String,
    /// Where the program is now.
    pub place: Place,
    /// Steps so far.
    pub steps: u64,
    /// `main` came to its end, and did not fail as far as that is known.
    pub returned: bool,
    /// Signals that the program may handle; `None`: some that are not known.
    pub handled: BTreeSet<Option<i32>>,
    /// Why it is not known how numbers are written: the program chose a language that is not known here.
    pub language: Option<Mark>,
    /// Where objects are taken to lie.
    pub layout: Layout,
    /// Where something first came to hang on that.
    pub address_used: Option<Place>,
}

impl Host<'_> {
    /// An end as the program may see it: what its handler of a signal does is not followed.
    pub fn unless_handled(&self, end: End) -> End {
        match end {
            End::Killed { signal, how }
                if self.handled.contains(&Some(signal)) || self.handled.contains(&None) =>
            {
                End::Died(format!(
                    "{how}; what its handler of that signal does is not followed"
                ))
            }
            end => end,
        }
    }

    /// The mark of a source at the present place.
    pub fn mark(&mut self, source: Source) -> Mark {
        self.marks.of(source, self.place)
    }

    /// An unknown value with a source at the present place.
    pub fn unknown(&mut self, source: Source) -> Value {
        Value::unknown(self.mark(source))
    }

    /// Why values with this mark are unknown, with the place where it began.
    pub fn explain(&self, mark: Mark) -> String {
        let (clause, place) = self.marks.explain(mark);
        match place {
            Some(place) if place.line > 0 && place != self.place => {
                format!("{clause} ({})", crate::report::site(self.program, place))
            }
            _ => clause,
        }
    }

    /// Steps that touching this many bytes costs.
    pub fn charge_bytes(&mut self, bytes: u64) {
        self.steps = self.steps.saturating_add(bytes / 16);
    }

    /// A read-only text, the same address for the same content.
    pub fn fixed_text(&mut self, text: &[u8]) -> Result<Value, Full> {
        if let Some(address) = self.fixed_texts.get(text) {
            return Ok(Value::known(*address));
        }
        let address = self.new_text(text)?;
        self.memory.seal(address);
        self.fixed_texts.insert(text.to_vec(), address);
        Ok(Value::known(address))
    }

    /// A new heap object with a zero-terminated text.
    pub fn new_text(&mut self, text: &[u8]) -> Result<u64, Full> {
        let size = text.len() as u64 + 1;
        let address = self
            .memory
            .add(super::object::Kind::Host, size, Mark::KNOWN)?;
        self.memory.write(address, text);
        self.memory.set_alignment(address, 1);
        Ok(address)
    }

    /// Stores through a pointer that may be unknown: then what it may point to becomes unknown.
    #[inline(always)]
    pub fn store(&mut self, address: Value, size: usize, value: Value) {
        if address.mark.is_hard() {
            self.store_somewhere(address);
        } else {
            self.memory.store(address.bits, size, value);
        }
    }

    /// Something was written at an address that is not known.
    pub fn store_somewhere(&mut self, address: Value) {
        if self
            .memory
            .kind(address.bits)
            .is_some_and(|(_, size)| size > 0)
        {
            let mark = self.mark(Source::Index);
            self.memory.spoil_object(address.bits, mark);
            return;
        }
        let reason = format!(
            "it is taken to hit nothing that matters; of its address: {}",
            self.explain(address.mark)
        );
        self.notes
            .assume(self.place, "write to an unknown address", reason);
    }

    /// Reads a zero-terminated text.
    pub fn text(&mut self, address: Value) -> Result<Vec<u8>, Mark> {
        let address = address.get()?;
        if address == 0 {
            return Err(Mark::NULL);
        }
        let text = self.memory.text(address)?.to_vec();
        self.charge_bytes(text.len() as u64);
        Ok(text)
    }

    /// Reads a text up to its zero, or `most` bytes of it where no zero comes before.
    pub fn memory_text_prefix(&mut self, address: Value, most: Value) -> Result<Vec<u8>, Mark> {
        let (start, most) = (address.get()?, most.get()?);
        let mut text = Vec::new();
        while (text.len() as u64) < most {
            match self
                .memory
                .load(start.wrapping_add(text.len() as u64), 1)
                .get()?
            {
                0 => break,
                byte => text.push(byte as u8),
            }
        }
        self.charge_bytes(16 * text.len() as u64);
        Ok(text)
    }

    /// Reads known bytes.
    pub fn bytes(&mut self, address: Value, len: u64) -> Result<Vec<u8>, Mark> {
        let len = usize::try_from(len).map_err(|_| Mark::OUTSIDE)?;
        let bytes = self.memory.read(address.get()?, len)?.to_vec();
        self.charge_bytes(bytes.len() as u64);
        Ok(bytes)
    }

    /// Writes known bytes through a pointer that may be unknown.
    pub fn write(&mut self, address: Value, bytes: &[u8]) {
        self.charge_bytes(bytes.len() as u64);
        if address.mark.is_hard() {
            self.store_somewhere(address);
        } else {
            self.memory.write(address.bits, bytes);
        }
    }

    /// Marks `len` bytes behind a pointer unknown.
    pub fn spoil(&mut self, address: Value, len: u64, mark: Mark) {
        self.charge_bytes(len.min(1 << 30));
        if address.mark.is_hard() {
            self.store_somewhere(address);
        } else {
            self.memory.spoil(address.bits, len, mark);
        }
    }

    /// Copies memory; a length or an address that is unknown spoils the target.
    pub fn copy(&mut self, to: Value, from: Value, len: Value) {
        if len.mark.is_hard() || to.mark.is_hard() {
            return self.store_somewhere(Value::somewhere_in(to.bits, len.mark.with(to.mark)));
        }
        self.charge_bytes(len.bits);
        if from.mark.is_hard() {
            return self.memory.spoil(to.bits, len.bits, from.mark);
        }
        self.memory.copy(to.bits, from.bits, len.bits);
    }

    /// Sets memory; a length or an address that is unknown spoils the target.
    pub fn set(&mut self, to: Value, byte: Value, len: Value) {
        if len.mark.is_hard() || to.mark.is_hard() {
            return self.store_somewhere(Value::somewhere_in(to.bits, len.mark.with(to.mark)));
        }
        self.charge_bytes(len.bits);
        self.memory
            .fill(to.bits, byte.bits as u8, len.bits, byte.mark);
    }
}
