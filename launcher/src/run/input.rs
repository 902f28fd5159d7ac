//! Standard input of `migfit run PROGRAM` -> whether a program that is started again can read it again. A file is
//! wound back to where it stood.

use crate::run::restart::Input;
use std::fs::File;
use std::io::{IsTerminal, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Device number of /dev/null.
const NULL: (u32, u32) = (1, 3);

/// What a program reads, and where it began.
#[derive(Debug)]
pub struct StandardInput {
    kind: Input,
    /// A file of ours on the same place as the program's, and where that was.
    file: Option<(File, u64)>,
}

impl StandardInput {
    /// Ours, which the program gets.
    #[must_use]
    pub fn ours() -> StandardInput {
        StandardInput::of(std::io::stdin().as_fd())
    }

    /// One that the program does not have: it reads nothing.
    #[must_use]
    pub fn none() -> StandardInput {
        StandardInput {
            kind: Input::Again,
            file: None,
        }
    }

    fn of(stdin: BorrowedFd<'_>) -> StandardInput {
        let once = StandardInput {
            kind: Input::Once,
            file: None,
        };
        // A terminal's user can type again.
        if stdin.is_terminal() {
            return StandardInput::none();
        }
        // A closed standard input is nothing to read.
        let Ok(mut file) = stdin.try_clone_to_owned().map(File::from) else {
            return StandardInput::none();
        };
        let Ok(meta) = file.metadata() else {
            return once;
        };
        let kind = meta.file_type();
        if kind.is_char_device() {
            let null = rustix::fs::makedev(NULL.0, NULL.1);
            return match meta.rdev() == null {
                true => StandardInput::none(),
                false => once,
            };
        }
        match file.stream_position() {
            Ok(place) if kind.is_file() => StandardInput {
                kind: Input::Again,
                file: Some((file, place)),
            },
            _ => once,
        }
    }

    /// Whether it can be read again.
    #[must_use]
    pub fn kind(&self) -> Input {
        self.kind
    }

    /// Winds it back for the next attempt.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn rewind(&self) -> std::io::Result<()> {
        match &self.file {
            Some((file, place)) => {
                let mut file = file;
                file.seek(SeekFrom::Start(*place)).map(drop)
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_file_is_wound_back_to_where_it_stood() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"header data").unwrap();
        file.seek(SeekFrom::Start(7)).unwrap();
        let input = StandardInput::of(file.as_fd());
        assert_eq!(input.kind(), Input::Again);
        let mut read = String::new();
        file.read_to_string(&mut read).unwrap();
        input.rewind().unwrap();
        let mut again = String::new();
        file.read_to_string(&mut again).unwrap();
        assert_eq!((read.as_str(), again.as_str()), ("data", "data"));
    }

    #[test]
    fn a_pipe_is_read_once_and_null_as_often_as_one_likes() {
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(StandardInput::of(reader.as_fd()).kind(), Input::Once);
        let null = File::open("/dev/null").unwrap();
        assert_eq!(StandardInput::of(null.as_fd()).kind(), Input::Again);
        let zero = File::open("/dev/zero").unwrap();
        assert_eq!(StandardInput::of(zero.as_fd()).kind(), Input::Once);
    }
}
