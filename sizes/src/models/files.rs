//! Files of the evaluated program. Only regular files are opened, and only for reading; a stream opened
//! for writing takes everything and keeps nothing. Knows nothing of values or memory.

use super::system_path;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// The files of one evaluation.
#[derive(Debug)]
pub struct Files {
    cwd: PathBuf,
    /// Open streams by the address of their handle; few at a time, so a list is quickest.
    streams: Vec<(u64, Stream)>,
    descriptors: BTreeMap<i32, u64>,
    written: BTreeSet<PathBuf>,
    /// Some file was changed, or some folder entered, and which is not known.
    lost: bool,
    /// Files read, in order of first opening, as the program named them.
    pub read: Vec<String>,
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Nothing.
    Missing,
    /// A regular file of so many bytes.
    File(u64),
    /// A folder.
    Folder,
    /// A fifo, a device, a socket.
    Other,
    /// Not known before the run: written by the program, made by the system, or not to be looked at.
    Hidden,
}

/// An open stream.
#[derive(Debug)]
pub enum Stream {
    /// A regular file.
    Reader(Reader),
    /// Takes writes and drops them.
    Sink,
    /// Has content that is not known before the run; the name for people.
    Hidden(String),
}

/// What is told of a file that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Kind and rights, as `st_mode` has them.
    pub mode: u32,
    /// Bytes.
    pub size: u64,
}

impl About {
    fn of(metadata: &std::fs::Metadata) -> About {
        About {
            mode: metadata.mode(),
            size: metadata.len(),
        }
    }
}

/// A regular file that is read.
#[derive(Debug)]
pub struct Reader {
    /// As the program named it; empty for a text.
    pub name: String,
    /// None: a text, which is all in the chunk.
    file: Option<File>,
    chunk: Vec<u8>,
    /// Offset in the file of the chunk's first byte.
    start: u64,
    /// Next byte within the chunk.
    at: usize,
    size: u64,
    /// A read went past the end.
    pub ended: bool,
}

impl Files {
    /// No open files; relative paths start from `cwd`.
    pub fn new(cwd: PathBuf) -> Files {
        Files {
            cwd,
            streams: Vec::new(),
            descriptors: BTreeMap::new(),
            written: BTreeSet::new(),
            lost: false,
            read: Vec::new(),
        }
    }

    /// Adds `stdin`, `stdout` or `stderr`.
    pub fn add_standard(&mut self, handle: u64, name: &str) {
        let stream = match name {
            "stdin" => Stream::Hidden("standard input".to_owned()),
            _ => Stream::Sink,
        };
        self.streams.push((handle, stream));
    }

    /// Opens a path in a mode of fopen. An error says why, as the system does.
    pub fn open(&mut self, path: &str, mode: &str) -> Result<Stream, String> {
        let full = plain(&self.cwd.join(path));
        if !mode.starts_with('r') {
            self.written.insert(full);
            return Ok(Stream::Sink);
        }
        if self.written.contains(&full) {
            return Ok(Stream::Hidden(format!(
                "{path}, which the program writes itself"
            )));
        }
        if self.lost {
            return Ok(Stream::Hidden(format!(
                "{path}, as the program moves among files"
            )));
        }
        if system_path::is_of_system(&full) {
            return Ok(Stream::Hidden(format!(
                "{path} (made by the system for each process)"
            )));
        }
        match Reader::open(&full)? {
            Some(reader) => {
                let reader = Reader {
                    name: path.to_owned(),
                    ..reader
                };
                if !self.read.iter().any(|read| read == path) {
                    self.read.push(path.to_owned());
                }
                Ok(Stream::Reader(reader))
            }
            None => Ok(Stream::Hidden(format!(
                "{path}, which is not a regular file"
            ))),
        }
    }

    /// What lies at a path, without opening it.
    pub fn look(&self, path: &str) -> At {
        let full = self.cwd.join(path);
        if self.written.contains(&plain(&full)) || system_path::is_of_system(&full) {
            return At::Hidden;
        }
        match std::fs::metadata(&full) {
            Ok(found) if found.is_file() => At::File(found.len()),
            Ok(found) if found.is_dir() => At::Folder,
            Ok(_) => At::Other,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => At::Missing,
            Err(_) => At::Hidden,
        }
    }

    /// The program writes or makes what lies at a path.
    pub fn note_written(&mut self, path: &str) {
        self.written.insert(plain(&self.cwd.join(path)));
    }

