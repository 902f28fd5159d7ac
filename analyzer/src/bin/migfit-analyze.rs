//! The command `migfit-analyze`: bitcode in, a job profile, stripped bitcode or a listing out. migfit-cc starts it as
//! a child process, because LLVM may end the process on bad input.

use anyhow::Context as _;
use inkwell::context::Context;
use migfit_analyzer::error::AnalyzeError;
use migfit_analyzer::ir::load;
use migfit_analyzer::lower::print;
use migfit_analyzer::outside::SystemFunctions;
use migfit_analyzer::pipeline::{self, Slicing};
use std::io::Write;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: migfit-analyze profile --name NAME --out FILE [--without-ir OBJECT]... [--system-functions LIST] [--unsliced] BITCODE...
       migfit-analyze dump [--unsliced] BITCODE...
       migfit-analyze strip IN OUT";

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (verb, rest) = words.split_first().context(USAGE)?;
    let options = Options::parse(rest)?;
    match verb.as_str() {
        "profile" => profile(&options),
        "dump" => dump(&options),
        "strip" => strip(&options),
        "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => anyhow::bail!("no such command: {other}\n{USAGE}"),
    }
}

/// The words behind the verb.
struct Options {
    name: Option<String>,
    out: Option<PathBuf>,
    without_ir: Vec<String>,
    system_functions: Option<PathBuf>,
    slicing: Slicing,
    files: Vec<PathBuf>,
}

impl Options {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Options {
            name: None,
            out: None,
            without_ir: Vec::new(),
            system_functions: None,
            slicing: Slicing::On,
            files: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next();
                value.with_context(|| format!("{word} wants a value\n{USAGE}"))
            };
            match word.as_str() {
                "--name" => options.name = Some(value()?.clone()),
                "--out" => options.out = Some(PathBuf::from(value()?)),
                "--without-ir" => options.without_ir.push(value()?.clone()),
                "--system-functions" => options.system_functions = Some(PathBuf::from(value()?)),
                "--unsliced" => options.slicing = Slicing::Off,
                flag if flag.starts_with('-') => anyhow::bail!("no such option: {flag}\n{USAGE}"),
                file => options.files.push(PathBuf::from(file)),
            }
        }
        Ok(options)
    }

    /// The functions that the program takes from the system, where a list of them was given.
    fn system(&self) -> anyhow::Result<SystemFunctions> {
        let Some(path) = &self.system_functions else {
            return Ok(SystemFunctions::default());
        };
        let list = std::fs::read_to_string(path).map_err(|cause| AnalyzeError::Read {
            path: path.clone(),
            cause,
        })?;
        Ok(SystemFunctions::listed(&list))
    }
}

fn profile(options: &Options) -> anyhow::Result<()> {
    let name = options.name.as_deref().context(USAGE)?;
    let out = options.out.as_deref().context(USAGE)?;
    let system = options.system()?;
    let mut profile = pipeline::analyze(name, &options.files, options.slicing, &system)?;
    profile.summary.without_ir.clone_from(&options.without_ir);
    write(out, &pipeline::section(&profile)?)
}

fn dump(options: &Options) -> anyhow::Result<()> {
    let program = pipeline::program(&options.files, options.slicing)?;
    let listing = print::listing(&program);
    std::io::stdout()
        .write_all(listing.as_bytes())
        .context("cannot write the listing")
}

fn strip(options: &Options) -> anyhow::Result<()> {
    let [input, output] = options.files.as_slice() else {
        anyhow::bail!(USAGE);
    };
    let context = Context::create();
    let module = load::read(&context, input)?;
    module.strip_debug_info();
    write(output, module.write_bitcode_to_memory().as_slice())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).map_err(|cause| AnalyzeError::Write {
        path: path.to_owned(),
        cause,
    })?;
    Ok(())
}
