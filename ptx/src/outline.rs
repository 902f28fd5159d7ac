//! The outline of a PTX text: its kernels with parameters and static shared memory, and its module variables.
//! A scan, not a parser: bodies are only looked through. Never panics on what it is given.

use super::declared::{declaration, variable};
use super::words::{body, statement, words};
use std::collections::BTreeMap;

/// What a PTX module declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Kernels by name.
    pub kernels: BTreeMap<String, KernelOutline>,
    /// Variables in global and constant memory, by name.
    pub variables: BTreeMap<String, Variable>,
    /// Functions that are no kernels, by name.
    pub functions: BTreeMap<String, Linkage>,
    /// Architecture of its `.target`: 80 for sm_80. `None`: the text has no head, so it is no PTX.
    pub target: Option<u32>,
}

/// What a name means to the other files of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Nothing: it is this file's own.
    #[default]
    Own,
    /// It is defined in another file.
    Extern,
    /// This is its one definition.
    Visible,
    /// Several files define it, all the same.
    Weak,
}

impl Linkage {
    fn of(statement: &[&str]) -> Linkage {
        let found = statement.iter().find_map(|word| match *word {
            ".extern" => Some(Linkage::Extern),
            ".visible" => Some(Linkage::Visible),
            ".weak" | ".common" => Some(Linkage::Weak),
            _ => None,
        });
        found.unwrap_or_default()
    }
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
    /// What its name means to other files.
    pub linkage: Linkage,
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
    /// Whether the host uses it as well, at the same address.
    pub managed: bool,
    /// What its name means to other files.
    pub linkage: Linkage,
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
        } else if let Some(name) = function(statement) {
            let known = outline.functions.entry(name.to_owned()).or_default();
            if !matches!(*known, Linkage::Visible | Linkage::Weak) {
                *known = Linkage::of(statement);
            }
        } else if let Some(declared) = declaration(statement) {
            match declared.space {
                ".shared" => drop(module_shared.insert(declared.name.to_owned(), declared.bytes)),
                ".global" | ".const" => {
                    let variable = variable(&declared, body, Linkage::of(statement));
                    outline.variables.insert(declared.name.to_owned(), variable);
                }
                _ => {}
            }
        }
        at += (statement.len() + body.len()).max(1);
    }
    outline
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
    found.linkage = Linkage::of(statement.get(..entry)?);
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

/// The name of the function that a `.func` statement declares: behind its result, where it has one.
fn function<'a>(statement: &[&'a str]) -> Option<&'a str> {
    let at = statement.iter().position(|word| *word == ".func")?;
    let after = statement.get(at + 1..)?;
    let behind_result = match after.first() {
        Some(&"(") => 1 + after.iter().position(|word| *word == ")")?,
        _ => 0,
    };
    after
        .get(behind_result..)?
        .iter()
        .copied()
        .find(|word| !word.starts_with('.'))
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
        let nothing = KernelOutline {
            linkage: Linkage::Visible,
            ..KernelOutline::default()
        };
        assert_eq!(found.kernels["empty"], nothing);
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
                managed: false,
                linkage: Linkage::Visible,
                initial: Some(vec![])
            }
        );
        assert_eq!(
            found["table"],
            Variable {
                bytes: 16,
                align: 4,
                constant: true,
                managed: false,
                linkage: Linkage::Visible,
                initial: Some(vec![1, 2, 255])
            }
        );
        assert_eq!(found["half"].initial, Some(0.5_f32.to_le_bytes().to_vec()));
        assert_eq!(found.len(), 3);
        let managed = scan(".visible .global .attribute(.managed) .align 4 .u32 shared = 3;");
        assert!(managed.variables["shared"].managed && !found["counter"].managed);
    }

    #[test]
    fn names_belong_to_their_file_to_all_or_to_another() {
        let found = scan(
            ".extern .func (.param .b32 r) _Z6weighti(.param .b32 p);
            .visible .func alone() { ret; }
            .extern .func twice(); .weak .func twice() { ret; }
            .func own() { ret; }
            .extern .const .align 4 .b8 table[64]; .weak .global .b32 common; .global .b32 mine;
            .entry hidden() { ret; }",
        );
        let functions: Vec<_> = found.functions.into_iter().collect();
        let named = |name: &str, linkage| (name.to_owned(), linkage);
        let expected = [
            named("_Z6weighti", Linkage::Extern),
            named("alone", Linkage::Visible),
            named("own", Linkage::Own),
            named("twice", Linkage::Weak),
        ];
        assert_eq!(functions, expected);
        let linkages = ["table", "common", "mine"].map(|name| found.variables[name].linkage);
        assert_eq!(linkages, [Linkage::Extern, Linkage::Weak, Linkage::Own]);
        assert_eq!(found.kernels["hidden"].linkage, Linkage::Own);
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
