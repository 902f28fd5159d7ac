//! Objects and programs, or a module that carries its fat binary as a constant -> the images of each kernel.
//! What cannot be read is told and costs nothing else; the host's code is not looked at.

use inkwell::module::Module;
use inkwell::values::BasicValueEnum;
use migfit_ptx::images::{self, Images};
use object::read::{Object as _, ObjectSection as _};
use std::path::Path;

/// The sections of device code: as it runs, and as a device link (`nvcc -rdc=true`) takes it.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// What was found.
#[derive(Debug, Default)]
pub struct DeviceCode {
    /// Images by a kernel's mangled name.
    pub images: Images,
    /// What could not be read, as clauses with the file's name.
    pub troubles: Vec<String>,
}

impl DeviceCode {
    /// Adds the device code of an object or program.
    pub fn add_file(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let trouble = |reason: String| format!("{}: {reason}", name.to_string_lossy());
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.troubles.push(trouble(error.to_string())),
        };
        let elf = match object::File::parse(&*bytes) {
            Ok(elf) => elf,
            Err(error) => return self.troubles.push(trouble(error.to_string())),
        };
        for section in SECTIONS {
            match elf.section_by_name(section).map(|found| found.data()) {
                Some(Ok(data)) => self.add(data, trouble),
                Some(Err(error)) => self.troubles.push(trouble(error.to_string())),
                None => {}
            }
        }
    }

    /// Adds the fat binaries that a module carries as constants: clang's, when it is given one.
    pub fn add_module(&mut self, module: &Module<'_>) {
        for global in module.get_globals() {
            let section = global.get_section().map(|section| section.to_bytes());
            let is_device_code = SECTIONS.iter().any(|name| section == Some(name.as_bytes()));
            if let Some(BasicValueEnum::ArrayValue(array)) = global.get_initializer()
                && is_device_code
                && let Some(bytes) = array.as_const_string()
            {
                self.add(bytes, |reason| reason);
            }
        }
    }

    fn add(&mut self, section: &[u8], trouble: impl Fn(String) -> String) {
        let (found, troubles) = images::read(section);
        for (kernel, images) in found {
            let known = self.images.entry(kernel).or_default();
            known.extend(images);
            known.sort_by_key(|image| (image.architecture, image.code));
            known.dedup();
        }
        self.troubles.extend(troubles.into_iter().map(trouble));
    }
}
