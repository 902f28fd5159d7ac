//! The real nvcc's command: as the user's, but for the host compiler that it starts and, for the virtual GPU, what
//! programs for it need. Pure: words and variables in, words and variables out.

use super::words;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// nvcc's own variables.
pub const PREPEND: &str = "NVCC_PREPEND_FLAGS";
/// Behind the command line.
pub const APPEND: &str = "NVCC_APPEND_FLAGS";
/// The host compiler where nothing else names one.
pub const CCBIN: &str = "NVCC_CCBIN";

/// What the user's nvcc would have seen.
#[derive(Debug, Default)]
pub struct Before {
    /// The words behind its name.
    pub words: Vec<OsString>,
    /// NVCC_PREPEND_FLAGS.
    pub prepended: Option<OsString>,
    /// NVCC_APPEND_FLAGS without ours.
    pub appended: Option<OsString>,
    /// NVCC_CCBIN.
    pub ccbin: Option<OsString>,
    /// The host compiler that nvcc.profile names.
    pub profiles: Option<OsString>,
}

/// What we want of it.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// Stands for the host compiler.
    pub ours: &'a Path,
    /// The same under the name of the compiler that the command names, where one lasts: CMake keeps what nvcc shows.
    pub lasting: Option<&'a Path>,
    /// Whether clang is to be the host compiler.
    pub clang: bool,
    /// Whether programs are for the virtual GPU.
    pub for_virtual_gpu: bool,
}

/// What the real nvcc gets.
#[derive(Debug, PartialEq, Eq)]
pub struct After {
    /// The words behind its name.
    pub words: Vec<OsString>,
    /// Its variables, with their values.
    pub set: Vec<(&'static str, OsString)>,
    /// The host compiler that the user's command names, where we stand in its place.
    pub users: Option<OsString>,
    /// Whether it may fail where the user's own would not.
    pub adds: bool,
}

impl Before {
    /// All words, in nvcc's order, files of options read.
    pub fn all(&self) -> Vec<OsString> {
        let mut all = self.prepended.as_deref().map(split).unwrap_or_default();
        all.extend(words::expanded(&self.words));
        all.extend(self.appended.as_deref().map(split).unwrap_or_default());
        all
    }

    /// As the user's own, with nothing of ours.
    pub fn unchanged(&self) -> After {
        After {
            words: self.words.clone(),
            set: self.variables(),
            users: None,
            adds: false,
        }
    }

    fn variables(&self) -> Vec<(&'static str, OsString)> {
        let all = [
            (PREPEND, &self.prepended),
            (APPEND, &self.appended),
            (CCBIN, &self.ccbin),
        ];
        let set = all.into_iter();
        set.filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect()
    }

    /// With what we want of it.
    pub fn with(&self, wish: Wish<'_>) -> After {
        let all = self.all();
        if !words::is_for_the_host(&all) {
            return self.unchanged();
        }
        let mut after = self.unchanged();
        let named = words::host_compiler(&all);
        // What nvcc shows is kept by build systems, for links too: it must be there, and the same, after the build.
        let ours = match wish.clang || !words::is_shown(&all) {
            true => Some(wish.ours),
            false => wish.lasting,
        };
        if let Some(ours) = ours {
            self.put_ours(&mut after, Wish { ours, ..wish }, named.as_ref());
        }
        if wish.for_virtual_gpu {
            append(&mut after, "-cudart shared");
            if words::takes_more_device_code(&all) {
                append(&mut after, "-gencode arch=compute_80,code=compute_80");
            }
            after.adds = true;
        }
        after
    }

    fn put_ours(&self, after: &mut After, wish: Wish<'_>, named: Option<&OsString>) {
        let ours = wish.ours;
        after.words = words::with_host_compiler(&self.words, ours);
        for (name, value) in &mut after.set {
            *value = match *name {
                CCBIN => ours.into(),
                _ => words::with_host_compiler(&split(value), ours).join(OsStr::new(" ")),
            };
        }
        after.users = named
            .or(self.ccbin.as_ref())
            .or(self.profiles.as_ref())
            .cloned();
        let changed = after.words != self.words || after.set != self.variables();
        // Without a name nvcc finds its compiler in PATH, where we are; one in a file of options is overruled.
        if wish.clang {
            after.words.push("-allow-unsupported-compiler".into());
        }
        if !changed && (wish.clang || after.users.is_some()) {
            after.words.extend(["-ccbin".into(), ours.into()]);
        }
        after.adds |= wish.clang;
    }
}

fn append(after: &mut After, flags: &str) {
    match after.set.iter_mut().find(|(name, _)| *name == APPEND) {
        Some((_, value)) => value.push(format!(" {flags}")),
        None => after.set.push((APPEND, flags.into())),
    }
}

/// As nvcc reads its variables: at white space, without quotes.
pub fn split(text: &OsStr) -> Vec<OsString> {
    let words = text.as_bytes().split(|byte| byte.is_ascii_whitespace());
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| OsStr::from_bytes(word).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(text: &str) -> Before {
        Before {
            words: split(text.as_ref()),
            ..Before::default()
        }
    }

    fn wish(clang: bool, for_virtual_gpu: bool) -> Wish<'static> {
        Wish {
            ours: Path::new("/m"),
            lasting: None,
            clang,
            for_virtual_gpu,
        }
    }

