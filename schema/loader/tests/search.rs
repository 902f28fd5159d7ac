//! Against the dynamic loader itself: programs in folders of all kinds, listed by it (LD_TRACE_LOADED_OBJECTS) and by us.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use migfit_loader::{Dynamic, Needed, Places, is_system, needed, not_looked_into};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder in which things are built.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for name in ["one", "two", "bin"] {
            std::fs::create_dir(folder.path(name)).unwrap();
        }
        std::fs::write(
            folder.path("main.c"),
            "int a(void); int main(void) { return a(); }\n",
        )
        .unwrap();
        std::fs::write(
            folder.path("a.c"),
            "int b(void); int a(void) { return b(); }\n",
        )
        .unwrap();
        std::fs::write(folder.path("b.c"), "int b(void) { return 0; }\n").unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn cc(&self, words: &str) -> &Folder {
        let here = self.0.path().display().to_string();
        let words = words.replace("HERE", &here);
        let made = Command::new("gcc")
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        self
    }

    /// What both say of `bin/main`, started in this folder.
    fn agree(&self, library_path: Option<&str>) -> Vec<Needed> {
        let library_path =
            library_path.map(|list| list.replace("HERE", &self.0.path().display().to_string()));
        let program = self.path("bin/main");
        let dynamic = Dynamic::read(&*std::fs::read(&program).unwrap()).unwrap();
        let places = Places::new(self.0.path(), library_path.as_deref().map(AsRef::as_ref));
        let ours = needed(&program, &dynamic, &places, |_| None);
        let mut traced = Command::new(&program);
        traced
            .env_remove("LD_LIBRARY_PATH")
            .env("LD_TRACE_LOADED_OBJECTS", "1")
            .current_dir(self.0.path());
        traced.envs(library_path.map(|list| ("LD_LIBRARY_PATH", list)));
        let theirs = listed(&traced.output().unwrap(), self.0.path());
        let paths = ours.iter().map(|one| (one.name.clone(), one.path.clone()));
        assert_eq!(paths.collect::<Vec<_>>(), theirs);
        ours
    }
}

/// `libx.so => /path (0x...)`, `libx.so => not found`, or a path alone.
fn listed(output: &Output, folder: &Path) -> Vec<(String, Option<PathBuf>)> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text
        .lines()
        .map(|line| line.trim().split(" (0x").next().unwrap());
    let parsed = lines.map(|line| match line.split_once(" => ") {
        Some((name, "not found")) => (name, None),
        Some((name, path)) => (name, Some(folder.join(path))),
        None => (line, Some(folder.join(line))),
    });
    let own = parsed.filter(|(name, _)| !is_system(name) && !name.starts_with("linux-vdso"));
    own.map(|(name, path)| (name.to_owned(), path)).collect()
}

fn same(found: &Option<PathBuf>, expected: &Path) -> bool {
    found
        .as_ref()
        .is_some_and(|found| found.canonicalize().unwrap() == expected.canonicalize().unwrap())
}

#[test]
fn runpath_with_origin_and_the_library_s_own() {
    let folder = Folder::new();
    folder
        .cc("-shared -fPIC b.c -o two/libb.so")
        .cc("-shared -fPIC a.c -Ltwo -lb -Wl,-rpath,$ORIGIN/../two -o one/liba.so")
        .cc("main.c -Lone -la -Wl,--allow-shlib-undefined -Wl,-rpath,${ORIGIN}/../one -o bin/main");
    let found = folder.agree(None);
    assert!(same(&found[0].path, &folder.path("one/liba.so")));
    assert!(same(&found[1].path, &folder.path("two/libb.so")));
}

#[test]
fn rpath_is_handed_down_and_runpath_is_not() {
    for (tags, found_b) in [("--disable-new-dtags", true), ("--enable-new-dtags", false)] {
        let folder = Folder::new();
        folder
            .cc("-shared -fPIC b.c -o two/libb.so")
            .cc("-shared -fPIC a.c -Ltwo -lb -o one/liba.so")
            .cc(&format!(
                "main.c -Lone -la -Wl,--allow-shlib-undefined -Wl,{tags} -Wl,-rpath,HERE/one:HERE/two -o bin/main"
            ));
        assert_eq!(folder.agree(None)[1].path.is_some(), found_b, "{tags}");
    }
}

#[test]
fn the_library_path_goes_before_runpath_and_behind_rpath() {
    for (tags, expected) in [
        ("--disable-new-dtags", "one/libb.so"),
        ("--enable-new-dtags", "two/libb.so"),
    ] {
        let folder = Folder::new();
        folder
            .cc("-shared -fPIC b.c -o two/libb.so")
            .cc("-shared -fPIC b.c -o one/libb.so")
            .cc(&format!(
                "-Da=b main.c -Lone -lb -Wl,{tags} -Wl,-rpath,HERE/one -o bin/main"
            ));
        assert!(
            same(
                &folder.agree(Some("HERE/two"))[0].path,
                &folder.path(expected)
            ),
            "{tags}"
        );
    }
}

#[test]
fn sonames_paths_and_absences() {
    let folder = Folder::new();
    folder
        .cc("-shared -fPIC -Wl,-soname,libb.so.1 b.c -o one/libb.so")
        .cc("-shared -fPIC a.c one/libb.so -o two/liba.so")
        .cc("main.c two/liba.so -Wl,--allow-shlib-undefined -o bin/main");
    // two/liba.so is needed by its path, from the folder of the start; libb.so.1 is nowhere.
    let found = folder.agree(None);
    assert_eq!(
        (found[0].name.as_str(), &found[1].path),
        ("two/liba.so", &None)
    );
    std::fs::rename(folder.path("one/libb.so"), folder.path("one/libb.so.1")).unwrap();
    assert!(folder.agree(Some("one"))[1].path.is_some());
}

#[test]
fn what_only_an_unseen_library_needs_is_not_asked_for() {
    let of = |needed_by| Needed {
        name: String::new(),
        path: None,
        needed_by,
    };
    let all = [of(None), of(None), of(Some(0)), of(Some(1))];
    let unseen: Vec<_> = not_looked_into(&all, &[true, false, false, false]).collect();
    assert_eq!(unseen, [&all[1], &all[2]]);
}
