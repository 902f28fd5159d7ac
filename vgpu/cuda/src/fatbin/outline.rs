//! The outline of a PTX text: its kernels with parameters and static shared memory, and its module variables.
//! A scan, not a parser: bodies are only looked through. Never panics on what it is given.

use std::collections::BTreeMap;

/// What a PTX module declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Kernels by name.
    pub kernels: BTreeMap<String, KernelOutline>,
    /// Variables in global and constant memory, by name.
    pub variables: BTreeMap<String, Variable>,
    /// Architecture of its `.target`: 80 for sm_80. `None`: the text has no head, so it is no PTX.
    pub target: Option<u32>,
}

/// A kernel's declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelOutline {
    /// Parameters in order: offset and size in bytes.
    pub parameters: Vec<(usize, usize)>,
    /// Bytes of static shared memory of a block.
    pub shared: usize,
    /// Most threads of a block that `.maxntid` or `.reqntid` allows.
    pub most_threads: Option<u32>,
}

/// A module variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its size in bytes.
    pub bytes: usize,
    /// Its address is a multiple of this, which is at least 1.
    pub align: usize,
    /// Whether it lies in constant memory.
    pub constant: bool,
    /// Its first bytes, where the text gives them; the rest is zero. `None`: given in a form not known here.
    pub initial: Option<Vec<u8>>,
}

/// Scans a PTX text.
#[must_use]
pub fn scan(text: &str) -> Outline {
    let words = words(text);
    let mut outline = Outline::default();
    let mut module_shared = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let statement = statement(&words[at..]);
        let body = body(&words[at + statement.len()..]);
        if let [".target", target, ..] = statement {
            let digits = target
                .trim_start_matches("sm_")
                .trim_end_matches(char::is_alphabetic);
            outline.target = digits.parse().ok();
        } else if let Some((name, kernel)) = kernel(statement, body, &module_shared) {
            outline.kernels.insert(name, kernel);
        } else if let Some(declared) = declaration(statement) {
            match declared.space {
                ".shared" => drop(module_shared.insert(declared.name.to_owned(), declared.bytes)),
                ".global" | ".const" => {
                    let variable = variable(&declared, body);
                    outline.variables.insert(declared.name.to_owned(), variable);
                }
                _ => {}
            }
        }
        at += (statement.len() + body.len()).max(1);
    }
    outline
}

/// Words and signs of a text without its comments. A directive keeps its dot; `{ } ( ) [ ] , ; =` stand alone.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let stop = |c: char| c.is_whitespace() || "{}()[],;=\"".contains(c);
            let length = rest.find(stop).unwrap_or(rest.len()).max(first.len_utf8());
            found.push(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    found
}

/// The words up to the next `;`, `{` or `}` (which ends it, the `{` excluded).
fn statement<'a, 'w>(words: &'w [&'a str]) -> &'w [&'a str] {
    // The module's head has no semicolons: each of its lines is a statement by itself.
    let head = match words.first() {
        Some(&".version" | &".address_size") => 2,
        Some(&".target") => {
            1 + words
                .iter()
                .skip(1)
                .take_while(|word| !word.starts_with('.'))
                .count()
        }
        _ => 0,
    };
    let end = words
        .iter()
        .position(|word| matches!(*word, ";" | "{" | "}"));
    let end = end.map_or(words.len(), |end| {
        end + usize::from(words.get(end) != Some(&"{"))
    });
    let end = if head > 0 { head.min(end) } else { end };
    words.get(..end).unwrap_or(words)
}

/// The words of the `{ … }` that begins here, with what is within; none when it does not begin here.
fn body<'a, 'w>(words: &'w [&'a str]) -> &'w [&'a str] {
    let mut depth = 0_usize;
    for (nth, word) in words.iter().enumerate() {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return words
                .get(..if nth == 0 { 0 } else { nth + 1 })
                .unwrap_or_default();
        }
    }
    words
}