    fn shown(after: &After) -> String {
        let text = after.words.join(OsStr::new(" "));
        let set = after
            .set
            .iter()
            .map(|(name, value)| format!(" {name}={}", value.display()));
        format!("{}{}", text.display(), set.collect::<String>())
    }

    #[test]
    fn the_user_s_command_stays_but_for_its_host_compiler() {
        let user = |text: &str| shown(&before(text).with(wish(false, false)));
        assert_eq!(user("-c a.cu"), "-c a.cu");
        assert_eq!(user("-c a.cu -ccbin g++-11"), "-c a.cu -ccbin /m");
        assert_eq!(user("-v -c a.cu -ccbin g++-11"), "-v -c a.cu -ccbin g++-11");
        assert_eq!(user("--version"), "--version");
    }

    #[test]
    fn a_compiler_that_is_shown_is_ours_where_ours_lasts() {
        let lasting = Wish {
            lasting: Some(Path::new("/kept/g++")),
            ..wish(false, false)
        };
        let user = |text: &str| shown(&before(text).with(lasting));
        assert_eq!(
            user("-v -c a.cu -ccbin=/usr/bin/g++"),
            "-v -c a.cu -ccbin=/kept/g++"
        );
        assert_eq!(user("-c a.cu -ccbin=/usr/bin/g++"), "-c a.cu -ccbin=/m");
        assert_eq!(user("--dryrun a.cu -ccbin g++"), "--dryrun a.cu -ccbin g++");
    }

    #[test]
    fn variables_and_nvcc_s_own_settings_name_host_compilers_too() {
        let mut from = before("-c a.cu");
        from.ccbin = Some("g++-10".into());
        let after = from.with(wish(false, false));
        assert_eq!(shown(&after), "-c a.cu NVCC_CCBIN=/m");
        assert_eq!(after.users, Some("g++-10".into()));
        from.appended = Some("-ccbin g++-11 -lineinfo".into());
        let after = from.with(wish(false, false));
        let expected = "-c a.cu NVCC_APPEND_FLAGS=-ccbin /m -lineinfo NVCC_CCBIN=/m";
        assert_eq!(
            (shown(&after).as_str(), after.users),
            (expected, Some("g++-11".into()))
        );
        let mut from = before("-c a.cu");
        from.profiles = Some("/usr/lib/x".into());
        let after = from.with(wish(false, false));
        assert_eq!(shown(&after), "-c a.cu -ccbin /m");
        assert_eq!(after.users, Some("/usr/lib/x".into()));
    }

    #[test]
    fn clang_is_named_once() {
        let clang = |text: &str| shown(&before(text).with(wish(true, false)));
        assert_eq!(
            clang("-c a.cu"),
            "-c a.cu -allow-unsupported-compiler -ccbin /m"
        );
        assert_eq!(
            clang("-ccbin g++ a.cu"),
            "-ccbin /m a.cu -allow-unsupported-compiler"
        );
        assert_eq!(clang("-ptx a.cu"), "-ptx a.cu");
    }

    #[test]
    fn the_virtual_gpu_s_needs_go_behind_the_user_s_own() {
        let mut from = before("-c a.cu");
        from.appended = Some("-DX".into());
        let after = from.with(wish(false, true));
        let expected =
            "-c a.cu NVCC_APPEND_FLAGS=-DX -cudart shared -gencode arch=compute_80,code=compute_80";
        assert_eq!(shown(&after), expected);
        assert!(after.adds);
        for text in ["-cubin a.cu", "-ptx a.cu", "-fatbin a.cu"] {
            assert_eq!(shown(&before(text).with(wish(false, true))), text);
        }
        let lto = before("-dlto -c a.cu").with(wish(false, true));
        assert_eq!(
            shown(&lto),
            "-dlto -c a.cu NVCC_APPEND_FLAGS=-cudart shared"
        );
    }
}
