//! Compiled code run once in a process of its own -> peak bytes and launches by shape, from the logging library's file.

use crate::code::Code;
use migfit_random::{Question, Truth};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::fd::IntoRawFd;
use std::path::Path;

/// Processor time of one run, a hundred times what a generated program needs: a mutated one may never end.
const PATIENCE: libc::timeval = libc::timeval {
    tv_sec: 0,
    tv_usec: 300_000,
};

/// What a run finds.
#[derive(Clone, Copy)]
pub struct Scene {
    /// What device memory, and what kernels leave in it, is made from.
    pub contents: u32,
    /// The byte that fills what malloc gives.
    pub left: u8,
}

/// Runs it; none where it crashed or did not end.
pub fn of(code: &Code, question: &Question, args: &[String], scene: Scene) -> Option<Truth> {
    let log = question.ir.with_extension("log");
    // It may never have been written.
    let _ = std::fs::remove_file(&log);
    // SAFETY: this process has one thread, so the child may go on as it would.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let words = words(args);
        let code = prepare(&question.folder, &log, scene).map(|()| code.run(&words));
        // SAFETY: ends the process as a return from `main` does: the log is written here.
        unsafe { libc::exit(code.unwrap_or(126)) }
    }
    let mut status = 0;
    // SAFETY: the status is a live place, the child is our own.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    if waited != child || !libc::WIFEXITED(status) {
        return None;
    }
    logged(&std::fs::read_to_string(log).ok()?)
}

fn words(args: &[String]) -> Vec<CString> {
    let words = std::iter::once("./program").chain(args.iter().map(String::as_str));
    words.filter_map(|word| CString::new(word).ok()).collect()
}

/// The child's surroundings: its folder, its log, no terminal, little time, and no memory dumps.
fn prepare(folder: &Path, log: &Path, scene: Scene) -> std::io::Result<()> {
    std::env::set_current_dir(folder)?;
    // SAFETY: this process has one thread.
    unsafe {
        std::env::set_var("CUDA_LOG", log);
        std::env::set_var("CUDA_LOG_CONTENTS", scene.contents.to_string());
    }
    let open = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    let null = open.into_raw_fd();
    let none = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let timer = libc::itimerval {
        it_interval: none,
        it_value: PATIENCE,
    };
    let dumps = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointers are to live values; the timer's signal, which nobody handles, ends this process.
    unsafe {
        libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut());
        libc::setrlimit(libc::RLIMIT_CORE, &raw const dumps);
    }
    for standard in 0..3 {
        // SAFETY: both are open descriptors of this process.
        unsafe { libc::dup2(null, standard) };
    }
    // SAFETY: sets a number of the C library's.
    unsafe { libc::mallopt(libc::M_PERTURB, i32::from(scene.left)) };
    Ok(())
}

fn logged(text: &str) -> Option<Truth> {
    let mut peak = None;
    let mut launches = BTreeMap::new();
    for line in text.lines() {
        if let Some(bytes) = line.strip_prefix("peak ") {
            peak = bytes.parse().ok();
        }
        let launch = line.strip_prefix("launch ");
        if let Some((shape, count)) = launch.and_then(|rest| rest.rsplit_once(' ')) {
            launches.insert(shape.to_owned(), count.parse().ok()?);
        }
    }
    Some(Truth {
        peak: peak?,
        launches,
    })
}
