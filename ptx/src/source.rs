//! An image that a program hands to the driver -> the PTX that this GPU can run. The virtual GPU runs PTX only: an
//! image of machine code alone is refused, whatever its architecture.

use super::container::{self, Entry, Kind};

/// First word of the wrapper record that points to a container.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Why an image holds nothing to run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The bytes are not device code of a known form.
    #[error(transparent)]
    Image(#[from] container::ContainerError),
    /// There is no PTX, or only for newer GPUs.
    #[error(
        "the program holds no PTX for compute capability {major}.{minor} or older; build it with `migfit build --virtual -- YOUR BUILD`"
    )]
    NoPtx {
        /// Compute capability, major.
        major: u32,
        /// Compute capability, minor.
        minor: u32,
    },
    /// Device files (`nvcc -rdc=true`) that are no whole.
    #[error(transparent)]
    Link(#[from] super::link::LinkError),
    /// The PTX is not text.
    #[error("the PTX of the program is not text")]
    NotText,
}

/// The PTX text in a container for the newest architecture that is not newer than the GPU.
///
/// # Errors
/// When it is no container or holds no such PTX.
pub fn from_container(bytes: &[u8], capability: (u32, u32)) -> Result<String, SourceError> {
    let (major, minor) = capability;
    let entries = container::entries(bytes)?;
    let fits = |entry: &&Entry| entry.kind == Kind::Ptx && entry.architecture <= major * 10 + minor;
    let best = entries
        .iter()
        .filter(fits)
        .max_by_key(|entry| entry.architecture);
    from_text(&best.ok_or(SourceError::NoPtx { major, minor })?.bytes()?)
}

/// The PTX texts of a program's device files (`nvcc -rdc=true`), which are to be linked: of each container the one for
/// the newest architecture that is not newer than the GPU. Files of machine code alone are left out; NVIDIA's device
/// runtime (`libcudadevrt`), which nvcc links to every such program, is one.
///
/// # Errors
/// When one is no container, or none holds such PTX.
pub fn from_device_files(
    files: &[&[u8]],
    capability: (u32, u32),
) -> Result<Vec<String>, SourceError> {
    let (major, minor) = capability;
    let mut texts = Vec::new();
    for file in files {
        match from_container(file, capability) {
            Err(SourceError::NoPtx { .. }) => {}
            text => texts.push(text?),
        }
    }
    if texts.is_empty() {
        return Err(SourceError::NoPtx { major, minor });
    }
    Ok(texts)
}

/// PTX text as a string: up to its NUL, where it has one.
///
/// # Errors
/// When it is not UTF-8.
pub fn from_text(bytes: &[u8]) -> Result<String, SourceError> {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8(text.to_vec()).map_err(|_| SourceError::NotText)
}
