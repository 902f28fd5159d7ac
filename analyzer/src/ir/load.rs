//! Files of bitcode or IR text in, one linked module out. Must not know what the modules contain.

use crate::error::AnalyzeError;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use std::path::Path;

/// First bytes of raw bitcode.
const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";
/// First bytes of bitcode inside Apple's wrapper, which LLVM reads as well.
const WRAPPER_MAGIC: &[u8] = b"\xde\xc0\x17\x0b";

/// Reads one file and verifies what it holds.
///
/// # Errors
/// When the file cannot be read, or holds neither valid bitcode nor valid IR text.
pub fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, AnalyzeError> {
    let bytes = std::fs::read(path).map_err(|cause| AnalyzeError::Read {
        path: path.to_owned(),
        cause,
    })?;
    parse(context, &bytes, path)
}

/// Parses bitcode or IR text; `path` only names it in errors.
///
/// # Errors
/// When the bytes are neither valid bitcode nor valid IR text.
pub fn parse<'c>(
    context: &'c Context,
    bytes: &[u8],
    path: &Path,
) -> Result<Module<'c>, AnalyzeError> {
    let refuse = |message: String| AnalyzeError::Bitcode {
        path: path.to_owned(),
        message,
    };
    let is_bitcode = bytes.starts_with(BITCODE_MAGIC) || bytes.starts_with(WRAPPER_MAGIC);
    // LLVM's text reader wants a zero byte behind the text; the copying constructor adds it.
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &path.to_string_lossy());
    let module = if is_bitcode {
        Module::parse_bitcode_from_buffer(&buffer, context)
    } else {
        context.create_module_from_ir(buffer)
    }
    .map_err(|error| refuse(error.to_string()))?;
    module.verify().map_err(|error| refuse(error.to_string()))?;
    Ok(module)
}

/// Reads and links all files into one module.
///
/// # Errors
/// When a file cannot be read, is no IR, or does not link with those before it.
pub fn link<'c>(
    context: &'c Context,
    paths: &[impl AsRef<Path>],
) -> Result<Module<'c>, AnalyzeError> {
    let (first, rest) = paths.split_first().ok_or(AnalyzeError::Nothing)?;
    let linked = read(context, first.as_ref())?;
    for path in rest {
        let path = path.as_ref();
        linked
            .link_in_module(read(context, path)?)
            .map_err(|error| AnalyzeError::Link {
                path: path.to_owned(),
                message: error.to_string(),
            })?;
    }
    Ok(linked)
}
