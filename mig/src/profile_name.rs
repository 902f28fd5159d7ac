//! Name of a MIG profile, `[Cc.]Gg.Mgb[+attribute]`, or `whole-gpu` for a GPU that is not divided: text in, value out
//! and back.
//! Knows nothing of any GPU model: the same name means different things on different boards.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a MIG profile adds to, or takes from, the plain one of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribute {
    /// `+me`: the media extensions.
    Media,
    /// `+me.all`: all media engines of the GPU.
    AllMedia,
    /// `-me`: no media engines.
    NoMedia,
    /// `+gfx`: graphics.
    Graphics,
}

impl Attribute {
    const ALL: [Attribute; 4] = [
        Attribute::Media,
        Attribute::AllMedia,
        Attribute::NoMedia,
        Attribute::Graphics,
    ];

    /// As it stands at the end of a name.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Attribute::Media => "+me",
            Attribute::AllMedia => "+me.all",
            Attribute::NoMedia => "-me",
            Attribute::Graphics => "+gfx",
        }
    }
}

/// Name of a MIG profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileName {
    /// SM slices of the GPU instance.
    pub slices: u32,
    /// Nominal GB, as rounded by the driver: never a size to compute with.
    pub gb: u32,
    /// SM slices of the compute instance where that is smaller than its GPU instance.
    pub compute: Option<u32>,
    /// Attribute, where there is one.
    pub attribute: Option<Attribute>,
}

/// How the one slice of an undivided GPU is written.
const WHOLE_GPU: &str = "whole-gpu";

impl ProfileName {
    /// The one slice of a GPU that is not divided (no MIG, or MIG mode off). No MIG profile has no SM slices, so it
    /// is told apart from all of them.
    pub const WHOLE_GPU: ProfileName = ProfileName {
        slices: 0,
        gb: 0,
        compute: None,
        attribute: None,
    };

    /// A name without compute part or attribute.
    #[must_use]
    pub fn plain(slices: u32, gb: u32) -> ProfileName {
        ProfileName {
            slices,
            gb,
            compute: None,
            attribute: None,
        }
    }
}

/// The text is no name of a MIG profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no MIG profile: write it like 1g.5gb, 3g.20gb+me or 1c.3g.20gb")]
pub struct BadProfileName {
    /// What was given.
    pub text: String,
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == ProfileName::WHOLE_GPU {
            return f.pad(WHOLE_GPU);
        }
        let compute = self.compute.map(|c| format!("{c}c.")).unwrap_or_default();
        let suffix = self.attribute.map_or("", Attribute::suffix);
        f.pad(&format!("{compute}{}g.{}gb{suffix}", self.slices, self.gb))
    }
}

impl FromStr for ProfileName {
    type Err = BadProfileName;

    fn from_str(text: &str) -> Result<ProfileName, BadProfileName> {
        parse(text).ok_or_else(|| BadProfileName {
            text: text.to_owned(),
        })
    }
}

fn parse(text: &str) -> Option<ProfileName> {
    if text == WHOLE_GPU {
        return Some(ProfileName::WHOLE_GPU);
    }
    let (compute, rest) = match text.split_once("c.") {
        Some((count, rest)) => (Some(number(count)?), rest),
        None => (None, text),
    };
    let (slices, rest) = rest.split_once("g.")?;
    let (gb, suffix) = rest.split_once("gb")?;
    let attribute = match suffix {
        "" => None,
        _ => Some(Attribute::ALL.into_iter().find(|a| a.suffix() == suffix)?),
    };
    Some(ProfileName {
        slices: number(slices)?,
        gb: number(gb)?,
        compute,
        attribute,
    })
}

/// Plain decimal digits without sign or leading zero, from 1: so that printing gives the same text back.
fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}

impl TryFrom<String> for ProfileName {
    type Error = BadProfileName;

    fn try_from(text: String) -> Result<ProfileName, BadProfileName> {
        text.parse()
    }
}

impl From<ProfileName> for String {
    fn from(name: ProfileName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_name_is_read() {
        let all: ProfileName = "1c.3g.20gb+me.all".parse().unwrap();
        assert_eq!((all.compute, all.slices, all.gb), (Some(1), 3, 20));
        assert_eq!(all.attribute, Some(Attribute::AllMedia));
        assert_eq!("7g.40gb".parse(), Ok(ProfileName::plain(7, 40)));
        let none: ProfileName = "2g.48gb-me".parse().unwrap();
        assert_eq!(none.attribute, Some(Attribute::NoMedia));
    }

    #[test]
    fn the_undivided_gpu_has_a_name_of_its_own() {
        assert_eq!(ProfileName::WHOLE_GPU.to_string(), "whole-gpu");
        assert_eq!("whole-gpu".parse(), Ok(ProfileName::WHOLE_GPU));
    }

    #[test]
    fn what_is_no_name_is_refused_by_name() {
        for text in [
            "",
            "1g",
            "g.gb",
            "01g.5gb",
            "1g.5gb+",
            "1g.5gb+xx",
            "1g.5GB",
            "+1g.5gb",
            "1g.5gb ",
        ] {
            let error = text.parse::<ProfileName>().unwrap_err();
            assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_name_survives_printing(
            slices in 1u32.., gb in 1u32.., compute in proptest::option::of(1u32..), attribute in 0usize..5,
        ) {
            let attribute = Attribute::ALL.get(attribute).copied();
            let name = ProfileName { slices, gb, compute, attribute };
            prop_assert_eq!(name.to_string().parse::<ProfileName>(), Ok(name));
        }

        #[test]
        fn any_text_is_refused_or_survives_printing(text in "([0-9]{1,3}c\\.)?[0-9]{0,3}g?\\.[0-9]{0,3}(gb)?([+-][a-z.]{0,6})?") {
            if let Ok(name) = text.parse::<ProfileName>() {
                prop_assert_eq!(name.to_string(), text);
            }
        }
    }
}