fn kernel(
    statement: &[&str],
    body: &[&str],
    module_shared: &BTreeMap<String, usize>,
) -> Option<(String, KernelOutline)> {
    let entry = statement.iter().position(|word| *word == ".entry")?;
    let after = statement.get(entry + 1..)?;
    let (name, after) = after.split_first()?;
    let close = after.iter().position(|word| *word == ")").unwrap_or(0);
    let (parameters, directives) = after.split_at_checked(close)?;
    let mut offset = 0_usize;
    let mut found = KernelOutline::default();
    for parameter in parameters.split(|word| matches!(*word, "," | "(")) {
        if let Some(declared) = declaration(parameter) {
            let aligned = offset.checked_next_multiple_of(declared.align);
            offset = aligned.unwrap_or(usize::MAX);
            found.parameters.push((offset, declared.bytes));
            offset = offset.saturating_add(declared.bytes);
        }
    }
    found.most_threads = most_threads(directives);
    let inner = body
        .split(|word| matches!(*word, ";" | "{" | "}"))
        .filter_map(declaration);
    let inner = inner
        .filter(|declared| declared.space == ".shared")
        .map(|declared| declared.bytes);
    let outer = module_shared
        .iter()
        .filter(|(name, _)| body.contains(&name.as_str()));
    let all = inner.chain(outer.map(|(_, bytes)| *bytes));
    found.shared = all.fold(0, usize::saturating_add);
    Some(((*name).to_owned(), found))
}

fn most_threads(directives: &[&str]) -> Option<u32> {
    let at = directives
        .iter()
        .position(|word| matches!(*word, ".maxntid" | ".reqntid"))?;
    let extents = directives
        .get(at + 1..)?
        .iter()
        .filter(|word| **word != ",");
    let extents = extents.map_while(|word| word.parse::<u32>().ok());
    Some(extents.fold(1, u32::saturating_mul))
}

struct Declared<'a> {
    space: &'a str,
    name: &'a str,
    align: usize,
    element: &'a str,
    bytes: usize,
    initial: &'a [&'a str],
}

