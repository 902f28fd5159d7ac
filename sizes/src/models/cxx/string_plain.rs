//! Members of `std::string` that make one or give it another text: calls only in code without any optimisation.

use super::exceptions::thrown_by_model;
use super::string_places::{length, moved};
use super::string_splices::splice;
use super::text::{at, begin, content, give};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::print::formatted;
use crate::models::string_members;
use crate::models::table::Family;

macro_rules! member {
    ($tail:literal) => {
        concat!(
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
            $tail
        )
    };
}

/// Members that change the string, or make it.
pub const MODELS: Family = &[
    (
        "_ZN9__gnu_cxx12__to_xstringINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEcEET_PFiPT0_mPKS8_P13__va_list_tagEmSB_z",
        to_text,
    ),
    (member!("7_M_dataEPc"), |host, args| field(host, args, 0)),
    (member!("9_M_lengthEm"), |host, args| field(host, args, 8)),
    (member!("11_M_capacityEm"), |host, args| {
        field(host, args, 16)
    }),
    (member!("13_M_set_lengthEm"), set_length),
    (member!("10_M_destroyEm"), |_, _| Ok(Value::known(0))),
    (member!("13shrink_to_fitEv"), |_, _| Ok(Value::known(0))),
    (member!("9_S_assignEPcmc"), set_characters),
    (member!("7_S_copyEPcPKcm"), copy_characters),
    (member!("7_S_moveEPcPKcm"), copy_characters),
    (
        member!("12_M_constructIPKcEEvT_S8_St20forward_iterator_tag"),
        from_range,
    ),
    (
        member!("12_M_constructIPcEEvT_S7_St20forward_iterator_tag"),
        from_range,
    ),
    (
        member!(
            "12_M_constructIN9__gnu_cxx17__normal_iteratorIPKcS4_EEEEvT_SB_St20forward_iterator_tag"
        ),
        from_range,
    ),
    (
        member!(
            "12_M_constructIN9__gnu_cxx17__normal_iteratorIPcS4_EEEEvT_SA_St20forward_iterator_tag"
        ),
        from_range,
    ),
    (member!("C1ERKS3_"), empty),
    (member!("C2ERKS3_"), empty),
    (member!("C1EPKcmRKS3_"), from_bytes),
    (member!("C2EPKcmRKS3_"), from_bytes),
    (member!("C1EPKcRKS3_"), from_text),
    (member!("C2EPKcRKS3_"), from_text),
    (member!("C1EmcRKS3_"), from_fill),
    (member!("C2EmcRKS3_"), from_fill),
    (member!("C1EOS4_"), moved_from),
    (member!("C2EOS4_"), moved_from),
    (member!("C1EOS4_RKS3_"), moved_from),
    (member!("C2EOS4_RKS3_"), moved_from),
    (member!("C1ERKS4_RKS3_"), copied_from),
    (member!("C2ERKS4_RKS3_"), copied_from),
    (member!("C1ERKS4_mRKS3_"), part_from),
    (member!("C2ERKS4_mRKS3_"), part_from),
    (member!("C1ERKS4_mmRKS3_"), part_from),
    (member!("C2ERKS4_mmRKS3_"), part_from),
    (member!("C1IPKcvEET_S8_RKS3_"), from_range),
    (member!("C2IPKcvEET_S8_RKS3_"), from_range),
    (member!("C1IPcvEET_S7_RKS3_"), from_range),
    (member!("C2IPcvEET_S7_RKS3_"), from_range),
    (
        member!("C1IN9__gnu_cxx17__normal_iteratorIPcS4_EEvEET_SA_RKS3_"),
        from_range,
    ),
    (
        member!("C2IN9__gnu_cxx17__normal_iteratorIPcS4_EEvEET_SA_RKS3_"),
        from_range,
    ),
    (member!("aSEOS4_"), move_assign),
    (member!("6assignEOS4_"), move_assign),
    (member!("aSEc"), assign_character),
    (member!("6assignEPKcm"), assign_bytes),
    (member!("6assignEmc"), assign_fill),
    (member!("6assignERKS4_mm"), |host, args| {
        part_onto(host, args, false)
    }),
    (member!("6appendERKS4_mm"), |host, args| {
        part_onto(host, args, true)
    }),
    (member!("6appendEmc"), append_fill),
    (member!("6resizeEm"), resize),
    (member!("8pop_backEv"), pop_back),
];

/// (result, function, room, format, number): what `std::to_string` of a floating-point number calls.
fn to_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = formatted(host, args, 3);
    made(host, arg(args, 0), text)
}

pub(super) const NOTHING: Value = Value::known(0);

fn field(host: &mut Host<'_>, args: &[Value], offset: u64) -> Result<Value, Halt> {
    host.store(at(arg(args, 0), offset), 8, arg(args, 1));
    Ok(NOTHING)
}

