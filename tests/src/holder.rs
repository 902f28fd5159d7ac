//! A job that holds memory of a slice until the test ends it: fixture `holds`, run without migfit.

use crate::gpu::Gpu;
use crate::process;
use crate::program::Program;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A job that holds so many MiB on a slice until it is ended.
pub struct Holder(Child);

impl Holder {
    /// Starts it; it holds the memory when this returns.
    ///
    /// # Panics
    /// When it cannot be started, or does not get the memory.
    #[must_use]
    pub fn start(program: &Program, gpu: &Gpu, slice: &str, mib: u64) -> Holder {
        let mut command = Command::new(program.path());
        process::clean(&mut command)
            .arg(mib.to_string())
            .arg("wait");
        let piped = gpu.put(&mut command, slice);
        piped.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        let read = BufReader::new(stdout).read_line(&mut line);
        read.expect("it says something");
        assert_eq!(line, "holding\n");
        Holder(child)
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u64 {
        self.0.id().into()
    }

    /// Ends it and waits for its end.
    ///
    /// # Panics
    /// When it fails.
    pub fn end(mut self) {
        drop(self.0.stdin.take());
        let status = self.0.wait().expect("it can be waited for");
        assert!(status.success(), "{status}");
    }
}
