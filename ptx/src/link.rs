//! The outlines of a program's device files (`nvcc -rdc=true`) -> the outline of the whole: each name is one thing, and
//! what one file takes from another must be there. Pure.

use super::outline::{Linkage, Outline};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Why device files do not make a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A name that no file defines.
    #[error(
        "no device file with PTX defines '{0}', which another one uses; build all of them, libraries too, with \
         `migfit build --virtual -- YOUR BUILD`"
    )]
    Undefined(String),
    /// A name that several files define.
    #[error("more than one device file defines '{0}'")]
    Twice(String),
}

/// Links device files; one alone is a whole, too, if it takes nothing from others.
///
/// # Errors
/// When a name is defined nowhere, or twice.
pub fn link(files: Vec<Outline>) -> Result<Outline, LinkError> {
    let mut whole = Outline::default();
    let mut needed = Vec::new();
    let (mut kernels, mut variables, mut functions) = (Files::new(), Files::new(), Files::new());
    for (file, outline) in files.into_iter().enumerate() {
        for (name, kernel) in outline.kernels {
            let linkage = kernel.linkage;
            add(
                (&mut whole.kernels, &mut kernels),
                name,
                kernel,
                linkage,
                file,
            )?;
        }
        for (name, variable) in outline.variables {
            match variable.linkage {
                Linkage::Extern => needed.push(name),
                linkage => add(
                    (&mut whole.variables, &mut variables),
                    name,
                    variable,
                    linkage,
                    file,
                )?,
            }
        }
        for (name, linkage) in outline.functions {
            match linkage {
                Linkage::Extern => needed.push(name),
                linkage => add(
                    (&mut whole.functions, &mut functions),
                    name,
                    linkage,
                    linkage,
                    file,
                )?,
            }
        }
        whole.target = whole.target.max(outline.target);
    }
    let missing = needed.into_iter().find(|name| {
        let variable = whole.variables.get(name).map(Linked::linkage);
        let found = variable.or_else(|| whole.functions.get(name).copied());
        found.is_none_or(|linkage| linkage == Linkage::Own) && !is_the_systems(name)
    });
    missing.map_or(Ok(whole), |name| Err(LinkError::Undefined(name)))
}

/// Functions that a driver brings along, and those of the device runtime (`libcudadevrt`), which is machine code.
fn is_the_systems(name: &str) -> bool {
    let of_driver = ["vprintf", "malloc", "free", "__assertfail"];
    of_driver.contains(&name) || name.starts_with("cuda") || name.starts_with("__cuda")
}

/// The name that a file's own second thing of a name has in the whole: nobody can ask for it by a name of PTX.
#[must_use]
pub fn apart(name: &str, file: usize) -> String {
    format!("{name}@{file}")
}

/// The file that each name's definition is from.
type Files = BTreeMap<String, usize>;

/// Adds a definition. A file's own second thing of a name that the whole has keeps apart from it.
fn add<T>(
    (known, files): (&mut BTreeMap<String, T>, &mut Files),
    name: String,
    thing: T,
    linkage: Linkage,
    file: usize,
) -> Result<(), LinkError>
where
    T: Linked,
{
    match known.entry(name) {
        Entry::Vacant(room) => {
            files.insert(room.key().clone(), file);
            room.insert(thing);
        }
        Entry::Occupied(there) => {
            let (name, before) = (there.key().clone(), there.get().linkage());
            match (before, linkage) {
                (_, Linkage::Own) => drop(known.insert(apart(&name, file), thing)),
                (Linkage::Own, _) => {
                    let owner = files.insert(name.clone(), file).unwrap_or(file);
                    if let Some(own) = known.insert(name.clone(), thing) {
                        known.insert(apart(&name, owner), own);
                    }
                }
                (Linkage::Visible, Linkage::Visible) => return Err(LinkError::Twice(name)),
                (_, Linkage::Visible) => {
                    files.insert(name.clone(), file);
                    known.insert(name, thing);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Something with a name that other files may know.
trait Linked {
    fn linkage(&self) -> Linkage;
}

impl Linked for Linkage {
    fn linkage(&self) -> Linkage {
        *self
    }
}

impl Linked for super::outline::KernelOutline {
    fn linkage(&self) -> Linkage {
        self.linkage
    }
}

impl Linked for super::outline::Variable {
    fn linkage(&self) -> Linkage {
        self.linkage
    }
}

#[cfg(test)]
mod tests {
    use super::super::outline::scan;
    use super::*;
    use proptest::prelude::*;

    const USER: &str = ".version 8.0
.target sm_80
.extern .func (.param .b32 r) weight(.param .b32 p);
.extern .func vprintf();
.extern .const .align 4 .b8 table[64];
.global .b8 $str[3];
.visible .entry weigh(.param .u64 a) { ret; }
.weak .entry shared_template(.param .u32 a) { ret; }
";
    const OWNER: &str = ".version 8.0
.target sm_80
.visible .func (.param .b32 r) weight(.param .b32 p) { ret; }
.visible .const .align 4 .b8 table[64] = {7};
.global .b8 $str[5];
.weak .entry shared_template(.param .u32 a) { ret; }
";

    fn linked(texts: &[&str]) -> Result<Outline, LinkError> {
        link(texts.iter().map(|text| scan(text)).collect())
    }

    #[test]
    fn a_name_is_one_thing_and_files_keep_what_is_their_own() {
        for order in [[USER, OWNER], [OWNER, USER]] {
            let whole = linked(&order).unwrap();
            let kernels: Vec<_> = whole.kernels.keys().map(String::as_str).collect();
            assert_eq!(kernels, ["shared_template", "weigh"]);
            let table = &whole.variables["table"];
            assert_eq!(
                (table.bytes, table.initial.as_deref()),
                (64, Some(&[7][..]))
            );
            let mut own: Vec<_> = whole
                .variables
                .iter()
                .filter(|(name, _)| name.starts_with('$'))
                .map(|(_, one)| one.bytes)
                .collect();
            own.sort_unstable();
            assert_eq!((own.as_slice(), whole.target), (&[3, 5][..], Some(80)));
        }
    }

    #[test]
    fn a_file_s_own_thing_that_gives_way_keeps_its_file_s_number() {
        let own = ".version 8.0\n.target sm_80\n.global .b32 table = 1;";
        let whole = linked(&[own, OWNER, ".global .b32 table = 2;"]).unwrap();
        let first = |name: &str| whole.variables[name].initial.clone().unwrap()[0];
        let names = [apart("table", 0), "table".to_owned(), apart("table", 2)];
        assert_eq!(names.map(|name| first(&name)), [1, 7, 2]);
    }

    #[test]
    fn what_no_file_defines_or_two_do_is_named() {
        let missing = |name: &str| Err(LinkError::Undefined(name.to_owned()));
        assert_eq!(linked(&[USER]), missing("table"));
        let without_function = OWNER.replace("weight", "other");
        assert_eq!(linked(&[USER, &without_function]), missing("weight"));
        assert_eq!(
            linked(&[OWNER, OWNER]),
            Err(LinkError::Twice("table".to_owned()))
        );
        assert!(linked(&[".extern .func cudaCGSynchronize(); .extern .func malloc();"]).is_ok());
    }

    proptest! {
        #[test]
        fn no_files_make_it_panic(cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..5)) {
            let texts = cuts.iter().map(|(cut, user)| {
                let text = if *user { USER } else { OWNER };
                &text[..cut.index(text.len())]
            });
            let _ = linked(&texts.collect::<Vec<_>>());
        }
    }
}
