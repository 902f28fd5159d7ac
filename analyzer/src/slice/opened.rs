//! Which calls open a file for writing that the program may read later: what they leave there is not what lies there
//! now. Two names may be one where both are the same text, or may point to the same memory.

use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, Op, Operand, SizeProgram, Type};
use std::collections::HashSet;

/// What a call does with the file that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Reads,
    Writes,
}

/// The calls that look at a file, and those that may write one that is looked at.
#[derive(Default)]
pub struct Opened {
    readers: HashSet<Position>,
    writers: HashSet<Position>,
}

/// `O_RDONLY` and `O_WRONLY` or `O_RDWR` under this mask.
const ACCESS_MODE: u64 = 3;
/// `std::ios::out` and `app`.
const IOS_OUT: u64 = 16 | 1;

impl Opened {
    /// Finds them.
    pub fn of(program: &SizeProgram, pointers: &PointsTo) -> Opened {
        let mut opened = Opened::default();
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for (at, instruction) in instructions(program) {
            let Op::Call {
                callee: Callee::External(name),
                args,
                ..
            } = &instruction.op
            else {
                continue;
            };
            for (path, access) in files(program, name, args) {
                match access {
                    Access::Reads => read.push((at, path)),
                    Access::Writes => written.push((at, path)),
                }
            }
        }
        opened.readers.extend(read.iter().map(|(at, _)| *at));
        for (at, path) in written {
            let same = |(reader, other): &(Position, Operand)| {
                may_be_one(program, pointers, (at, path), (*reader, *other))
            };
            if read.iter().any(same) {
                opened.writers.insert(at);
            }
        }
        opened
    }

    /// Whether what a call gives depends on what was written before.
    pub fn reads(&self, at: Position) -> bool {
        self.readers.contains(&at)
    }

    /// Whether a call may write a file that the program looks at.
    pub fn writes(&self, at: Position) -> bool {
        self.writers.contains(&at)
    }
}

/// The names that a call is given, and what it does with these files.
fn files(program: &SizeProgram, name: &str, args: &[(Operand, Type)]) -> Vec<(Operand, Access)> {
    use Access::{Reads, Writes};
    let arg = |index: usize| args.get(index).map(|(value, _)| *value);
    let constant = |index: usize| match arg(index) {
        Some(Operand::Const(bits)) => Some(bits),
        _ => None,
    };
    let found = match name {
        "fopen" | "fopen64" => {
            let mode = arg(1).and_then(|mode| text(program, mode));
            let only_reads =
                mode.is_some_and(|mode| mode.starts_with(b"r") && !mode.contains(&b'+'));
            vec![(arg(0), if only_reads { Reads } else { Writes })]
        }
        "open" | "open64" => {
            let only_reads = constant(1).is_some_and(|flags| flags & ACCESS_MODE == 0);
            vec![(arg(0), if only_reads { Reads } else { Writes })]
        }
        "creat" | "creat64" | "truncate" | "truncate64" | "remove" | "unlink" => {
            vec![(arg(0), Writes)]
        }
        "rename" => vec![(arg(0), Writes), (arg(1), Writes)],
        "stat" | "stat64" | "lstat" | "lstat64" | "access" => vec![(arg(0), Reads)],
        "__xstat" | "__xstat64" | "__lxstat" | "__lxstat64" => vec![(arg(1), Reads)],
        _ => {
            let access = stream(name, constant(2));
            access.map_or_else(Vec::new, |access| vec![(arg(1), access)])
        }
    };
    let known = found.into_iter();
    known
        .filter_map(|(path, access)| Some((path?, access)))
        .collect()
}

/// Constructors and `open` of the C++ library's streams, with the mode that they are given.
fn stream(name: &str, mode: Option<u64>) -> Option<Access> {
    let member = name
        .strip_prefix("_ZNSt13basic_filebufIcSt11char_traitsIcEE")
        .or_else(|| name.strip_prefix("_ZNSt14basic_ifstreamIcSt11char_traitsIcEE"))
        .or_else(|| name.strip_prefix("_ZNSt14basic_ofstreamIcSt11char_traitsIcEE"))
        .or_else(|| name.strip_prefix("_ZNSt13basic_fstreamIcSt11char_traitsIcEE"))?;
    let opens = [
        "C1EPKc",
        "C2EPKc",
        "C1ERKNS",
        "C2ERKNS",
        "4openEPKc",
        "4openERKNS",
    ];
    if !opens.iter().any(|start| member.starts_with(start)) {
        return None;
    }
    let only_reads = mode.is_some_and(|mode| mode & IOS_OUT == 0) && !name.contains("ofstream");
    Some(if only_reads {
        Access::Reads
    } else {
        Access::Writes
    })
}

