//! Debian packages that building needs, installed with apt where something is missing: LLVM 19 for the
//! analyzer, clang as the host compiler that gives IR, python3-venv to bring nvcc, make, cmake, ninja, ccache and g++ for
//! programs.

use crate::error::ChoreError;
use crate::process;
use std::path::Path;
use std::process::Command;

/// What is looked for, and the packages that bring it.
struct Tool {
    /// Name for people.
    name: &'static str,
    /// Whether it is there.
    present: fn() -> bool,
    /// Debian packages.
    packages: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "LLVM 19 with headers",
        present: llvm,
        packages: &["llvm-19-dev"],
    },
    Tool {
        name: "clang 19",
        present: clang,
        packages: &["clang-19"],
    },
    Tool {
        name: "python3 with venv",
        present: venv,
        packages: &["python3", "python3-venv"],
    },
    Tool {
        name: "make",
        present: make,
        packages: &["make"],
    },
    Tool {
        name: "cmake",
        present: cmake,
        packages: &["cmake"],
    },
    Tool {
        name: "ninja",
        present: ninja,
        packages: &["ninja-build"],
    },
    Tool {
        name: "ccache",
        present: ccache,
        packages: &["ccache"],
    },
    Tool {
        name: "g++",
        present: gxx,
        packages: &["g++"],
    },
    Tool {
        name: "objcopy",
        present: objcopy,
        packages: &["binutils"],
    },
];

/// Installs the packages of every tool that is missing, after one line that says so.
pub fn install_missing() -> Result<(), ChoreError> {
    if let Some(clang) = std::env::var_os("MIGFIT_CLANG").filter(|_| !clang()) {
        return Err(ChoreError::Unexpected {
            what: format!("MIGFIT_CLANG={} cannot be run", clang.display()),
            hint: "unset it to use clang-19, or name a clang up to version 19".to_owned(),
        });
    }
    let missing: Vec<&Tool> = TOOLS.iter().filter(|tool| !(tool.present)()).collect();
    if missing.is_empty() {
        println!("==> system packages: all there");
        return Ok(());
    }
    let names = missing
        .iter()
        .map(|tool| tool.name)
        .collect::<Vec<_>>()
        .join(", ");
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|tool| tool.packages)
        .copied()
        .collect();
    let Some(root) = root_prefix().filter(|_| present("apt-get", &["--version"])) else {
        return Err(missing_packages(names, &packages));
    };
    println!(
        "==> system packages: installing {} (for {names}; about a minute)",
        packages.join(" ")
    );
    let hint =
        "see apt's message above; without network, install the packages by hand and run this again";
    process::quiet(&mut apt(&root, &["update"]), hint)?;
    let install = [
        &["install", "-y", "--no-install-recommends"],
        packages.as_slice(),
    ]
    .concat();
    process::quiet(&mut apt(&root, &install), hint)?;
    let still: Vec<&str> = missing
        .iter()
        .filter(|tool| !(tool.present)())
        .map(|tool| tool.name)
        .collect();
    if still.is_empty() {
        return Ok(());
    }
    Err(missing_packages(still.join(", "), &packages))
}

fn missing_packages(what: String, packages: &[&str]) -> ChoreError {
    let command = format!("apt-get update && apt-get install {}", packages.join(" "));
    ChoreError::Packages { what, command }
}

/// The words before `apt-get`: none for root, `sudo -n` where that works, `None` where neither.
fn root_prefix() -> Option<Vec<&'static str>> {
    let id = process::output(Command::new("id").arg("-u"), "").ok()?;
    if id.stdout.starts_with(b"0\n") {
        return Some(Vec::new());
    }
    process::succeeds(Command::new("sudo").args(["-n", "true"])).then(|| vec!["sudo", "-n"])
}

fn apt(root: &[&str], args: &[&str]) -> Command {
    let words: Vec<&str> = [root, &["apt-get"], args].concat();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn present(program: &str, args: &[&str]) -> bool {
    process::succeeds(Command::new(program).args(args))
}

fn llvm() -> bool {
    let prefix =
        std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into());
    let prefix = Path::new(&prefix);
    prefix.join("include/llvm-c/Core.h").exists()
        && process::succeeds(Command::new(prefix.join("bin/llvm-config")).arg("--version"))
}

fn clang() -> bool {
    match std::env::var_os("MIGFIT_CLANG") {
        Some(clang) => process::succeeds(Command::new(clang).arg("--version")),
        None => present("clang-19", &["--version"]),
    }
}

fn venv() -> bool {
    present("python3", &["-c", "import venv, ensurepip"])
}

fn make() -> bool {
    present("make", &["--version"])
}

fn cmake() -> bool {
    present("cmake", &["--version"])
}

fn ninja() -> bool {
    present("ninja", &["--version"])
}

fn ccache() -> bool {
    present("ccache", &["--version"])
}

fn gxx() -> bool {
    present("g++", &["--version"])
}

fn objcopy() -> bool {
    present("objcopy", &["--version"])
}
