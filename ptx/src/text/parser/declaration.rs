//! Declarations of variables, parameters and registers, with first values.

use super::cursor::{Cursor, DEEPEST};
use crate::text::ast::{Initial, InitialAddress, Linking, Variable};
use crate::text::error::PtxError;
use crate::text::literal::Literal;
use crate::text::tokens::Kind;
use crate::text::types::{Space, Type};

/// What a name means to other modules, where it is said.
pub fn linking(cursor: &mut Cursor) -> Linking {
    let linking = match cursor.peek().text {
        ".extern" => Linking::Extern,
        ".visible" => Linking::Visible,
        ".weak" => Linking::Weak,
        ".common" => Linking::Common,
        _ => return Linking::None,
    };
    cursor.next();
    linking
}

/// `.attribute(.managed)`, where it stands here.
pub fn attribute(cursor: &mut Cursor) -> Result<Option<String>, PtxError> {
    if cursor.is(".attribute") {
        cursor.through(")").map(Some)
    } else {
        Ok(None)
    }
}

/// Whether a declaration of a variable begins here.
pub fn begins(cursor: &Cursor) -> bool {
    let word = cursor.peek().text.strip_prefix('.');
    word.is_some_and(|word| Space::named(word).is_some())
}

/// A declaration from its state space through its last name: `.reg .b32 %a, %b` are two.
pub fn variables(cursor: &mut Cursor, linking: Linking) -> Result<Vec<Variable>, PtxError> {
    let first = variable(cursor, linking)?;
    let mut all = vec![first];
    while cursor.take(",") {
        let mut next = all[0].clone();
        next.at = cursor.place();
        declarator(cursor, &mut next)?;
        all.push(next);
    }
    Ok(all)
}

/// One declaration.
pub fn variable(cursor: &mut Cursor, linking: Linking) -> Result<Variable, PtxError> {
    let at = cursor.place();
    let space = cursor.peek().text.strip_prefix('.').and_then(Space::named);
    let space = space.ok_or_else(|| cursor.unexpected("a state space"))?;
    cursor.next();
    let mut found = Variable {
        linking,
        space,
        attribute: None,
        align: None,
        pointer: None,
        vector: 1,
        ty: Type::B8,
        name: String::new(),
        count: None,
        extents: Vec::new(),
        initial: None,
        at,
    };
    qualifiers(cursor, &mut found)?;
    declarator(cursor, &mut found)?;
    Ok(found)
}

/// What stands between the state space and the name.
fn qualifiers(cursor: &mut Cursor, found: &mut Variable) -> Result<(), PtxError> {
    let mut typed = false;
    loop {
        if let Some(attribute) = attribute(cursor)? {
            found.attribute = Some(attribute);
            continue;
        }
        let next = cursor.peek();
        if next.kind != Kind::Dotted {
            break;
        }
        let word = next.text.trim_start_matches('.');
        match word {
            "align" => {
                cursor.next();
                let align = Some(cursor.integer()?);
                match &mut found.pointer {
                    Some((_, pointer)) => *pointer = align,
                    None => found.align = align,
                }
                continue;
            }
            "ptr" => found.pointer = Some((None, None)),
            "v2" => found.vector = 2,
            "v4" => found.vector = 4,
            "v8" => found.vector = 8,
            _ if typed && Space::named(word).is_some() => match &mut found.pointer {
                Some((space, _)) => *space = Some(word.to_owned()),
                None => return Err(cursor.unexpected("a name")),
            },
            _ => {
                let ty = Type::named(word).filter(|_| !typed);
                found.ty = ty.ok_or_else(|| cursor.unexpected("a type"))?;
                typed = true;
            }
        }
        cursor.next();
    }
    if typed {
        Ok(())
    } else {
        Err(cursor.unexpected("a type"))
    }
}

/// A name with its extents and first values.
fn declarator(cursor: &mut Cursor, found: &mut Variable) -> Result<(), PtxError> {
    found.name = cursor.name()?;
    found.extents.clear();
    found.count = None;
    if cursor.take("<") {
        found.count = Some(cursor.integer()?);
        cursor.expect(">")?;
    }
    while cursor.take("[") {
        let extent = if cursor.is("]") {
            None
        } else {
            Some(cursor.integer()?)
        };
        found.extents.push(extent);
        cursor.expect("]")?;
    }
    found.initial = match cursor.take("=") {
        true => Some(initial(cursor, 0)?),
        false => None,
    };
    Ok(())
}

fn initial(cursor: &mut Cursor, depth: u32) -> Result<Initial, PtxError> {
    if depth > DEEPEST {
        return Err(cursor.unexpected("fewer braces in each other"));
    }
    if cursor.take("{") {
        let mut all = Vec::new();
        while !cursor.take("}") {
            all.push(initial(cursor, depth + 1)?);
            if !cursor.is("}") {
                cursor.expect(",")?;
            }
        }
        return Ok(Initial::List(all));
    }
    if cursor.peek().kind == Kind::Word {
        return address(cursor, None).map(Initial::Address);
    }
    let number = cursor.number()?;
    match number {
        Literal::Integer(mask, _) if cursor.take("(") => {
            let inner = address(cursor, Some(mask))?;
            cursor.expect(")")?;
            Ok(Initial::Address(inner))
        }
        number => Ok(Initial::Number(number)),
    }
}

/// `name`, `name+8`, `generic(name)+8`.
fn address(cursor: &mut Cursor, mask: Option<u64>) -> Result<InitialAddress, PtxError> {
    let mut symbol = cursor.name()?;
    let generic = symbol == "generic" && cursor.take("(");
    let mut offset = 0;
    if generic {
        symbol = cursor.name()?;
        offset = cursor.offset()?;
        cursor.expect(")")?;
    }
    Ok(InitialAddress {
        symbol,
        offset: offset.wrapping_add(cursor.offset()?),
        generic,
        mask,
    })
}
