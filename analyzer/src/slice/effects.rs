//! What a function outside the program reads, writes and returns: a table by name. Worth more than its
//! models in `sizes`: a missing row makes everything reachable from the arguments written.

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
    /// A pointer to hidden memory that the call itself fills (getenv, strtok's last string).
    Hidden,
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
    /// The device chosen.
    Device,
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
            _ => Use::Value,
        }
    }
}

const fn plain(letters: &'static str, returns: Returns) -> Effect {
    Effect {
        letters,
        returns,
        state: None,
        dropped: false,
    }
}

const fn stateful(letters: &'static str, returns: Returns, state: State) -> Effect {
    Effect {
        letters,
        returns,
        state: Some(state),
        dropped: false,
    }
}

const DROPPED: Effect = Effect {
    letters: "-",
    returns: Returns::Value,
    state: None,
    dropped: true,
};

/// The effect of a function, when it has a row.
#[expect(clippy::too_many_lines, reason = "one table")]
pub fn effect(name: &str) -> Option<Effect> {
    let name = name
        .strip_prefix("__isoc99_")
        .or(name.strip_prefix("__isoc23_"))
        .unwrap_or(name);
    Some(match name {
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" => {
            plain("re-", Returns::Value)
        }
        "atoi" | "atol" | "atoll" | "atof" => plain("r", Returns::Value),
        "malloc" | "_Znwm" | "_Znam" | "valloc" | "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" => {
            plain("-", Returns::Fresh)
        }
        "calloc" | "aligned_alloc" | "memalign" => plain("--", Returns::Fresh),
        "realloc" => plain("r-", Returns::Fresh),
        "posix_memalign" => plain("m--", Returns::Value),
        "strlen" | "strnlen" => plain("r-", Returns::Value),
        "strcmp" | "strcasecmp" | "strncmp" | "strncasecmp" | "memcmp" | "bcmp" | "strspn"
        | "strcspn" => plain("rr-", Returns::Value),
        "strcpy" | "strncpy" | "stpcpy" | "memcpy" | "memmove" | "mempcpy" => {
            plain("wr-", Returns::Into(0))
        }
        "strcat" | "strncat" => plain("br-", Returns::Into(0)),
        "memset" => plain("w--", Returns::Into(0)),
        "strdup" | "strndup" => plain("r-", Returns::Fresh),
        "strchr" | "strrchr" | "index" | "rindex" | "memchr" | "strstr" | "strpbrk" => {
            plain("rr-", Returns::Into(0))
        }
        "strtok" => stateful("br", Returns::Into(0), State::Token),
        "strtok_r" => plain("brb", Returns::Into(0)),
        "fopen" | "fopen64" | "fdopen" => plain("rr", Returns::Fresh),
        "fclose" | "free" | "cfree" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => DROPPED,
        "fgets" => plain("w-b", Returns::Into(0)),
        "fscanf" => plain("brw", Returns::Value),
        "sscanf" => plain("rrw", Returns::Value),
        "fread" => plain("w--b", Returns::Value),
        "fseek" | "fseeko" => plain("b--", Returns::Value),
        "rewind" | "ftell" | "ftello" | "fgetc" | "getc" | "_IO_getc" | "clearerr" => {
            plain("b", Returns::Value)
        }
        "feof" | "ferror" | "fileno" => plain("r", Returns::Value),
        "ungetc" => plain("-b", Returns::Value),
        "getline" => plain("mwb", Returns::Value),
        "sprintf" => plain("wr", Returns::Value),
        "snprintf" => plain("w-r", Returns::Value),
        "__sprintf_chk" => plain("w--r", Returns::Value),
        "__snprintf_chk" => plain("w---r", Returns::Value),
        "getopt" => stateful("-rr", Returns::Value, State::Options),
        "getopt_long" | "getopt_long_only" => stateful("-rrrw", Returns::Value, State::Options),
        "getenv" | "secure_getenv" => plain("r", Returns::Hidden),
        "srand" => stateful("-", Returns::Value, State::Random),
        "rand" | "random" => stateful("-", Returns::Value, State::Random),
        "srandom" => stateful("-", Returns::Value, State::Random),
        "rand_r" => plain("b", Returns::Value),
        "srand48" | "drand48" | "lrand48" | "mrand48" => {
            stateful("-", Returns::Value, State::Random48)
        }
        "time" => plain("w", Returns::Value),
        "gettimeofday" | "clock_gettime" | "times" => plain("ww", Returns::Value),
        "printf"
        | "puts"
        | "putchar"
        | "fprintf"
        | "fputs"
        | "fputc"
        | "putc"
        | "fwrite"
        | "fflush"
        | "perror"
        | "vprintf"
        | "vfprintf"
        | "__printf_chk"
        | "__fprintf_chk"
        | "setbuf"
        | "setvbuf"
        | "usleep"
        | "sleep"
        | "__cxa_atexit"
        | "atexit"
        | "_ZNSt8ios_base4InitC1Ev"
        | "_ZNSt8ios_base4InitD1Ev"
        | "syscall" => DROPPED,
        "clock"
        | "abs"
        | "labs"
        | "getpid"
        | "isatty"
        | "toupper"
        | "tolower"
        | "isdigit"
        | "isspace"
        | "isalpha"
        | "__errno_location"
        | "strerror"
        | "omp_get_wtime"
        | "omp_get_max_threads" => plain("-", Returns::Value),
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" => {
            plain("-", Returns::Hidden)
        }
        "__cxa_guard_acquire" => plain("b", Returns::Value),
        "__cxa_guard_release" | "__cxa_guard_abort" => plain("w", Returns::Value),
        "exit" | "_exit" | "abort" | "_Exit" | "__assert_fail" | "quick_exit" => {
            plain("-", Returns::Value)
        }
        "modf" | "modff" | "frexp" | "frexpf" => plain("-w", Returns::Value),
        "qsort" => plain("b--r", Returns::Value),
        name if is_math(name) => plain("-", Returns::Value),
        name => return cuda(name),
    })
}