fn set_length(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    field(host, args, 8)?;
    let end = moved(host, arg(args, 0), arg(args, 1))?;
    host.store(end, 1, Value::known(0));
    Ok(NOTHING)
}

fn set_characters(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.set(arg(args, 0), arg(args, 2), arg(args, 1));
    Ok(NOTHING)
}

fn copy_characters(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.copy(arg(args, 0), arg(args, 1), arg(args, 2));
    Ok(NOTHING)
}

pub(super) fn bytes(host: &mut Host<'_>, from: Value, count: Value) -> Result<Vec<u8>, Mark> {
    let count = count.get()?;
    host.bytes(from, count)
}

pub(super) fn filled(host: &mut Host<'_>, count: Value, byte: Value) -> Result<Vec<u8>, Mark> {
    const LONGEST: u64 = 1 << 24;
    let (count, byte) = (count.get()?, byte.get()?);
    if count > LONGEST {
        return Err(Mark::TOO_LARGE);
    }
    host.charge_bytes(count);
    Ok(vec![byte as u8; count as usize])
}

fn between(host: &mut Host<'_>, from: Value, to: Value) -> Result<Vec<u8>, Mark> {
    let count = to.get()?.wrapping_sub(from.get()?);
    host.bytes(from, count)
}

/// A string where nothing was one.
fn made(host: &mut Host<'_>, string: Value, text: Result<Vec<u8>, Mark>) -> Result<Value, Halt> {
    begin(host, string);
    give(host, string, text)
}

fn empty(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    Ok(NOTHING)
}

fn from_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = bytes(host, arg(args, 1), arg(args, 2));
    made(host, arg(args, 0), text)
}

fn from_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 1));
    made(host, arg(args, 0), text)
}

fn from_fill(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = filled(host, arg(args, 1), arg(args, 2));
    made(host, arg(args, 0), text)
}

/// (string, from, to).
fn from_range(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = between(host, arg(args, 1), arg(args, 2));
    made(host, arg(args, 0), text)
}

fn copied_from(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = content(host, arg(args, 1));
    made(host, arg(args, 0), text)
}

/// The other string is empty afterwards.
fn moved_from(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    copied_from(host, args)?;
    give(host, arg(args, 1), Ok(Vec::new()))
}

fn move_assign(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if arg(args, 0) != arg(args, 1) {
        let text = content(host, arg(args, 1));
        give(host, arg(args, 0), text)?;
        give(host, arg(args, 1), Ok(Vec::new()))?;
    }
    Ok(arg(args, 0))
}

/// (string, other, position, and how many or an allocator).
fn part_of(host: &mut Host<'_>, args: &[Value]) -> Result<Result<Vec<u8>, Mark>, Halt> {
    let (other, position) = (content(host, arg(args, 1)), arg(args, 2).get());
    let (Ok(other), Ok(position)) = (&other, position) else {
        let mark = other.err().unwrap_or(Mark::KNOWN).with(arg(args, 2).mark);
        return Ok(Err(mark));
    };
    if position > other.len() as u64 {
        return Err(thrown_by_model(host, "St12out_of_range"));
    }
    let most = match arg(args, 3).get() {
        Ok(most) => usize::try_from(most).unwrap_or(usize::MAX),
        Err(mark) => return Ok(Err(mark)),
    };
    Ok(Ok(other
        .iter()
        .copied()
        .skip(position as usize)
        .take(most)
        .collect()))
}

/// With a count where the constructor has one: the allocator, a pointer, is larger than any text.
fn part_from(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    let text = part_of(host, args)?;
    give(host, arg(args, 0), text)
}

fn part_onto(host: &mut Host<'_>, args: &[Value], append: bool) -> Result<Value, Halt> {
    let part = part_of(host, args)?;
    let whole = match append {
        true => content(host, arg(args, 0)).and_then(|mut text| {
            text.extend(part?);
            Ok(text)
        }),
        false => part,
    };
    give(host, arg(args, 0), whole)
}

fn assign_character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = arg(args, 1).get().map(|byte| vec![byte as u8]);
    give(host, arg(args, 0), text)
}

fn assign_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = bytes(host, arg(args, 1), arg(args, 2));
    give(host, arg(args, 0), text)
}

fn assign_fill(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = filled(host, arg(args, 1), arg(args, 2));
    give(host, arg(args, 0), text)
}

fn append_fill(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = filled(host, arg(args, 1), arg(args, 2));
    let end = length(host, arg(args, 0))?;
    splice(host, arg(args, 0), end, NOTHING, more)
}

fn resize(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    string_members::resize(host, &[arg(args, 0), arg(args, 1), NOTHING])
}

fn pop_back(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = content(host, arg(args, 0)).map(|mut text| {
        text.pop();
        text
    });
    give(host, arg(args, 0), text)
}
