//! Kernels and other functions, with their statements.

use super::cursor::{Cursor, DEEPEST};
use super::declaration::{attribute, begins, variable, variables};
use super::instruction::instruction;
use crate::text::ast::{Function, Linking, Prototype, Statement, Variable};
use crate::text::error::PtxError;
use crate::text::tokens::Kind;

/// A function from `.entry` or `.func` on.
pub fn function(cursor: &mut Cursor, linking: Linking) -> Result<Function, PtxError> {
    let at = cursor.place();
    let entry = cursor.take(".entry");
    if !entry && !cursor.take(".func") {
        return Err(cursor.unexpected("a variable or a function"));
    }
    let attribute = attribute(cursor)?;
    let returns = parameters(cursor)?;
    let name = cursor.name()?;
    let parameters = parameters(cursor)?;
    let directives = directives(cursor)?;
    let body = if cursor.take("{") {
        Some(statements(cursor, 0)?)
    } else {
        cursor.expect(";")?;
        None
    };
    Ok(Function {
        linking,
        entry,
        attribute,
        returns,
        name,
        parameters,
        directives,
        body,
        at,
    })
}

/// `(.param .b64 a, .param .b32 b)`, or nothing.
fn parameters(cursor: &mut Cursor) -> Result<Vec<Variable>, PtxError> {
    let mut all = Vec::new();
    if !cursor.take("(") {
        return Ok(all);
    }
    while !cursor.take(")") {
        all.push(variable(cursor, Linking::None)?);
        if !cursor.is(")") {
            cursor.expect(",")?;
        }
    }
    Ok(all)
}

/// `.maxntid 256, 1, 1 .minnctapersm 2 .noreturn`.
fn directives(cursor: &mut Cursor) -> Result<Vec<(String, Vec<u32>)>, PtxError> {
    let mut all = Vec::new();
    while cursor.peek().kind == Kind::Dotted {
        if cursor.is(".pragma") {
            all.push((cursor.through(";")?, Vec::new()));
            continue;
        }
        let name = cursor.next().text.trim_start_matches('.').to_owned();
        let mut numbers = Vec::new();
        while cursor.peek().kind == Kind::Number {
            numbers.push(cursor.integer()?);
            cursor.take(",");
        }
        all.push((name, numbers));
    }
    Ok(all)
}

/// Statements through the closing brace.
fn statements(cursor: &mut Cursor, depth: u32) -> Result<Vec<Statement>, PtxError> {
    if depth > DEEPEST {
        return Err(cursor.unexpected("fewer braces in each other"));
    }
    let mut all = Vec::new();
    while !cursor.take("}") {
        let next = cursor.peek();
        match next.text {
            "{" => {
                cursor.next();
                all.push(Statement::Block(statements(cursor, depth + 1)?));
            }
            ";" => drop(cursor.next()),
            ".loc" | ".file" => all.push(Statement::Raw(cursor.line())),
            ".pragma" => all.push(Statement::Raw(cursor.through(";")?)),
            _ if begins(cursor) => {
                let declared = variables(cursor, Linking::None)?;
                cursor.expect(";")?;
                all.extend(declared.into_iter().map(Statement::Variable));
            }
            _ if next.kind == Kind::Word && cursor.peek_at(1).text == ":" => {
                let label = cursor.name()?;
                cursor.next();
                all.push(labelled(cursor, label)?);
            }
            _ => all.push(Statement::Instruction(instruction(cursor)?)),
        }
    }
    Ok(all)
}

/// What a label stands before: a list of targets, a prototype, or any statement.
fn labelled(cursor: &mut Cursor, label: String) -> Result<Statement, PtxError> {
    match cursor.peek().text {
        ".branchtargets" | ".calltargets" => {
            let calls = cursor.next().text == ".calltargets";
            let mut targets = vec![cursor.name()?];
            while cursor.take(",") {
                targets.push(cursor.name()?);
            }
            cursor.expect(";")?;
            Ok(Statement::Targets {
                label,
                calls,
                targets,
            })
        }
        ".callprototype" => {
            cursor.next();
            let returns = parameters(cursor)?;
            cursor.name()?;
            let parameters = parameters(cursor)?;
            let mut directives = Vec::new();
            while cursor.peek().kind == Kind::Dotted {
                directives.push(cursor.next().text.trim_start_matches('.').to_owned());
            }
            cursor.expect(";")?;
            Ok(Statement::Prototype(Prototype {
                label,
                returns,
                parameters,
                directives,
            }))
        }
        _ => Ok(Statement::Label(label)),
    }
}
