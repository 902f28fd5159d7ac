//! Words of a PTX declaration -> space, name, size and first bytes of what it declares.

use super::outline::{Linkage, Variable};

/// What a declaration says.
pub struct Declared<'a> {
    /// `.shared`, `.global`, `.const` or `.param`.
    pub space: &'a str,
    /// The declared name.
    pub name: &'a str,
    /// Its address is a multiple of this.
    pub align: usize,
    /// Whether host and device share it.
    managed: bool,
    /// Kind of its elements.
    element: &'a str,
    /// Its size in bytes.
    pub bytes: usize,
    /// The words of its first values, where they stand in the declaration itself.
    initial: &'a [&'a str],
}

/// A variable's or parameter's declaration: `.shared .align 4 .b8 name[1024]`, `.param .u64 name`.
pub fn declaration<'a>(words: &'a [&'a str]) -> Option<Declared<'a>> {
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
        managed: words.contains(&".managed"),
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

/// The variable that a declaration and the braces behind it describe.
pub fn variable(declared: &Declared, body: &[&str], linkage: Linkage) -> Variable {
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
        managed: declared.managed,
        linkage,
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