/// A variable's or parameter's declaration: `.shared .align 4 .b8 name[1024]`, `.param .u64 name`.
fn declaration<'a>(words: &'a [&'a str]) -> Option<Declared<'a>> {
    let space = words
        .iter()
        .find(|word| matches!(**word, ".shared" | ".global" | ".const" | ".param"))?;
    let kind = words.iter().position(|word| element_size(word).is_some())?;
    let element = words.get(kind)?;
    let size = element_size(element)?;
    let after = words.get(kind + 1..)?;
    // A pointer parameter may say what it points to: `.param .u64 .ptr .global .align 1 name`.
    let name_at = after
        .iter()
        .position(|word| !word.starts_with('.') && word.parse::<u64>().is_err())?;
    let name = after.get(name_at)?;
    let (dimensions, initial) = match after.iter().position(|word| *word == "=") {
        Some(equals) => (after.get(name_at + 1..equals)?, after.get(equals + 1..)?),
        None => (after.get(name_at + 1..)?, &[][..]),
    };
    let lengths = dimensions
        .iter()
        .filter_map(|word| word.parse::<usize>().ok());
    // `name[]` is sized by each launch (dynamic shared memory): nothing of it is static.
    let unsized_array = dimensions.contains(&"[") && lengths.clone().next().is_none();
    let count = if unsized_array {
        0
    } else {
        lengths.fold(1, usize::saturating_mul)
    };
    let align = words
        .get(..kind)?
        .iter()
        .skip_while(|word| **word != ".align")
        .nth(1);
    let align = align
        .and_then(|word| word.parse::<usize>().ok())
        .unwrap_or(size);
    Some(Declared {
        space,
        name,
        align: align.clamp(1, 1 << 20),
        element,
        bytes: size.saturating_mul(count),
        initial,
    })
}

fn element_size(kind: &str) -> Option<usize> {
    match kind {
        ".b8" | ".u8" | ".s8" | ".pred" => Some(1),
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => Some(2),
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" => Some(4),
        ".b64" | ".u64" | ".s64" | ".f64" | ".texref" | ".samplerref" | ".surfref" => Some(8),
        ".b128" => Some(16),
        _ => None,
    }
}

fn variable(declared: &Declared, body: &[&str]) -> Variable {
    let values = if declared.initial.is_empty() {
        body
    } else {
        declared.initial
    };
    let size = element_size(declared.element).unwrap_or(1);
    let values = values
        .iter()
        .filter(|word| !matches!(**word, "{" | "}" | "," | ";"));
    let bytes = values.map(|word| Some(number(word)?.to_le_bytes().into_iter().take(size)));
    let bytes: Option<Vec<_>> = bytes.collect();
    let initial = bytes.map(|bytes| bytes.into_iter().flatten().collect());
    Variable {
        bytes: declared.bytes,
        align: declared.align,
        constant: declared.space == ".const",
        initial,
    }
}

/// The bits of a number as PTX writes it.
fn number(word: &str) -> Option<u64> {
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    if let Some(digits) = word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        return hexadecimal(digits.trim_end_matches('U'));
    }
    // 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX are floating-point numbers by their bits.
    if let Some(digits) = ["0f", "0F", "0d", "0D"]
        .iter()
        .find_map(|start| word.strip_prefix(start))
    {
        return hexadecimal(digits);
    }
    let plain = word.trim_end_matches('U');
    plain
        .parse()
        .ok()
        .or_else(|| plain.parse::<i64>().ok().map(i64::cast_unsigned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = r#"
//
// a comment with .entry not_this(
.version 8.0
.target sm_80
.address_size 64

	// .globl	_Z3addPfi
.visible .global .align 4 .u32 counter;
.visible .const .align 4 .b8 table[16] = {1, 2, 255};
.global .align 4 .f32 half = 0f3F000000;
.shared .align 4 .b8 everywhere[64];
.extern .shared .align 16 .b8 dynamic[];

.visible .entry _Z3addPfi(
	.param .u64 .ptr .align 1 _Z3addPfi_param_0,
	.param .u32 _Z3addPfi_param_1,
	.param .align 8 .b8 _Z3addPfi_param_2[24]
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<2>;
	// demoted variable
	.shared .align 4 .b8 _ZZ3addPfiE4tile[1024];
	mov.u32 %r1, everywhere; mov.u32 %r2, dynamic;
	{ ret; }
}
.visible .entry empty()
{
	ret;
}
"#;

    #[test]
    fn kernels_have_parameters_shared_memory_and_bounds() {
        let found = scan(TEXT);
        let names: Vec<_> = found.kernels.keys().collect();
        assert_eq!(
            (names.as_slice(), found.target),
            (
                &[&"_Z3addPfi".to_owned(), &"empty".to_owned()][..],
                Some(80)
            )
        );
        let add = &found.kernels["_Z3addPfi"];
        assert_eq!(add.parameters, [(0, 8), (8, 4), (16, 24)]);
        assert_eq!((add.shared, add.most_threads), (1024 + 64, Some(256)));
        assert_eq!(found.kernels["empty"], KernelOutline::default());
    }

    #[test]
    fn variables_have_size_space_and_first_bytes() {
        let found = scan(TEXT).variables;
        assert_eq!(
            found["counter"],
            Variable {
                bytes: 4,
                align: 4,
                constant: false,
                initial: Some(vec![])
            }
        );
        assert_eq!(
            found["table"],
            Variable {
                bytes: 16,
                align: 4,
                constant: true,
                initial: Some(vec![1, 2, 255])
            }
        );
        assert_eq!(found["half"].initial, Some(0.5_f32.to_le_bytes().to_vec()));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn parameters_beyond_all_memory_lie_at_its_end() {
        let text = ".entry k(.param .b8 a[18446744073709551615], .param .u64 b) { ret; }";
        let found = &scan(text).kernels["k"];
        assert_eq!(found.parameters, [(0, usize::MAX), (usize::MAX, 8)]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}") {
            let _ = scan(&text);
        }

        #[test]
        fn no_cut_of_a_module_makes_it_panic(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
            let (from, to) = (from.index(TEXT.len()), to.index(TEXT.len()));
            let _ = scan(&TEXT[from.min(to)..from.max(to)]);
        }
    }
}
