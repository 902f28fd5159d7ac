//! Loaded device code (a `CUmodule`, which is a `CUlibrary` too) and its kernels (a `CUfunction`, which is a `CUkernel`
//! too): one object for both names, since the process has one device.

use crate::contexts::CudaContext;
use crate::driver::driver;
use crate::execution::{Code, Made};
use crate::handed_in;
use crate::handles::{Handles, Object, next_handle};
use crate::log;
use crate::status::{Outcome, Status};
use crate::variables::Variables;
use migfit_ptx::link;
use migfit_ptx::outline::{self, KernelOutline, Outline};
use migfit_ptx::source::SourceError;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Loaded device code.
pub struct Image {
    handle: usize,
    kernels: BTreeMap<String, Arc<Kernel>>,
    /// Its variables.
    pub variables: Variables,
    /// Its PTX.
    pub code: Code,
}

/// A kernel.
pub struct Kernel {
    handle: usize,
    /// Its name as the program knows it.
    pub name: CString,
    /// What its PTX declares.
    pub outline: KernelOutline,
    /// Dynamic shared memory that the program opted into; -1: what needs no opting in.
    pub dynamic_shared: AtomicI32,
    /// Preferred split of L1 cache and shared memory.
    pub carveout: AtomicI32,
    /// Whether it may be launched in clusters of more blocks than every GPU allows.
    pub large_clusters: AtomicBool,
    /// Launches that were accepted.
    pub launches: AtomicU64,
    /// Its machine code.
    pub made: Made,
    image: Weak<Image>,
}

static IMAGES: Handles<Image> = Handles::new();
static KERNELS: Handles<Kernel> = Handles::new();

/// Loads device code and gives its handle.
///
/// The pointer is what C callers hand in: a wrapper record, a container, or NUL-terminated PTX.
pub fn load(image: *const u8) -> Outcome<usize> {
    let capability = driver()?.gpu.model().compute_capability;
    let texts = handed_in::texts(image, capability).map_err(refuse)?;
    let files = texts.iter().map(|text| runnable(text, capability));
    let files = files.collect::<Outcome<Vec<_>>>()?;
    let outline = link::link(files).map_err(|error| refuse(error.into()))?;
    let image = Arc::new_cyclic(|image| Image {
        handle: next_handle(),
        kernels: outline
            .kernels
            .into_iter()
            .filter_map(|(name, outline)| kernel(name, outline, image))
            .collect(),
        variables: Variables::new(outline.variables),
        code: Code::new(texts),
    });
    for kernel in image.kernels.values() {
        KERNELS.insert(Arc::clone(kernel));
    }
    Ok(IMAGES.insert(image))
}

/// The outline of a PTX text that this GPU can run.
fn runnable(text: &str, capability: (u32, u32)) -> Outcome<Outline> {
    let (major, minor) = capability;
    let outline = outline::scan(text);
    let target = outline.target.ok_or(Status::INVALID_PTX)?;
    if target > major * 10 + minor {
        return Err(refuse(SourceError::NoPtx { major, minor }));
    }
    Ok(outline)
}

/// Unloads device code; its handles and those of its kernels are stale from now on.
pub fn unload(handle: usize) -> Outcome {
    driver()?;
    let image = IMAGES.remove(handle)?;
    KERNELS.remove_where(|kernel| kernel.image.ptr_eq(&Arc::downgrade(&image)));
    image.variables.free()
}

/// The device code of a handle.
pub fn image(handle: usize) -> Outcome<Arc<Image>> {
    driver()?;
    IMAGES.get(handle)
}

/// The kernel of a handle.
pub fn kernel_of(handle: usize) -> Outcome<Arc<Kernel>> {
    driver()?;
    KERNELS.get(handle)
}

/// The variables of a context went with its memory.
pub fn context_ended(context: u64) {
    IMAGES.remove_where(|image| {
        image.variables.context_ended(context);
        false
    });
}

/// Whether variables of loaded device code begin at this address.
pub fn variables_begin_at(address: u64) -> bool {
    let of_image = |image: &Arc<Image>| image.variables.begin_at(address).then_some(());
    IMAGES.find(of_image).is_some()
}

/// Whether a managed variable of loaded device code lies at this address.
pub fn manages(address: u64) -> bool {
    let of_image = |image: &Arc<Image>| image.variables.manages(address).then_some(());
    IMAGES.find(of_image).is_some()
}

impl Object for Image {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl Object for Kernel {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl Image {
    /// Handle of the kernel with this name.
    pub fn kernel(&self, name: &str) -> Outcome<usize> {
        self.kernels
            .get(name)
            .map(|kernel| kernel.handle())
            .ok_or(Status::NOT_FOUND)
    }

    /// Handles of all kernels, by name.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.kernels.values().map(|kernel| kernel.handle())
    }

    /// Loads the code into a context: its variables take device memory there from now on.
    pub fn load_into(&self, context: &CudaContext) -> Outcome {
        self.variables.place(context, &self.code)
    }

    /// Address and size of a variable in a context, into which the code is loaded.
    pub fn variable(&self, context: &CudaContext, name: &str) -> Outcome<(u64, usize)> {
        self.variables.find(context, name, &self.code)
    }
}

impl Kernel {
    /// Loads the device code that it is from into a context.
    pub fn load_into(&self, context: &CudaContext) -> Outcome {
        self.code()?.load_into(context)
    }

    /// The device code that it is from.
    pub fn code(&self) -> Outcome<Arc<Image>> {
        self.image.upgrade().ok_or(Status::INVALID_HANDLE)
    }

    /// Handle of the device code that it is from.
    pub fn image(&self) -> Outcome<usize> {
        self.image
            .upgrade()
            .map(|image| image.handle())
            .ok_or(Status::INVALID_HANDLE)
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub fn most_dynamic_shared(&self) -> u32 {
        let default = crate::limits::SHARED_PER_BLOCK.saturating_sub(self.static_shared());
        u32::try_from(self.dynamic_shared.load(Ordering::Relaxed)).unwrap_or(default)
    }

    /// Bytes of static shared memory.
    pub fn static_shared(&self) -> u32 {
        u32::try_from(self.outline.shared).unwrap_or(u32::MAX)
    }
}

fn kernel(
    name: String,
    outline: KernelOutline,
    image: &Weak<Image>,
) -> Option<(String, Arc<Kernel>)> {
    let kernel = Kernel {
        handle: next_handle(),
        name: CString::new(name.as_str()).ok()?,
        outline,
        dynamic_shared: AtomicI32::new(-1),
        carveout: AtomicI32::new(-1),
        large_clusters: AtomicBool::new(false),
        launches: AtomicU64::new(0),
        made: Made::new(),
        image: Weak::clone(image),
    };
    Some((name, Arc::new(kernel)))
}

fn refuse(error: SourceError) -> Status {
    log::explain(&error.to_string());
    match error {
        SourceError::NoPtx { .. } => Status::NO_BINARY_FOR_GPU,
        SourceError::Image(_) => Status::INVALID_IMAGE,
        SourceError::NotText | SourceError::Link(_) => Status::INVALID_PTX,
    }
}
