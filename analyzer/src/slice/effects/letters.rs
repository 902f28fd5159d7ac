//! The words in which the tables of library functions are written: what a call does with each argument, what it
//! returns, and which hidden state it keeps. Knows no function by name.

/// What a call does with one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Only the value matters.
    Value,
    /// What it points to is read.
    Reads,
    /// What it points to is written.
    Writes,
    /// Both.
    Both,
    /// A pointer into what the first argument points to is stored there (strtol's end).
    StoresFirst,
    /// A pointer to fresh memory is stored there (cudaMalloc, posix_memalign).
    StoresFresh,
    /// A function that is called back (qsort's comparison).
    Calls,
    /// A `std::string` is read: itself and the characters that it points to.
    Text,
    /// A `std::string` is read and written, its characters too; it may be given new memory.
    TextBoth,
    /// Nodes of a tree or a list, and all that they lead to, are read and linked with each other.
    Links,
    /// Nodes are followed, and all that they lead to is read.
    Follows,
    /// The pointer itself is stored in what the first argument points to.
    KeptInFirst,
}

/// What a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A plain value.
    Value,
    /// A pointer to fresh memory (malloc, fopen).
    Fresh,
    /// A pointer into what this argument points to.
    Into(usize),
    /// A CUDA status: taken as success, without a need of the arguments.
    Status,
    /// What the object that this argument points to holds as a pointer.
    Behind(usize),
    /// Any of the nodes that the arguments lead to.
    Reached,
    /// A pointer to hidden memory that the call itself fills (getenv, strtok's last string).
    Hidden,
    /// Where `errno` lies.
    Errno,
}

/// State that a call keeps outside its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// rand and srand.
    Random,
    /// drand48 and its family.
    Random48,
    /// getopt and its globals.
    Options,
    /// strtok.
    Token,
    /// Files by number and by name (open, read, lseek; fopen, rename, chdir).
    Descriptors,
    /// The environment's variables.
    Environment,
    /// Exceptions that are on their way or caught.
    Exceptions,
    /// Threads that were started and what they returned.
    Threads,
    /// Files that were written, of those that are read.
    Files,
    /// `errno`, which is only written.
    Errno,
}

impl State {
    /// Every kind.
    pub const ALL: [State; 10] = [
        State::Random,
        State::Random48,
        State::Options,
        State::Token,
        State::Descriptors,
        State::Environment,
        State::Exceptions,
        State::Threads,
        State::Files,
        State::Errno,
    ];
}

/// What a function outside the program does.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// One letter an argument; the last repeats for further ones.
    letters: &'static str,
    /// What comes back.
    pub returns: Returns,
    /// Hidden state, read and written.
    pub state: Option<State>,
    /// True for output, timing and the like: never kept for an effect.
    pub dropped: bool,
}

impl Effect {
    /// What it does with an argument.
    pub fn of_argument(&self, index: usize) -> Use {
        let letter = self
            .letters
            .as_bytes()
            .get(index)
            .or(self.letters.as_bytes().last());
        match letter {
            Some(b'r') => Use::Reads,
            Some(b'w') => Use::Writes,
            Some(b'b') => Use::Both,
            Some(b'e') => Use::StoresFirst,
            Some(b'm') => Use::StoresFresh,
            Some(b'f') => Use::Calls,
            Some(b't') => Use::Text,
            Some(b's') => Use::TextBoth,
            Some(b'l') => Use::Links,
            Some(b'n') => Use::Follows,
            Some(b'1') => Use::KeptInFirst,
            _ => Use::Value,
        }
    }
}

/// A row without hidden state.
pub const fn plain(letters: &'static str, returns: Returns) -> Effect {
    Effect {
        letters,
        returns,
        state: None,
        dropped: false,
    }
}

/// A row with hidden state.
pub const fn stateful(letters: &'static str, returns: Returns, state: State) -> Effect {
    Effect {
        letters,
        returns,
        state: Some(state),
        dropped: false,
    }
}

/// The row of output, timing and the like.
pub const DROPPED: Effect = Effect {
    letters: "-",
    returns: Returns::Value,
    state: None,
    dropped: true,
};
