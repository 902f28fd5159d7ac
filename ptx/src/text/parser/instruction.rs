//! Instructions with their operands.

use super::cursor::{Cursor, DEEPEST};
use crate::text::ast::{Instruction, Operand};
use crate::text::error::PtxError;
use crate::text::tokens::Kind;

/// An instruction through its semicolon.
pub fn instruction(cursor: &mut Cursor) -> Result<Instruction, PtxError> {
    let guard = if cursor.take("@") {
        let negated = cursor.take("!");
        Some((cursor.name()?, negated))
    } else {
        None
    };
    let at = cursor.place();
    let opcode = cursor
        .name()
        .map_err(|_| cursor.unexpected("a statement"))?;
    let mut modifiers = Vec::new();
    while cursor.peek().kind == Kind::Dotted {
        modifiers.push(cursor.next().text.trim_start_matches('.').to_owned());
    }
    let mut operands = Vec::new();
    while !cursor.take(";") {
        operands.push(operand(cursor, 0)?);
        if !cursor.is(";") {
            cursor.expect(",")?;
        }
    }
    Ok(Instruction {
        guard,
        opcode,
        modifiers,
        operands,
        at,
    })
}

fn operand(cursor: &mut Cursor, depth: u32) -> Result<Operand, PtxError> {
    if depth > DEEPEST {
        return Err(cursor.unexpected("fewer brackets in each other"));
    }
    let first = single(cursor, depth)?;
    if !cursor.take("|") {
        return Ok(first);
    }
    let second = single(cursor, depth)?;
    Ok(Operand::Pair(Box::new(first), Box::new(second)))
}

fn single(cursor: &mut Cursor, depth: u32) -> Result<Operand, PtxError> {
    let next = cursor.peek();
    let list = |cursor: &mut Cursor, end: &str| {
        cursor.next();
        let mut all = Vec::new();
        while !cursor.take(end) {
            all.push(operand(cursor, depth + 1)?);
            if !cursor.is(end) {
                cursor.expect(",")?;
            }
        }
        Ok(all)
    };
    match (next.kind, next.text) {
        (Kind::Sign, "[") => list(cursor, "]").map(Operand::Memory),
        (Kind::Sign, "{") => list(cursor, "}").map(Operand::Vector),
        (Kind::Sign, "(") => list(cursor, ")").map(Operand::List),
        (Kind::Sign, "!") => {
            cursor.next();
            cursor.name().map(Operand::Not)
        }
        (Kind::Sign, "-") | (Kind::Number, _) => cursor.number().map(Operand::Number),
        (Kind::Word, _) => {
            let name = cursor.name()?;
            if matches!(cursor.peek().text, "+" | "-") {
                return Ok(Operand::Offset(name, cursor.offset()?));
            }
            Ok(Operand::Name(name))
        }
        _ => Err(cursor.unexpected("an operand")),
    }
}
