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

/// Largest file that is read; one of a million instructions has a hundredth of it.
const MOST_BYTES: u64 = 1 << 30;

/// Reads one file and verifies what it holds.
///
/// # Errors
/// When the file cannot be read, or holds neither valid bitcode nor valid IR text.
pub fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, AnalyzeError> {
    let unreadable = |cause| AnalyzeError::Read {
        path: path.to_owned(),
        cause,
    };
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > MOST_BYTES {
        return Err(AnalyzeError::TooLarge {
            path: path.to_owned(),
            bytes,
        });
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
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
    if bytes.is_empty() {
        return Err(AnalyzeError::Empty {
            path: path.to_owned(),
        });
    }
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
    check_target(&module, path)?;
    Ok(module)
}

/// Refuses code that the models of the C library and of CUDA do not fit; a module that does not tell is taken.
fn check_target(module: &Module<'_>, path: &Path) -> Result<(), AnalyzeError> {
    const DEVICES: [&str; 4] = ["nvptx", "amdgcn", "spir", "r600"];
    let triple = module.get_triple();
    let triple = triple.as_str().to_string_lossy();
    let processor = triple.split('-').next().unwrap_or_default();
    let (path, target) = (path.to_owned(), triple.to_string());
    if DEVICES.iter().any(|device| processor.starts_with(device)) {
        return Err(AnalyzeError::DeviceCode { path, target });
    }
    match processor {
        "" | "x86_64" | "amd64" if !triple.ends_with("x32") => Ok(()),
        _ => Err(AnalyzeError::OtherProcessor { path, target }),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "define i32 @main() { ret i32 0 }";

    fn refused(text: &[u8]) -> String {
        let context = Context::create();
        let parsed = parse(&context, text, Path::new("a.ll"));
        parsed
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn what_is_no_host_module_is_told_by_what_it_is() {
        let of = |triple: &str| refused(format!("target triple = \"{triple}\"\n{MAIN}").as_bytes());
        assert_eq!(of("x86_64-unknown-linux-gnu"), "");
        assert!(of("nvptx64-nvidia-cuda").contains("device code (for nvptx64"));
        for triple in [
            "i386-pc-linux-gnu",
            "aarch64-unknown-linux-gnu",
            "x86_64-pc-linux-gnux32",
        ] {
            assert!(of(triple).contains(&format!("is for {triple}")), "{triple}");
        }
        assert!(refused(b"").contains("a.ll is empty"));
        assert!(refused(b"BC\xc0\xde and nothing that follows").contains("LLVM 19 can read"));
        assert!(refused(b"hello").contains("LLVM 19 can read"));
    }

    #[test]
    fn two_definitions_of_main_do_not_link() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["one.ll", "two.ll"].map(|name| folder.path().join(name));
        for file in &files {
            std::fs::write(file, MAIN).unwrap();
        }
        let context = Context::create();
        let error = link(&context, &files).unwrap_err().to_string();
        assert!(
            error.contains("two.ll") && error.contains("main"),
            "{error}"
        );
    }

    #[test]
    fn a_file_of_gigabytes_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("large.bc");
        let made = std::fs::File::create(&file).unwrap();
        made.set_len(10 << 30).unwrap();
        let error = read(&Context::create(), &file).unwrap_err().to_string();
        assert!(error.contains("10737418240 bytes"), "{error}");
    }
}
