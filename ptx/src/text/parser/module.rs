//! A whole text: its head, and what it declares and defines.

use super::cursor::Cursor;
use super::declaration::{begins, linking, variables};
use super::function::function;
use crate::text::ast::{Item, Linking, Module};
use crate::text::error::PtxError;
use crate::text::tokens::Kind;

/// The syntax tree of a text.
///
/// # Errors
/// When it is no PTX: where, and what was expected there.
pub fn parse(text: &str) -> Result<Module, PtxError> {
    let mut cursor = Cursor::new(text)?;
    let cursor = &mut cursor;
    let mut module = Module::default();
    cursor.expect(".version")?;
    module.version = cursor.next().text.to_owned();
    cursor.expect(".target")?;
    loop {
        module.target.push(cursor.name()?);
        if !cursor.take(",") {
            break;
        }
    }
    while cursor.peek().kind != Kind::End {
        if cursor.take(".address_size") {
            module.address_size = Some(cursor.integer()?);
        } else {
            items(cursor, &mut module.items)?;
        }
    }
    Ok(module)
}

fn items(cursor: &mut Cursor, items: &mut Vec<Item>) -> Result<(), PtxError> {
    match cursor.peek().text {
        ".file" | ".loc" => items.push(Item::Raw(cursor.line())),
        ".section" => items.push(Item::Raw(cursor.through("}")?)),
        ".pragma" => items.push(Item::Raw(cursor.through(";")?)),
        ".alias" => {
            cursor.next();
            let name = cursor.name()?;
            cursor.expect(",")?;
            items.push(Item::Alias(name, cursor.name()?));
            cursor.expect(";")?;
        }
        ";" => drop(cursor.next()),
        _ => {
            let linking = linking(cursor);
            if begins(cursor) {
                declared(cursor, linking, items)?;
            } else {
                items.push(Item::Function(function(cursor, linking)?));
            }
        }
    }
    Ok(())
}

fn declared(cursor: &mut Cursor, linking: Linking, items: &mut Vec<Item>) -> Result<(), PtxError> {
    let all = variables(cursor, linking)?;
    cursor.expect(";")?;
    items.extend(all.into_iter().map(Item::Variable));
    Ok(())
}