/// Functions of the CUDA runtime and driver: a status comes back; only these write to host memory.
fn cuda(name: &str) -> Option<Effect> {
    let letters = match name {
        "cudaMalloc"
        | "cudaMallocManaged"
        | "cudaMallocHost"
        | "cudaHostAlloc"
        | "cudaMallocAsync"
        | "cudaMallocArray"
        | "cudaMalloc3DArray"
        | "cuMemAlloc_v2"
        | "cuMemAllocManaged"
        | "cuMemAllocHost_v2"
        | "cuMemHostAlloc"
        | "cuMemAllocAsync"
        | "cudaMallocFromPoolAsync" => "m-",
        "cudaMallocPitch" | "cuMemAllocPitch_v2" => "mw-",
        "cudaMalloc3D" => "m-",
        "cudaMemcpy" | "cudaMemcpyAsync" => "w-",
        "cuMemcpyDtoH_v2" | "cuMemcpyDtoHAsync_v2" | "cudaMemcpy2D" | "cudaMemcpyFromSymbol" => {
            "w-"
        }
        "cudaGetDeviceCount"
        | "cudaGetDevice"
        | "cudaGetDeviceProperties"
        | "cudaGetDeviceProperties_v2"
        | "cudaDeviceGetAttribute"
        | "cudaEventElapsedTime"
        | "cudaDriverGetVersion"
        | "cudaRuntimeGetVersion"
        | "cudaFuncGetAttributes"
        | "cudaStreamCreate"
        | "cudaStreamCreateWithFlags"
        | "cudaEventCreate"
        | "cudaEventCreateWithFlags"
        | "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
        | "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
        | "cudaEventElapsedTime_v2" => "w-",
        "cudaMemGetInfo" | "cuMemGetInfo_v2" | "cudaOccupancyMaxPotentialBlockSize" => "ww-",
        "cudaGetErrorString" | "cudaGetErrorName" => return Some(plain("-", Returns::Hidden)),
        _ if name.starts_with("cuda") || name.starts_with("__cuda") => "-",
        _ => return None,
    };
    Some(plain(letters, Returns::Status))
}

/// The C mathematical functions of one or two plain arguments.
fn is_math(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "sqrt",
        "cbrt",
        "pow",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "ceil",
        "floor",
        "round",
        "trunc",
        "rint",
        "nearbyint",
        "lround",
        "llround",
        "lrint",
        "fabs",
        "fmod",
        "hypot",
        "fmin",
        "fmax",
        "ldexp",
        "copysign",
    ];
    NAMES.contains(&name)
        || name
            .strip_suffix('f')
            .is_some_and(|name| NAMES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_letter_holds_for_every_further_argument() {
        let scan = effect("__isoc99_fscanf").unwrap();
        assert_eq!(scan.of_argument(0), Use::Both);
        assert_eq!(scan.of_argument(1), Use::Reads);
        assert_eq!(
            (scan.of_argument(2), scan.of_argument(9)),
            (Use::Writes, Use::Writes)
        );
    }

    #[test]
    fn cuda_gives_a_status_and_strangers_have_no_row() {
        assert_eq!(effect("cudaMemset").unwrap().returns, Returns::Status);
        assert_eq!(effect("sqrtf").unwrap().returns, Returns::Value);
        assert!(effect("mystery").is_none());
    }
}
