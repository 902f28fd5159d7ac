//! The form of a tree: calls, the values that they are given, and where these come from. Data only.

use migfit_schema::site::Site;

/// A call that sizes belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTree {
    /// Where it stands.
    pub site: Site,
    /// The call, or the kernel that it launches.
    pub call: String,
    /// Its sizes.
    pub sizes: Vec<Node>,
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The value's name; none where it is what stands above it.
    pub name: Option<String>,
    /// What it is made of, or where it is read.
    pub text: String,
    /// What it held.
    pub seen: Option<ValueSeen>,
    /// The place of what it is made by.
    pub site: Option<Site>,
    /// What kind of thing gave it.
    pub origin: Origin,
    /// What it is made from.
    pub from: Vec<Node>,
}

/// What a value held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSeen {
    /// At first.
    pub first: String,
    /// At last.
    pub last: String,
    /// How often it was computed.
    pub times: u64,
    /// Whether it was not known at some time.
    pub unknown: bool,
}

/// What kind of thing gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An expression over other values.
    Expression,
    /// A loop's variable, or a choice between ways.
    Choice,
    /// A function outside the program: the command line, a file, the device.
    Input,
    /// What a caller gives.
    Parameter,
    /// Memory that the program wrote before.
    Memory,
    /// It stands above.
    Above,
    /// The tree is cut here.
    Cut,
}
