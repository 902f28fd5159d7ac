//! The README's examples that do not depend on time are what the commands print.

use migfit_tests::migfit::migfit;
use migfit_tests::program::Program;
use std::path::Path;

/// A command of the README and the output shown under it.
struct Example {
    words: Vec<String>,
    output: String,
}

#[test]
fn the_readme_shows_what_the_commands_print() {
    let lud = Program::rodinia("lud").built_for_the_virtual_gpu();
    let programs = lud
        .path()
        .parent()
        .and_then(Path::parent)
        .expect("rodinia/lud/lud");
    let examples = examples(include_str!("../../README.md"));
    assert!(examples.len() >= 3, "the README lost its examples");
    for example in examples {
        let done = migfit().args(&example.words).current_dir(programs).output();
        let done = done.expect("migfit starts");
        let printed = String::from_utf8_lossy(&done.stdout);
        assert_eq!(
            printed.trim_end(),
            example.output,
            "README: migfit {}",
            example.words.join(" ")
        );
    }
}

/// Console blocks of one command with its output.
fn examples(readme: &str) -> Vec<Example> {
    let blocks = readme.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("\n```").next());
    blocks.filter_map(example).collect()
}

fn example(block: &str) -> Option<Example> {
    let (command, output) = block.split_once('\n')?;
    let words = command
        .strip_prefix("$ migfit ")?
        .split(' ')
        .map(str::to_owned);
    let shows_output = !output.starts_with('$');
    shows_output.then(|| Example {
        words: words.collect(),
        output: output.trim_end().to_owned(),
    })
}
