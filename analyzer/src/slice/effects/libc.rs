//! Rows of libc's functions, of operator new and delete, and of the few of libstdc++ that C programs call.

use super::letters::{DROPPED, Effect, Returns, State, plain, stateful};
use crate::outside::{THREAD_BEGINS, THREAD_ENDS};

/// The effect of a function, when it has a row here.
#[expect(clippy::too_many_lines, reason = "one table")]
pub fn effect(name: &str) -> Option<Effect> {
    Some(match name {
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtoimax" | "strtoumax" | "strtod"
        | "strtof" => stateful("re-", Returns::Value, State::Errno),
        "atoi" | "atol" | "atoll" | "atof" => plain("r", Returns::Value),
        "malloc"
        | "_Znwm"
        | "_Znam"
        | "valloc"
        | "_ZnwmRKSt9nothrow_t"
        | "_ZnamRKSt9nothrow_t"
        | "_ZnwmSt11align_val_t"
        | "_ZnamSt11align_val_t" => plain("-", Returns::Fresh),
        "calloc" | "aligned_alloc" | "memalign" => plain("--", Returns::Fresh),
        "realloc" => plain("r-", Returns::Fresh),
        "posix_memalign" => plain("m--", Returns::Value),
        "strlen" | "strnlen" => plain("r-", Returns::Value),
        "strcmp" | "strcoll" | "strcasecmp" | "strncmp" | "strncasecmp" | "memcmp" | "bcmp"
        | "strspn" | "strcspn" => plain("rr-", Returns::Value),
        "strcpy" | "strncpy" | "stpcpy" | "memcpy" | "memmove" | "mempcpy" | "__strcpy_chk"
        | "__strncpy_chk" | "__memcpy_chk" | "__memmove_chk" => plain("wr-", Returns::Into(0)),
        "strcat" | "strncat" | "__strcat_chk" => plain("br-", Returns::Into(0)),
        "memset" | "__memset_chk" | "bzero" => plain("w--", Returns::Into(0)),
        "strdup" | "strndup" | "__strdup" => plain("r-", Returns::Fresh),
        "bsearch" => plain("rr--f", Returns::Into(1)),
        "open" | "open64" => stateful("r-", Returns::Value, State::Descriptors),
        "read" | "pread" | "pread64" => stateful("-w-", Returns::Value, State::Descriptors),
        "fstat" | "fstat64" => stateful("-w", Returns::Value, State::Descriptors),
        "__fxstat" | "__fxstat64" => stateful("--w", Returns::Value, State::Descriptors),
        "mmap" | "mmap64" => stateful("-", Returns::Fresh, State::Descriptors),
        "stat" | "stat64" | "lstat" | "lstat64" => plain("rw", Returns::Value),
        "__xstat" | "__xstat64" | "__lxstat" | "__lxstat64" => plain("-rw", Returns::Value),
        "access" => plain("r-", Returns::Value),
        "lseek" | "lseek64" => stateful("-", Returns::Value, State::Descriptors),
        "strchr" | "strrchr" | "index" | "rindex" | "memchr" | "memrchr" | "rawmemchr"
        | "strchrnul" | "strstr" | "strcasestr" | "strpbrk" => plain("rr-", Returns::Into(0)),
        "basename" | "__xpg_basename" | "dirname" => plain("b", Returns::Into(0)),
        "strtok" => stateful("br", Returns::Into(0), State::Token),
        "strtok_r" | "__strtok_r" => plain("brs", Returns::Into(0)),
        "strsep" | "__strsep" => plain("sr", Returns::Behind(0)),
        "fdopen" => stateful("-r", Returns::Fresh, State::Descriptors),
        // What was written, moved or left before decides what is found.
        "fopen" | "fopen64" => stateful("rr", Returns::Fresh, State::Descriptors),
        "chdir" | "remove" | "unlink" | "rename" | "truncate" | "link" | "symlink" => {
            stateful("r", Returns::Value, State::Descriptors)
        }
        "fclose" | "close" | "free" | "cfree" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => {
            DROPPED
        }
        "fgets" | "fgets_unlocked" => plain("w-b", Returns::Into(0)),
        "fscanf" => plain("brw", Returns::Value),
        "sscanf" => plain("rrw", Returns::Value),
        "fread" | "fread_unlocked" => plain("w--b", Returns::Value),
        "fseek" | "fseeko" | "fseeko64" => plain("b--", Returns::Value),
        "rewind" | "ftell" | "ftello" | "ftello64" | "fgetc" | "getc" | "_IO_getc"
        | "getc_unlocked" | "fgetc_unlocked" | "clearerr" => plain("b", Returns::Value),
        "feof" | "feof_unlocked" | "ferror" | "fileno" => plain("r", Returns::Value),
        "ungetc" => plain("-b", Returns::Value),
        "getline" => plain("swb", Returns::Value),
        "getdelim" | "__getdelim" => plain("sw-b", Returns::Value),
        "pthread_create" => stateful("w-f-", Returns::Value, State::Threads),
        "pthread_join" => stateful("-w", Returns::Value, State::Threads),
        "pthread_exit" | "pthread_detach" | "pthread_self" => {
            stateful("-", Returns::Value, State::Threads)
        }
        "pthread_barrier_wait" | "pthread_cond_wait" | "sem_wait" => {
            stateful("b", Returns::Value, State::Threads)
        }
        "pthread_barrier_init" => plain("w--", Returns::Value),
        "sprintf" => plain("wr", Returns::Value),
        "asprintf" => plain("sr", Returns::Value),
        "__asprintf_chk" => plain("s-r", Returns::Value),
        "snprintf" => plain("w-r", Returns::Value),
        "__sprintf_chk" => plain("w--r", Returns::Value),
        "__snprintf_chk" => plain("w---r", Returns::Value),
        // The list leads to the arguments, and they to texts.
        "vsprintf" => plain("wrn", Returns::Value),
        "vasprintf" => plain("srn", Returns::Value),
        "__vasprintf_chk" => plain("s-rn", Returns::Value),
        "vsnprintf" => plain("w-rn", Returns::Value),
        "__vsprintf_chk" => plain("w--rn", Returns::Value),
        "__vsnprintf_chk" => plain("w---rn", Returns::Value),
        "getopt" => stateful("-rr", Returns::Value, State::Options),
        "getopt_long" | "getopt_long_only" => stateful("-rrrw", Returns::Value, State::Options),
        "getenv" | "secure_getenv" => stateful("r", Returns::Hidden, State::Environment),
        "setenv" => stateful("rr-", Returns::Value, State::Environment),
        "putenv" | "unsetenv" => stateful("r", Returns::Value, State::Environment),
        "clearenv" => stateful("-", Returns::Value, State::Environment),
        "srand" => stateful("-", Returns::Value, State::Random),
        "rand" | "random" => stateful("-", Returns::Value, State::Random),
        "srandom" => stateful("-", Returns::Value, State::Random),
        "rand_r" => plain("b", Returns::Value),
        "srand48" | "drand48" | "lrand48" | "mrand48" => {
            stateful("-", Returns::Value, State::Random48)
        }
        "erand48" | "nrand48" | "jrand48" => plain("b", Returns::Value),
        "time" | "uname" | "getchar" => plain("w", Returns::Value),
        "gethostname" | "getcwd" => plain("w-", Returns::Into(0)),
        "getrusage" | "getrlimit" => plain("-w", Returns::Value),
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
        | "__vprintf_chk"
        | "__vfprintf_chk"
        | "__printf_chk"
        | "__fprintf_chk"
        | "setbuf"
        | "setvbuf"
        | "usleep"
        | "sleep"
        | "_ZNSt8ios_base4InitC1Ev"
        | "_ZNSt8ios_base4InitD1Ev"
        | "_ZNSt8ios_base15sync_with_stdioEb"
        | "pthread_mutex_lock"
        | "pthread_mutex_unlock"
        | "pthread_mutex_init"
        | "pthread_mutex_destroy"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_settype"
        | "pthread_mutexattr_destroy"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setdetachstate"
        | "pthread_attr_setstacksize"
        | "pthread_barrier_destroy"
        | "pthread_cond_init"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_cond_destroy"
        | "pthread_setaffinity_np"
        | "sem_init"
        | "sem_post"
        | "sem_destroy"
        | "munmap"
        | "madvise"
        | "posix_madvise"
        | "posix_fadvise"
        | "msync"
        | "fsync"
        | "sigemptyset"
        | "sigaddset"
        | "alarm"
        | "setrlimit"
        | "mallopt"
        | "mkdir"
        | "nanosleep"
        | "write"
        | "syscall" => DROPPED,
        // Kept wherever they stand: see `keep::seeds`.
        "setlocale" => plain("-r", Returns::Hidden),
        "signal" | "bsd_signal" | "sigaction" => plain("-", Returns::Value),
        "__errno_location" => plain("-", Returns::Errno),
        // What runs at exit: see `at_exit`.
        "atexit" => plain("f", Returns::Value),
        "on_exit" => plain("f-", Returns::Value),
        "__cxa_atexit" | "__cxa_thread_atexit" => plain("f--", Returns::Value),
        "clock"
        | "sysconf"
        | "getpagesize"
        | "get_nprocs"
        | "omp_get_num_procs"
        | "getuid"
        | "getppid"
        | "difftime"
        | "div"
        | "ldiv"
        | "abs"
        | "labs"
        | "htonl"
        | "ntohl"
        | "htons"
        | "ntohs"
        | "getpid"
        | "isatty"
        | "toupper"
        | "tolower"
        | "isdigit"
        | "isspace"
        | "isalpha"
        | "isalnum"
        | "isupper"
        | "islower"
        | "ispunct"
        | "isxdigit"
        | "isprint"
        | "llabs"
        | "_ZNSt6chrono3_V212steady_clock3nowEv"
        | "_ZNSt6chrono3_V212system_clock3nowEv"
        | "strerror"
        | "omp_get_wtime" => plain("-", Returns::Value),
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" => {
            plain("-", Returns::Hidden)
        }
        "__cxa_guard_acquire" => plain("b", Returns::Value),
        "__cxa_guard_release" | "__cxa_guard_abort" => plain("w", Returns::Value),
        "exit" | "_exit" | "abort" | "_Exit" | "__assert_fail" | "quick_exit" => {
            plain("-", Returns::Value)
        }
        "modf" | "modff" | "frexp" | "frexpf" => plain("-w", Returns::Value),
        "__dynamic_cast" => plain("r-", Returns::Into(0)),
        "qsort" => plain("b--f", Returns::Value),
        "pthread_once" => plain("bf", Returns::Value),
        "_ZNSt6thread4joinEv" | "_ZNSt6thread6detachEv" => plain("w", Returns::Value),
        "_ZNSt6thread20hardware_concurrencyEv" | THREAD_BEGINS | THREAD_ENDS => {
            plain("-", Returns::Value)
        }
        "_ZNSt6thread6_StateD2Ev"
        | "_ZNSt18condition_variableC1Ev"
        | "_ZNSt18condition_variableD1Ev"
        | "_ZNSt18condition_variable10notify_oneEv"
        | "_ZNSt18condition_variable10notify_allEv"
        | "pthread_mutex_trylock" => DROPPED,
        _ => return None,
    })
}
