//! Response files: a word `@FILE` stands for the words in FILE. The rules of GNU and clang: white space separates,
//! either quote groups, a backslash takes the next byte as it is, a file that cannot be read leaves the word alone.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Files within files, at most; a file that names itself ends here.
const DEEPEST: usize = 16;

/// The words with every response file in its place.
pub fn expand(words: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        expand_into(word, 0, &mut expanded);
    }
    expanded
}

fn expand_into(word: &OsString, depth: usize, expanded: &mut Vec<OsString>) {
    let file = word.as_bytes().strip_prefix(b"@");
    let text = file
        .filter(|_| depth < DEEPEST)
        .and_then(|file| std::fs::read(std::ffi::OsStr::from_bytes(file)).ok());
    match text {
        Some(text) => {
            for inner in split(&text) {
                expand_into(&inner, depth + 1, expanded);
            }
        }
        None => expanded.push(word.clone()),
    }
}

/// The words of a response file's text.
pub fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(words: &[OsString]) -> Vec<&str> {
        words.iter().map(|word| word.to_str().unwrap()).collect()
    }

    #[test]
    fn words_are_split_as_compilers_do() {
        let words = split(b"-o 'a b'  \"c\\\"d\"\n-DX=\\\"y\\\" '' e'f'g\\ h\t");
        assert_eq!(
            texts(&words),
            ["-o", "a b", "c\"d", "-DX=\"y\"", "", "efg h"]
        );
    }

    #[test]
    fn files_stand_in_place_and_within_files_and_missing_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().join("outer"), folder.path().join("inner"));
        std::fs::write(&inner, "b.o c.o").unwrap();
        std::fs::write(&outer, format!("a.o @{}", inner.display())).unwrap();
        let words = ["-c", "@absent", &format!("@{}", outer.display()), "d.o"].map(OsString::from);
        assert_eq!(
            texts(&expand(&words)),
            ["-c", "@absent", "a.o", "b.o", "c.o", "d.o"]
        );
    }

    #[test]
    fn a_file_that_names_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("self");
        let word = format!("@{}", file.display());
        std::fs::write(&file, &word).unwrap();
        assert_eq!(texts(&expand(&[word.clone().into()])), [word]);
    }

    proptest! {
        #[test]
        fn escaped_words_come_back(words in proptest::collection::vec("[ -~]{1,12}", 0..8)) {
            let escaped = words.iter().map(|word| word.chars().flat_map(|c| ['\\', c]).collect::<String>());
            let text = escaped.collect::<Vec<_>>().join("\n");
            let back = split(text.as_bytes());
            prop_assert_eq!(texts(&back), words);
        }

        #[test]
        fn any_bytes_are_taken(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            split(&text);
        }
    }
}
