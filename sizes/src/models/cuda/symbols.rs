//! Device variables: the symbol is the address of a shadow on the host, whose size the registration told.

use super::query::{new_handle, success};
use crate::machine::address::global_address;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use migfit_schema::program::Global;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaGetSymbolSize", symbol_size),
    ("cudaGetSymbolAddress", new_handle),
    ("cuModuleGetGlobal_v2", module_global),
    ("cudaLibraryGetGlobal", module_global),
];

/// (out, symbol): the symbol is the address of its shadow on the host.
fn symbol_size(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let symbol = arg(args, 1).get()?;
    let mut globals = (0..).zip(&host.program.globals);
    let shadow = globals.find(|(index, _)| global_address(*index, 0) == symbol);
    // IR made without a fat binary registers no variable: then the shadow tells, which has the variable's type.
    let registered = |global: &Global| global.device_bytes;
    let some = host
        .program
        .globals
        .iter()
        .any(|global| registered(global).is_some());
    let size = match shadow
        .and_then(|(_, global)| registered(global).or((!some).then_some(global.size)))
    {
        Some(bytes) => Value::known(bytes),
        None => host.unknown(Source::Property("size of a symbol".to_owned())),
    };
    host.store(arg(args, 0), 8, size);
    success(host, args)
}

/// (out, bytes, module, name): a variable of a module that is loaded at run time.
fn module_global(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if arg(args, 0) != Value::known(0) {
        new_handle(host, args)?;
    }
    if arg(args, 1) != Value::known(0) {
        let size = host.unknown(Source::Property("size of a module's variable".to_owned()));
        host.store(arg(args, 1), 8, size);
    }
    success(host, args)
}