    /// The program changes a file by its name, or takes it away; `None`: one that is not known.
    pub fn change(&mut self, path: Option<&str>) {
        match path {
            Some(path) => {
                self.written.insert(plain(&self.cwd.join(path)));
            }
            None => self.lost = true,
        }
    }

    /// The program goes to another folder; `None`: one that is not known. Says whether it is there now: the
    /// program may have made it.
    pub fn enter(&mut self, path: Option<&str>) -> bool {
        let folder = path.map(|path| plain(&self.cwd.join(path)));
        match folder.filter(|folder| folder.is_dir()) {
            Some(folder) => {
                self.cwd = folder;
                true
            }
            None => {
                self.lost = true;
                false
            }
        }
    }

    /// A path may be written by code that is not followed.
    pub fn doubt(&mut self, path: &str) {
        self.change(Some(path));
    }

    /// The number of the error (`errno`) that asking for a path gives; `None` where it is there.
    pub fn error_of(&self, path: &str) -> Option<i32> {
        let asked = std::fs::metadata(self.cwd.join(path));
        asked.err().and_then(|error| error.raw_os_error())
    }

    /// The folder that relative paths start from.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// What is told of a path; `None` where nothing is there. An error names what is not known before the run.
    pub fn about(&self, path: &str, of_link: bool) -> Result<Option<About>, String> {
        let full = self.cwd.join(path);
        if self.lost || self.written.contains(&plain(&full)) {
            return Err(format!("{path}, which the program writes itself"));
        }
        if system_path::is_of_system(&full) {
            return Err(format!("{path} (made by the system for each process)"));
        }
        let metadata = match of_link {
            true => std::fs::symlink_metadata(&full),
            false => std::fs::metadata(&full),
        };
        Ok(metadata.ok().as_ref().map(About::of))
    }

    /// Keeps an open stream under the address of its handle.
    pub fn insert(&mut self, handle: u64, stream: Stream) {
        self.streams.push((handle, stream));
    }

    /// The stream behind a handle.
    pub fn get(&mut self, handle: u64) -> Option<&mut Stream> {
        let found = self.streams.iter_mut().find(|(open, _)| *open == handle);
        found.map(|(_, stream)| stream)
    }

    /// Closes a stream. False where the handle has none.
    pub fn close(&mut self, handle: u64) -> bool {
        let found = self.streams.iter().position(|(open, _)| *open == handle);
        found.map(|index| self.streams.swap_remove(index)).is_some()
    }

    /// Gives a stream the lowest free descriptor.
    pub fn add_descriptor(&mut self, handle: u64) -> i32 {
        let free = (3..)
            .find(|number| !self.descriptors.contains_key(number))
            .unwrap_or(i32::MAX);
        self.descriptors.insert(free, handle);
        free
    }

    /// The handle behind a descriptor.
    pub fn handle(&self, descriptor: i32) -> Option<u64> {
        self.descriptors.get(&descriptor).copied()
    }

    /// The descriptor of a stream, given to it where it has none.
    pub fn descriptor_of(&mut self, handle: u64) -> i32 {
        let mut given = self.descriptors.iter();
        match given.find(|(_, open)| **open == handle) {
            Some((number, _)) => *number,
            None => self.add_descriptor(handle),
        }
    }

    /// Closes a descriptor and its stream.
    pub fn close_descriptor(&mut self, descriptor: i32) -> bool {
        self.descriptors
            .remove(&descriptor)
            .is_some_and(|handle| self.close(handle))
    }
}

