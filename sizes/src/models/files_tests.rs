//! Opened files, against real ones.

use super::*;

fn folder_with(name: &str, content: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    folder
}

#[test]
fn a_regular_file_is_read_in_pieces_and_sought() {
    let folder = folder_with("data", &[7u8; CHUNK + 10]);
    let mut files = Files::new(folder.path().to_owned());
    let Ok(Stream::Reader(mut reader)) = files.open("data", "rb") else {
        panic!("a reader was wanted");
    };
    assert_eq!(reader.take(CHUNK as u64 + 5).len(), CHUNK + 5);
    assert_eq!(reader.position(), CHUNK as u64 + 5);
    assert_eq!(reader.take(100).len(), 5);
    assert!(reader.ended);
    reader.seek(1);
    assert!(!reader.ended);
    assert_eq!((reader.next(), reader.position()), (Some(7), 2));
    assert_eq!(files.read, ["data"]);
}

#[test]
fn what_lies_ready_ends_with_the_chunk() {
    let folder = folder_with("data", &[b'7'; CHUNK + 3]);
    let mut files = Files::new(folder.path().to_owned());
    let Ok(Stream::Reader(mut reader)) = files.open("data", "r") else {
        panic!("a reader was wanted");
    };
    assert_eq!((reader.peek(), reader.ahead().len()), (Some(b'7'), CHUNK));
    reader.pass(CHUNK);
    assert_eq!((reader.ahead().len(), reader.peek()), (0, Some(b'7')));
    assert_eq!(reader.ahead().len(), 3);
}

#[test]
fn a_byte_put_back_is_read_next_and_lost_by_a_seek() {
    let folder = folder_with("data", b"12");
    let mut files = Files::new(folder.path().to_owned());
    let Ok(Stream::Reader(mut reader)) = files.open("data", "r") else {
        panic!("a reader was wanted");
    };
    assert_eq!(reader.next(), Some(b'1'));
    reader.put_back(b'9');
    assert_eq!((reader.position(), reader.next()), (0, Some(b'9')));
    reader.put_back(b'8');
    reader.put_back(b'7');
    assert_eq!(reader.take(9), b"782");
    assert_eq!(reader.position(), 2);
    reader.seek(0);
    assert_eq!(reader.next(), Some(b'1'));
    assert_eq!((reader.next(), reader.next()), (Some(b'2'), None));
    reader.put_back(b'5');
    assert!(!reader.ended);
    assert_eq!((reader.next(), reader.next()), (Some(b'5'), None));
}

#[test]
fn writing_goes_nowhere_and_hides_the_content() {
    let folder = folder_with("data", b"1");
    let mut files = Files::new(folder.path().to_owned());
    assert!(matches!(files.open("data", "w"), Ok(Stream::Sink)));
    assert_eq!(std::fs::read(folder.path().join("data")).unwrap(), b"1");
    assert!(matches!(files.open("data", "r"), Ok(Stream::Hidden(_))));
    assert!(matches!(files.open("other", "w"), Ok(Stream::Sink)));
    assert!(!folder.path().join("other").exists());
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Files::new(folder.path().to_owned());
    assert!(matches!(files.open(".", "r"), Ok(Stream::Hidden(_))));
    for system in ["/dev/zero", "/dev/stdin", "/proc/self/stat"] {
        assert!(matches!(files.open(system, "r"), Ok(Stream::Hidden(_))));
    }
    assert!(files.read.is_empty());
    assert!(
        files
            .open("none", "r")
            .is_err_and(|reason| reason.contains("No such file"))
    );
}
