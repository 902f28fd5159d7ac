//! The command `migfit-analyze`: bitcode in, a job profile, stripped bitcode or a listing out. migfit-cc starts it as
//! a child process, because LLVM may end the process on bad input.

use anyhow::Context as _;
use inkwell::context::Context;
use migfit_analyzer::error::AnalyzeError;
use migfit_analyzer::ir::load;
use migfit_analyzer::lower::print;
use migfit_analyzer::outside::{Exports, SystemFunctions};
use migfit_analyzer::pipeline::{self, Slicing, Surroundings};
use migfit_schema::program::Part;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Processor time of a limited analysis, in seconds.
const PROCESSOR_SECONDS: u64 = 60;
/// Address space of a limited analysis, in bytes.
const ADDRESS_SPACE: u64 = 4 << 30;

const USAGE: &str = "usage: migfit-analyze profile --name NAME --out FILE [--without-ir OBJECT]... [--system-functions LIST] [--exports LIST] [--library PART]... [--device-code FILE]... [--limited] [--unsliced] BITCODE...
       migfit-analyze dump [--unsliced] BITCODE...
       migfit-analyze strip IN OUT";

fn main() -> anyhow::Result<()> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (verb, rest) = words.split_first().context(USAGE)?;
    let options = Options::parse(rest)?;
    match verb.to_string_lossy().as_ref() {
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
    exports: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    device_code: Vec<PathBuf>,
    slicing: Slicing,
    limited: bool,
    files: Vec<PathBuf>,
}

impl Options {
    fn parse(words: &[OsString]) -> anyhow::Result<Self> {
        let mut options = Options {
            name: None,
            out: None,
            without_ir: Vec::new(),
            system_functions: None,
            exports: None,
            libraries: Vec::new(),
            device_code: Vec::new(),
            slicing: Slicing::On,
            limited: false,
            files: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next();
                value.with_context(|| format!("{} wants a value\n{USAGE}", word.display()))
            };
            let mut text = || value().map(|value: &OsString| value.to_string_lossy().into_owned());
            match word.to_string_lossy().as_ref() {
                "--name" => options.name = Some(text()?),
                "--out" => options.out = Some(PathBuf::from(value()?)),
                "--without-ir" => options.without_ir.push(text()?),
                "--system-functions" => options.system_functions = Some(PathBuf::from(value()?)),
                "--limited" => options.limited = true,
                "--exports" => options.exports = Some(PathBuf::from(value()?)),
                "--library" => options.libraries.push(PathBuf::from(value()?)),
                "--device-code" => options.device_code.push(PathBuf::from(value()?)),
                "--unsliced" => options.slicing = Slicing::Off,
                flag if flag.starts_with('-') => anyhow::bail!("no such option: {flag}\n{USAGE}"),
                _ => options.files.push(PathBuf::from(word)),
            }
        }
        Ok(options)
    }

    /// What lies around the program, as far as it was told; the system's functions are else this host's.
    fn around(&self) -> anyhow::Result<Surroundings> {
        let system = self.system_functions.as_deref().map(text).transpose()?;
        let exports = self.exports.as_deref().map(text).transpose()?;
        let libraries = self.libraries.iter().map(|path| part(path));
        Ok(Surroundings {
            system: system.map_or_else(SystemFunctions::of_this_host, |list| {
                SystemFunctions::listed(&list)
            }),
            exports: exports.map(|list| Exports::listed(&list)),
            libraries: libraries.collect::<anyhow::Result<_>>()?,
            device_code: self.device_code.clone(),
        })
    }
}

fn text(path: &Path) -> Result<String, AnalyzeError> {
    std::fs::read_to_string(path).map_err(|cause| AnalyzeError::Read {
        path: path.to_owned(),
        cause,
    })
}

/// What a shared library brings: the payload of its job profile's entry.
fn part(path: &Path) -> anyhow::Result<Part> {
    let bytes = std::fs::read(path).map_err(|cause| AnalyzeError::Read {
        path: path.to_owned(),
        cause,
    })?;
    postcard::from_bytes(&bytes).with_context(|| format!("{} is no part", path.display()))
}

fn profile(options: &Options) -> anyhow::Result<()> {
    let name = options.name.as_deref().context(USAGE)?;
    let out = options.out.as_deref().context(USAGE)?;
    if options.limited {
        limit(libc::RLIMIT_AS, ADDRESS_SPACE)?;
        limit(libc::RLIMIT_CPU, PROCESSOR_SECONDS)?;
    }
    let around = options.around()?;
    let mut analysis = pipeline::analyze(name, &options.files, options.slicing, &around)?;
    let summary = &mut analysis.profile.summary;
    summary.without_ir.clone_from(&options.without_ir);
    write(out, &pipeline::section(&analysis)?)
}

/// Lets the system end this process where an analysis gets out of hand.
fn limit(what: libc::__rlimit_resource_t, most: u64) -> anyhow::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a live rlimit.
    let refused = unsafe { libc::getrlimit(what, &raw mut limit) } != 0;
    limit.rlim_cur = most.min(limit.rlim_max);
    // SAFETY: as above.
    if refused || unsafe { libc::setrlimit(what, &raw const limit) } != 0 {
        return Err(std::io::Error::last_os_error()).context("cannot limit the analysis");
    }
    Ok(())
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