impl Reader {
    /// Opens a regular file; `None` for what is there and is none. The kind is asked first, because opening
    /// a fifo or a device may block or act.
    fn open(path: &std::path::Path) -> Result<Option<Reader>, String> {
        let kind = std::fs::metadata(path).map_err(|error| reason(&error))?;
        if !kind.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| reason(&error))?;
        let size = file.metadata().map_err(|error| reason(&error))?.len();
        Ok(Some(Reader {
            name: String::new(),
            file: Some(file),
            chunk: Vec::new(),
            start: 0,
            at: 0,
            size,
            ended: false,
        }))
    }

    /// A text that is read as a file.
    pub fn of_text(text: Vec<u8>) -> Reader {
        Reader {
            name: String::new(),
            file: None,
            size: text.len() as u64,
            chunk: text,
            start: 0,
            at: 0,
            ended: false,
        }
    }

    /// The whole text, where it is one.
    pub fn text(&self) -> Option<Vec<u8>> {
        self.file.is_none().then(|| self.chunk.clone())
    }

    /// Puts a longer text in the place of a text; what was read stays read.
    pub fn replace(&mut self, text: Vec<u8>) {
        self.size = text.len() as u64;
        self.chunk = text;
    }

    /// The next byte, left in place.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u8> {
        match self.chunk.get(self.at) {
            Some(byte) => Some(*byte),
            None => self.refill(),
        }
    }

    /// The next byte.
    #[inline(always)]
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        match byte {
            Some(_) => self.at += 1,
            None => self.ended = true,
        }
        byte
    }

    /// Passes the byte that was peeked.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// The bytes that lie ready; more may come behind them.
    #[inline(always)]
    pub fn ahead(&self) -> &[u8] {
        self.chunk.get(self.at..).unwrap_or_default()
    }

    /// Passes so many of the bytes that lie ready.
    #[inline(always)]
    pub fn pass(&mut self, count: usize) {
        self.at += count;
    }

    /// Reads the next chunk; a failing read is an end of the file.
    fn refill(&mut self) -> Option<u8> {
        let file = self.file.as_mut()?;
        self.start = self.start.wrapping_add(self.chunk.len() as u64);
        self.at = 0;
        self.chunk.resize(CHUNK, 0);
        let len = loop {
            match file.read(&mut self.chunk) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                result => break result.unwrap_or(0),
            }
        };
        self.chunk.truncate(len);
        self.chunk.first().copied()
    }

    /// Puts a byte before the next one, which need not be the one that was read there.
    pub fn put_back(&mut self, byte: u8) {
        self.ended = false;
        match self.at.checked_sub(1) {
            Some(at) => self.at = at,
            // Before the first byte of the file the position wraps, and comes back with the next read.
            None => {
                self.chunk.insert(0, 0);
                self.start = self.start.wrapping_sub(1);
            }
        }
        if let Some(next) = self.chunk.get_mut(self.at) {
            *next = byte;
        }
    }

    /// Offset of the next byte.
    pub fn position(&self) -> u64 {
        self.start.wrapping_add(self.at as u64)
    }

    /// Bytes in the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Goes to an offset.
    pub fn seek(&mut self, to: u64) {
        let to = to.min(i64::MAX as u64);
        self.ended = false;
        let Some(file) = &mut self.file else {
            self.at = usize::try_from(to)
                .unwrap_or(usize::MAX)
                .min(self.chunk.len());
            return;
        };
        self.chunk.clear();
        self.at = 0;
        self.start = to;
        // A failing seek leaves the old position: the next read then gives bytes that are no longer foretold,
        // which for regular files does not happen.
        let _position = file.seek(SeekFrom::Start(to));
    }

    /// Up to `most` bytes.
    pub fn take(&mut self, most: u64) -> Vec<u8> {
        // A file has its size, and what was put back.
        let most = most.min(self.size.saturating_add(self.chunk.len() as u64));
        let most = usize::try_from(most).unwrap_or(0);
        let mut bytes = Vec::with_capacity(most.min(CHUNK));
        while bytes.len() < most {
            if self.peek().is_none() {
                self.ended = true;
                break;
            }
            let rest = self.chunk.get(self.at..).unwrap_or_default();
            let rest = rest.get(..most - bytes.len()).unwrap_or(rest);
            bytes.extend_from_slice(rest);
            self.at += rest.len();
        }
        bytes
    }

    /// What the system tells of it; `None` for a text.
    pub fn about(&self) -> Option<About> {
        let metadata = self.file.as_ref()?.metadata().ok()?;
        Some(About::of(&metadata))
    }

    /// Bytes from an offset on, at most so many; the position stays where it was.
    pub fn at(&mut self, offset: u64, most: u64) -> Vec<u8> {
        let (position, ended) = (self.position(), self.ended);
        self.seek(offset);
        let bytes = self.take(most);
        self.seek(position);
        self.ended = ended;
        bytes
    }

    /// The bytes up to a delimiter, and the delimiter.
    pub fn until(&mut self, delimiter: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(byte) = self.next() {
            bytes.push(byte);
            if byte == delimiter {
                break;
            }
        }
        bytes
    }

    /// The rest of the line with its end, at most `most` bytes.
    pub fn line(&mut self, most: usize) -> Vec<u8> {
        let mut line = Vec::new();
        while line.len() < most {
            let Some(byte) = self.next() else {
                break;
            };
            line.push(byte);
            if byte == b'\n' {
                break;
            }
        }
        line
    }
}

/// The system's reason without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// A path without `.` and `..`, as far as no link is followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some_and(|_| !plain.is_symlink()) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