/// The text that a constant pointer points to.
fn text(program: &SizeProgram, value: Operand) -> Option<&[u8]> {
    let Operand::Global(id, offset) = value else {
        return None;
    };
    let global = program.globals.get(id as usize)?;
    let bytes = global.bytes.get(usize::try_from(offset).ok()?..)?;
    // Zeros at the end are not kept.
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(bytes.len());
    bytes.get(..end).filter(|_| global.constant)
}

fn may_be_one(
    program: &SizeProgram,
    pointers: &PointsTo,
    (at, path): (Position, Operand),
    (other_at, other): (Position, Operand),
) -> bool {
    if let (Some(a), Some(b)) = (text(program, path), text(program, other)) {
        return a == b;
    }
    let others = pointers.of(other_at.function, other);
    let objects = pointers.of(at.function, path);
    objects.iter().any(|object| others.contains(object))
}

#[cfg(test)]
mod tests {
    use super::{Access, Opened, stream};
    use crate::slice::draft::*;
    use crate::slice::position::instructions;
    use crate::slice::{objects::Objects, points_to, slice};
    use migfit_schema::program::{SizeProgram, Type};

    /// A program that writes one file and takes as much memory as a file tells.
    fn writes_and_reads(written: u32, read: u32) -> SizeProgram {
        let ops = vec![
            get(2, Type::Ptr, "fopen", &[g(written), g(3)]),
            get(3, Type::Ptr, "fopen", &[g(read), g(4)]),
            get(4, I64, "fgetc", &[r(3)]),
            call("cudaMalloc", &[g(5), r(4)]),
        ];
        let main = function("main", 2, vec![block(ops, give(c(0)))]);
        // The first global is the draft's own.
        let texts = ["one.dat", "two.dat", "w", "r"].map(text);
        let globals = texts.into_iter().chain([global("pointer")]).collect();
        program(vec![main], globals)
    }

    fn opens(program: &SizeProgram) -> usize {
        let all = instructions(&slice(program))
            .map(|(_, found)| format!("{:?}", found.op))
            .collect::<Vec<_>>();
        all.iter().filter(|op| op.contains("\"fopen\"")).count()
    }

    #[test]
    fn a_file_that_is_read_back_is_opened_for_writing_too() {
        let same = writes_and_reads(1, 1);
        let objects = Objects::of(&same);
        let opened = Opened::of(&same, &points_to::solve(&same, &objects));
        assert_eq!((opened.readers.len(), opened.writers.len()), (1, 1));
        assert_eq!(opens(&same), 2);
        let others = writes_and_reads(1, 2);
        let opened = Opened::of(&others, &points_to::solve(&others, &objects));
        assert_eq!((opened.readers.len(), opened.writers.len()), (1, 0));
    }

    #[test]
    fn modes_tell_readers_from_writers() {
        let file = |name: &str, mode| stream(name, mode);
        let of = |class: &str, member: &str| format!("_ZNSt{class}IcSt11char_traitsIcEE{member}");
        let input = of("14basic_ifstream", "C1EPKcSt13_Ios_Openmode");
        assert_eq!(file(&input, Some(8)), Some(Access::Reads));
        let output = of("14basic_ofstream", "4openEPKcSt13_Ios_Openmode");
        assert_eq!(file(&output, Some(16)), Some(Access::Writes));
        let both = of("13basic_filebuf", "4openEPKcSt13_Ios_Openmode");
        assert_eq!(file(&both, Some(24)), Some(Access::Writes));
        assert_eq!(file(&both, None), Some(Access::Writes));
        assert_eq!(file(&of("13basic_filebuf", "5closeEv"), None), None);
    }
}
