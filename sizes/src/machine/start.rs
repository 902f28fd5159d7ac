//! The state in which a program starts: globals, argument strings, standard streams.

use super::address::{function_address, global_address};
use super::given::UsersWord;
use super::host::{End, Host, Notes};
use super::mark::{Mark, Marks, Source};
use super::memory::Memory;
use super::object::Kind;
use super::provenance::Layout;
use super::step::full;
use super::value::Value;
use crate::input::{CommandLine, DeviceProperties, Limits};
use crate::ledger::Ledger;
use crate::models::cuda::graph::Graphs;
use crate::models::cuda::virtual_memory::Physical;
use crate::models::cxx::exceptions::Exceptions;
use crate::models::cxx::vtables;
use crate::models::environment::{self, Environment};
use crate::models::errno;
use crate::models::files::Files;
use crate::models::options::Options;
use crate::models::random::Random;
use crate::models::threads::Threads;
use migfit_schema::profile::Summary;
use migfit_schema::program::{Global, Operand, Place, SizeProgram};
use std::collections::BTreeMap;

/// The host before anything ran.
pub fn host<'p>(
    program: &'p SizeProgram,
    summary: &'p Summary,
    command: &'p CommandLine,
    device: &'p DeviceProperties,
    limits: &Limits,
    layout: Layout,
) -> Result<Host<'p>, End> {
    let mut host = Host {
        program,
        kernels: &summary.kernels,
        parts_unseen: !summary.without_ir.is_empty(),
        command,
        device,
        memory: Memory::new(limits.memory),
        marks: Marks::default(),
        files: Files::new(command.cwd.clone()),
        options: Options::default(),
        random: Random::default(),
        ledger: Ledger::default(),
        notes: Notes::default(),
        at_exit: Vec::new(),
        pushed: Vec::new(),
        fixed_texts: BTreeMap::new(),
        handle_names: BTreeMap::new(),
        graphs: Graphs::default(),
        physical: Physical::default(),
        arrays: BTreeMap::new(),
        limits: BTreeMap::new(),
        called: String::new(),
        formats: Vec::new(),
        scanned: Default::default(),
        second_result: None,
        opted_in: BTreeMap::new(),
        last_error: 0,
        errno: None,
        exceptions: Exceptions::default(),
        word: UsersWord::default(),
        environment: Environment::default(),
        threads: Threads::default(),
        strtok: Value::known(0),
        place: Place::default(),
        steps: 0,
        layout,
        returned: false,
        handled: Default::default(),
        language: None,
        address_used: None,
    };
    for global in &program.globals {
        add_global(&mut host, global)?;
    }
    environment::start(&mut host).map_err(full)?;
    for (index, global) in program.globals.iter().enumerate() {
        fill_global(&mut host, index as u32, global)?;
    }
    errno::start(&mut host)?;
    Ok(host)
}

/// Globals come first, so that a global's address follows from its index.
fn add_global(host: &mut Host<'_>, global: &Global) -> Result<(), End> {
    let base = match global.external {
        true => host
            .marks
            .of(Source::Missing(global.name.clone()), Place::default()),
        false => Mark::KNOWN,
    };
    let address = host
        .memory
        .add(Kind::Host, global.size, base)
        .map_err(full)?;
    host.memory.set_alignment(address, u64::from(global.align));
    Ok(())
}

fn fill_global(host: &mut Host<'_>, index: u32, global: &Global) -> Result<(), End> {
    let address = global_address(index, 0);
    if !global.external {
        host.memory.write(address, &global.bytes);
    }
    for (offset, operand) in &global.addresses {
        let bits = match operand {
            Operand::Global(target, offset) => global_address(*target, *offset),
            Operand::Function(function) => function_address(*function),
            Operand::Const(bits) => *bits,
            Operand::Reg(_) | Operand::Undef => 0,
        };
        host.memory
            .store(address.wrapping_add(*offset), 8, Value::known(bits));
    }
    match global.name.as_str() {
        name @ ("stdin" | "stdout" | "stderr") => {
            let handle = host
                .memory
                .add(Kind::Handle, 0, Mark::KNOWN)
                .map_err(full)?;
            host.files.add_standard(handle, name);
            host.memory.store(address, 8, Value::known(handle));
        }
        "environ" | "__environ" | "_environ" if global.external => {
            let list = host.environment.list;
            host.memory.store(address, 8, Value::known(list));
        }
        name if global.external && (name.starts_with("_ZT") || name.starts_with("_ZSt")) => {
            vtables::fill(host, name, address).map_err(full)?;
        }
        // Threads run where they are started, so that what is shared needs no care.
        "__libc_single_threaded" if global.external => {
            host.memory.store(address, 1, Value::known(1));
        }
        "optarg" => host.options.arg = init(host, address, 8, 0),
        "optind" => host.options.index = init(host, address, 4, 1),
        "opterr" => host.options.errors = init(host, address, 4, 1),
        "optopt" => host.options.option = init(host, address, 4, u64::from(b'?')),
        _ => {}
    }
    if global.constant && !global.external {
        host.memory.seal(address);
    }
    Ok(())
}

/// Gives one of getopt's variables its first value, where it is the C library's.
fn init(host: &mut Host<'_>, address: u64, size: usize, bits: u64) -> Option<u64> {
    host.memory
        .store(address, size, Value::known(bits))
        .then_some(address)
}

/// The arguments of `main`: count, words, environment (which a constructor may have changed).
pub fn main_args(host: &mut Host<'_>) -> Result<Vec<Value>, End> {
    let command = host.command;
    let words: Vec<Vec<u8>> = command
        .args
        .iter()
        .map(|word| word.clone().into_bytes())
        .collect();
    let argv = texts(host, &words)?;
    let envp = Value::known(host.environment.list);
    Ok(vec![Value::known(words.len() as u64), argv, envp])
}

/// A null-ended list of texts.
fn texts(host: &mut Host<'_>, all: &[Vec<u8>]) -> Result<Value, End> {
    let size = 8 * (all.len() as u64 + 1);
    let list = host
        .memory
        .add(Kind::Host, size, Mark::KNOWN)
        .map_err(full)?;
    for (index, text) in all.iter().enumerate() {
        let address = host.new_text(text).map_err(full)?;
        host.memory
            .store(list + 8 * index as u64, 8, Value::known(address));
    }
    Ok(Value::known(list))
}
