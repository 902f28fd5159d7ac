//! A debug location in, the place in the user's source that stands for it out. Helpers inlined from system and CUDA
//! headers count as the user's line that called them.

use super::view::metadata::{Location, SourceFile};
use super::view::module::ModuleView;
use std::collections::{BTreeSet, HashMap};

/// Decides which files are the user's.
#[derive(Debug)]
pub struct Places {
    /// Folders of the CUDA toolkit's headers, without `..`.
    toolkit: BTreeSet<String>,
    known: HashMap<SourceFile, bool>,
}

impl Places {
    /// Learns from the module where the CUDA headers lie: they declare the functions that begin with `cuda`.
    #[must_use]
    pub fn of(module: ModuleView<'_>) -> Self {
        let toolkit = module
            .functions()
            .filter(|function| {
                let name = function.name();
                name.starts_with("cuda") || name.starts_with("__cuda")
            })
            .filter_map(|function| folder_of(&full_path(&function.declared_in()?)))
            .map(|folder| folder.strip_suffix("/crt").unwrap_or(&folder).to_owned())
            .filter(|folder| folder.ends_with("/include"))
            .collect();
        Places {
            toolkit,
            known: HashMap::new(),
        }
    }

    /// File and line: the innermost in the user's files, else the outermost of all.
    pub fn of_location(&mut self, location: Location<'_>) -> Option<(String, u32)> {
        let mut outermost = None;
        for step in location.chain() {
            let Some(file) = step.file() else { continue };
            let place = (file.path.clone(), step.line());
            if step.line() != 0 && self.is_users(file) {
                return Some(place);
            }
            outermost = Some(place);
        }
        outermost
    }

    /// File and line of code that stands in the user's files itself; `None` for a library's, even inlined there.
    pub fn of_users(&mut self, location: Location<'_>) -> Option<(String, u32)> {
        let file = location.file()?;
        let place = (file.path.clone(), location.line());
        self.is_users(file).then_some(place)
    }

    /// True for files that the user wrote, as far as their path tells.
    fn is_users(&mut self, file: SourceFile) -> bool {
        if let Some(known) = self.known.get(&file) {
            return *known;
        }
        let path = full_path(&file);
        let generated = path.ends_with(".cudafe1.stub.c") || file.path.starts_with('<');
        let foreign = path.starts_with("/usr/")
            || self.toolkit.iter().any(|folder| {
                path.strip_prefix(folder.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
            });
        let users = !generated && !foreign && !is_cuda_header(&path);
        self.known.insert(file, users);
        users
    }
}

/// Headers of CUDA by their names, for modules that do not tell where the toolkit lies.
fn is_cuda_header(path: &str) -> bool {
    const FILES: [&str; 7] = [
        "/cuda_runtime.h",
        "/cuda_runtime_api.h",
        "/crt/host_runtime.h",
        "/vector_types.h",
        "/vector_functions.hpp",
        "/channel_descriptor.h",
        "/driver_functions.h",
    ];
    const FOLDERS: [&str; 4] = [
        "/include/thrust/",
        "/include/cub/",
        "/cccl/",
        "/include/cuda/",
    ];
    FILES.iter().any(|file| path.ends_with(file))
        || FOLDERS.iter().any(|folder| path.contains(folder))
}

/// Absolute path without `.` and `..` steps.
fn full_path(file: &SourceFile) -> String {
    let joined = if file.path.starts_with('/') {
        file.path.clone()
    } else {
        format!("{}/{}", file.folder, file.path)
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in joined.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}

fn folder_of(path: &str) -> Option<String> {
    path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_cuda_are_told_by_their_names() {
        for header in [
            "/opt/x/include/cuda_runtime.h",
            "/opt/x/include/thrust/device_vector.h",
            "/a/cccl/cub/device/device_reduce.cuh",
        ] {
            assert!(is_cuda_header(header), "{header}");
        }
        assert!(!is_cuda_header("/home/x/my_cuda_runtime.h"));
        assert!(!is_cuda_header("/home/x/thrust/main.cu"));
    }

    #[test]
    fn paths_lose_their_dots() {
        let file = SourceFile {
            folder: "/build/x".to_owned(),
            path: "../sdk/bin/../include/./a.h".to_owned(),
        };
        assert_eq!(full_path(&file), "/build/sdk/include/a.h");
        assert_eq!(
            folder_of("/build/sdk/include/a.h").as_deref(),
            Some("/build/sdk/include")
        );
    }
}
