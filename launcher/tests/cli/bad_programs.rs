//! Programs that are not there, are no programs, or carry no readable job profile: each has its exit code, its
//! sentence and its hint, and nothing on standard output.

use crate::fixture::{Sandbox, elf, relocatable, section, summary};
use migfit_schema::container;
use migfit_schema::profile::PROFILE_VERSION;

/// `migfit fit ./it` fails with this code; the text has each of these parts.
fn refused(sandbox: &Sandbox, code: i32, parts: &[&str]) {
    refused_as(sandbox, "./it", code, parts);
}

fn refused_as(sandbox: &Sandbox, name: &str, code: i32, parts: &[&str]) {
    let outcome = sandbox.migfit(&["fit", name]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (code, ""),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "no '{part}' in: {}",
            outcome.stderr
        );
    }
}

fn with(bytes: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("it", bytes);
    sandbox
}

#[test]
fn a_program_that_is_not_there() {
    refused(&Sandbox::new(), 81, &["there is no program './it'"]);
    refused_as(&with(b""), "it", 81, &["did you mean ./it?"]);
    refused_as(&with(b""), "./itt", 81, &["did you mean ./it?"]);
}

#[test]
fn a_folder_a_script_and_other_files() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("it")).unwrap();
    refused(&sandbox, 82, &["is a folder"]);
    refused(&with(b""), 82, &["an empty file"]);
    refused(&with(b"#!/bin/sh\n"), 82, &["a script"]);
    refused(&with(b"!<arch>\nname.o/         "), 82, &["an archive"]);
    refused(
        &with(b"MZ and more, but not an ELF file at all"),
        82,
        &["not a Linux program"],
    );
    refused_as(&Sandbox::new(), ".", 82, &["'.' is a folder"]);
    let header = Sandbox::new();
    std::fs::write(header.path("it.h"), "int it;").unwrap();
    refused_as(&header, "it.h", 82, &["not a Linux program"]);
    refused_as(&Sandbox::new(), "/dev/zero", 82, &["no regular file"]);
}

#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with(&elf(None));
    let closed = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(sandbox.path("it"), closed).unwrap();
    if std::fs::File::open(sandbox.path("it")).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    refused(&sandbox, 81, &["'./it' cannot be read: permission denied"]);
}

#[test]
fn a_program_without_a_job_profile() {
    refused(
        &with(&elf(None)),
        83,
        &["no job profile", "migfit build -- make"],
    );
    refused(&with(&relocatable(None)), 82, &["is an object file"]);
}

#[test]
fn a_job_profile_of_another_version() {
    let mut other = summary();
    other.version = 99;
    other.migfit = "7.0.0".to_owned();
    let program = elf(Some(&section(&other, None)));
    refused(
        &with(&program),
        84,
        &[
            "version 99",
            &format!("reads version {PROFILE_VERSION}"),
            "\n  written by migfit 7.0.0\n",
        ],
    );
}

/// A section of these entries, with a right checksum.
fn sealed(entries: &[([u8; 8], &[u8])]) -> Vec<u8> {
    let mut section = Vec::new();
    for (mark, payload) in entries {
        container::append(&mut section, *mark, payload);
    }
    container::seal(&mut section);
    section
}

#[test]
fn a_damaged_job_profile() {
    let whole = section(&summary(), None);
    let damaged = |section: &[u8], part: &str| {
        refused(
            &with(&elf(Some(section))),
            84,
            &[part, "hint: build it again"],
        );
    };
    damaged(&whole[..whole.len() - 1], "entry cut short");
    let mut flipped = whole.clone();
    flipped[40] ^= 1;
    damaged(&flipped, "the checksum does not fit");
    damaged(b"nothing that is ours", "no known mark at byte 0");
    damaged(b"", "the checksum does not fit");
    damaged(&sealed(&[]), "no summary");
    let json = serde_json::to_vec(&summary()).unwrap();
    let one = (container::SUMMARY, json.as_slice());
    damaged(&sealed(&[one, one]), "2 summaries");
    damaged(
        &sealed(&[(container::SUMMARY, b"{\"version\": 2")]),
        "summary: EOF",
    );
    damaged(
        &sealed(&[one, (container::PROGRAM, &[0xff; 40])]),
        "size program: ",
    );
}

#[test]
fn a_job_profile_from_before_there_was_a_checksum_is_old_and_not_damaged() {
    let mut unsealed = Vec::new();
    let json = b"{\"version\": 1, \"migfit\": \"0.0.1\"}";
    container::append(&mut unsealed, container::SUMMARY, json);
    refused(&with(&elf(Some(&unsealed))), 84, &["has version 1"]);
}

#[test]
fn a_program_cut_anywhere_is_refused_with_a_code_of_ours() {
    let whole = elf(Some(&section(&summary(), None)));
    for length in (0..whole.len()).step_by(13) {
        let outcome = with(&whole[..length]).migfit(&["fit", "./it"]);
        assert!(
            (82..=84).contains(&outcome.code),
            "{length}: {} {}",
            outcome.code,
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("hint: "),
            "{length}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn random_bytes_behind_an_elf_mark_never_break_the_reader() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..64 {
        let mut bytes = elf(Some(&section(&summary(), None)));
        for _ in 0..24 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = 4 + usize::try_from(state % (bytes.len() as u64 - 4)).unwrap();
            bytes[at] = (state >> 32) as u8;
        }
        let outcome = with(&bytes).migfit(&["fit", "./it"]);
        let named = outcome.code == 0 || (82..=84).contains(&outcome.code);
        assert!(named, "round {round}: {} {}", outcome.code, outcome.stderr);
    }
}
