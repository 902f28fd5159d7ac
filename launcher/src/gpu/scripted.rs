//! A driver with scripted answers, for tests of what the virtual GPU cannot do: several GPUs, refusals at any call.
//! Its GPU instances follow the layout rules of crate mig.

use crate::gpu::GpuError;
use crate::gpu::driver::{
    Driver, Machine, MigMode, ProfileId, ProfileIndex, ToldBoard, ToldInstance, ToldMemory,
    ToldProcess, ToldProfile, ToldSlice,
};
use migfit_mig::{Layout, Model, Placed, Placement};
use std::cell::RefCell;
use std::rc::Rc;

/// Makes the error of a refused call.
pub type Refusal = fn(&'static str) -> GpuError;

/// "In use", as one attempt is told.
pub fn in_use(call: &'static str) -> GpuError {
    GpuError::InUse { call }
}

/// "No permission".
pub fn no_permission(call: &'static str) -> GpuError {
    GpuError::NoPermission { call }
}

/// Any other refusal.
pub fn broken(call: &'static str) -> GpuError {
    GpuError::Driver {
        call,
        reason: "scripted".to_owned(),
    }
}

struct Refused {
    call: &'static str,
    times: u32,
    with: Refusal,
}

/// What is behind all handles of one scripted GPU.
pub struct State {
    pub model: Model,
    pub board: ToldBoard,
    pub mode: MigMode,
    pub named: bool,
    pub there: Vec<ToldInstance>,
    pub compute: Vec<(u32, u32)>,
    pub processes: Vec<ToldProcess>,
    refused: Vec<Refused>,
    pub calls: Vec<&'static str>,
}

/// One scripted GPU. Clones are the same GPU.
#[derive(Clone)]
pub struct Scripted {
    uuid: String,
    pub state: Rc<RefCell<State>>,
}

impl Scripted {
    /// A board of this model, with MIG on and nothing made.
    pub fn of(model: &str) -> Scripted {
        let model = migfit_mig::find(model).unwrap().clone();
        Scripted {
            uuid: format!("GPU-{}", model.name),
            state: Rc::new(RefCell::new(State {
                board: told_board(&model),
                model,
                mode: MigMode::On,
                named: true,
                there: Vec::new(),
                compute: Vec::new(),
                processes: Vec::new(),
                refused: Vec::new(),
                calls: Vec::new(),
            })),
        }
    }

    /// In this MIG mode.
    pub fn mode(self, mode: MigMode) -> Scripted {
        self.state.borrow_mut().mode = mode;
        self
    }

    /// With a process that runs on it.
    pub fn used_by(self, pid: u32, gi: Option<u32>) -> Scripted {
        self.state
            .borrow_mut()
            .processes
            .push(ToldProcess { pid, gi });
        self
    }

    /// Refuses this call so many times.
    pub fn refusing(self, call: &'static str, times: u32, with: Refusal) -> Scripted {
        self.state
            .borrow_mut()
            .refused
            .push(Refused { call, times, with });
        self
    }

    /// With these GPU instances of others.
    pub fn with(self, layout: &str) -> Scripted {
        let mut state = self.state.borrow_mut();
        let layout = Layout::parse(&state.model, layout).unwrap();
        for placed in layout.placed() {
            let id = state.model.profile(placed.profile).unwrap().id;
            state.make(ProfileId(id), placed.placement);
        }
        drop(state);
        self
    }

    /// With a compute instance on each of them.
    pub fn with_devices(self, layout: &str) -> Scripted {
        let gpu = self.with(layout);
        let mut state = gpu.state.borrow_mut();
        let all: Vec<(u32, u32)> = state.there.iter().map(|told| (told.gi, 0)).collect();
        state.compute = all;
        drop(state);
        gpu
    }

    /// What is there, as text.
    pub fn layout(&self) -> String {
        self.state.borrow().layout().to_string()
    }

    /// How often this was called.
    pub fn count(&self, call: &str) -> usize {
        let state = self.state.borrow();
        state.calls.iter().filter(|called| **called == call).count()
    }

    fn called(&self, call: &'static str) -> Result<(), GpuError> {
        let mut state = self.state.borrow_mut();
        state.calls.push(call);
        let refused = state.refused.iter_mut();
        let mut refused = refused.filter(|one| one.call == call && one.times > 0);
        match refused.next() {
            None => Ok(()),
            Some(one) => {
                one.times -= 1;
                Err((one.with)(call))
            }
        }
    }
}

impl State {
    fn layout(&self) -> Layout {
        let placed = self.there.iter().map(|told| {
            let profile = self.model.profiles.iter().find(|p| p.id == told.profile.0);
            Placed {
                placement: told.placement,
                profile: profile.unwrap().name,
            }
        });
        Layout::of(&self.model, placed).unwrap()
    }

    fn make(&mut self, profile: ProfileId, placement: Placement) -> ToldInstance {
        let gi = 1 + self.there.iter().map(|told| told.gi).max().unwrap_or(0);
        let told = ToldInstance {
            gi,
            profile,
            placement,
        };
        self.there.push(told);
        told
    }
}

/// What a driver would tell of a board of this model.
pub fn told_board(model: &Model) -> ToldBoard {
    let bytes = model.memory_mib.to_bytes();
    ToldBoard {
        name: model.board().to_owned(),
        compute_capability: model.compute_capability,
        memory: Some(ToldMemory {
            total: bytes,
            free: bytes,
        }),
        cores: None,
        pci_device_id: Some(model.pci_device_id),
    }
}

/// What a driver would tell of each MIG profile of this model, where the model has all of it.
pub fn told_profiles(model: &Model, named: bool) -> Vec<ToldProfile> {
    let told = |profile: &migfit_mig::MigProfile| {
        Some(ToldProfile {
            index: ProfileIndex(profile.nvml_index),
            id: ProfileId(profile.id),
            name: named.then(|| format!("MIG {}", profile.name)),
            sm_slices: profile.compute_slices(),
            sms: profile.sms?,
            count: profile.max_count,
            memory_mib: profile.memory_mib.0,
            engines: profile.engines.unwrap_or_default(),
        })
    };
    model.profiles.iter().filter_map(told).collect()
}

impl Driver for Scripted {
    fn uuid(&self) -> &str {
        &self.uuid
    }

    fn minor(&self) -> Option<u32> {
        None
    }

    fn version(&self) -> Result<String, GpuError> {
        self.called("version").map(|()| "580.00".to_owned())
    }

    fn board(&self) -> Result<ToldBoard, GpuError> {
        self.called("board")?;
        Ok(self.state.borrow().board.clone())
    }

    fn mig_mode(&self) -> Result<MigMode, GpuError> {
        self.called("mig_mode")?;
        Ok(self.state.borrow().mode)
    }

    fn profiles(&self) -> Result<Vec<ToldProfile>, GpuError> {
        self.called("profiles")?;
        let state = self.state.borrow();
        Ok(told_profiles(&state.model, state.named))
    }

    fn placements(&self, ProfileId(id): ProfileId) -> Result<Vec<Placement>, GpuError> {
        self.called("placements")?;
        let state = self.state.borrow();
        let profile = state.model.profiles.iter().find(|p| p.id == id);
        Ok(profile.unwrap().placements().collect())
    }

    fn remaining(&self, _profile: ProfileId) -> Result<u32, GpuError> {
        self.called("remaining").map(|()| 1)
    }

    fn instances(&self, profile: ProfileId, _count: u32) -> Result<Vec<ToldInstance>, GpuError> {
        self.called("instances")?;
        let state = self.state.borrow();
        let of_it = state.there.iter().filter(|told| told.profile == profile);
        Ok(of_it.copied().collect())
    }

    fn create_instance(
        &self,
        profile: ProfileId,
        place: Placement,
    ) -> Result<ToldInstance, GpuError> {
        self.called("create_instance")?;
        let mut state = self.state.borrow_mut();
        if state
            .there
            .iter()
            .any(|told| told.placement.overlaps(place))
        {
            return Err(GpuError::NoRoom {
                call: "create_instance",
            });
        }
        Ok(state.make(profile, place))
    }

    fn create_full_compute(&self, gi: u32, _sm_slices: u32) -> Result<u32, GpuError> {
        self.called("create_full_compute")?;
        self.state.borrow_mut().compute.push((gi, 0));
        Ok(0)
    }

    fn destroy_compute(&self, gi: u32, ci: u32) -> Result<(), GpuError> {
        self.called("destroy_compute")?;
        let mut state = self.state.borrow_mut();
        let before = state.compute.len();
        state.compute.retain(|&one| one != (gi, ci));
        match state.compute.len() < before {
            true => Ok(()),
            false => Err(GpuError::NotFound {
                call: "destroy_compute",
            }),
        }
    }

    fn destroy_instance(&self, gi: u32) -> Result<(), GpuError> {
        self.called("destroy_instance")?;
        let mut state = self.state.borrow_mut();
        assert!(
            state.compute.iter().all(|&(of, _)| of != gi),
            "it still holds a compute instance"
        );
        state.there.retain(|told| told.gi != gi);
        Ok(())
    }

    fn mig_uuid(&self, gi: u32, ci: u32) -> Result<Option<String>, GpuError> {
        self.called("mig_uuid")?;
        let there = self.state.borrow().compute.contains(&(gi, ci));
        Ok(there.then(|| format!("MIG-{gi}-{ci}")))
    }

    fn slices(&self) -> Result<Vec<ToldSlice>, GpuError> {
        self.called("slices")?;
        let may_look = self.called("placement_of").is_ok();
        let state = self.state.borrow();
        let of = |&(gi, ci): &(u32, u32)| {
            let told = state.there.iter().find(|told| told.gi == gi).unwrap();
            let profiles = state.model.profiles.iter();
            let profile = profiles.clone().find(|p| p.id == told.profile.0).unwrap();
            ToldSlice {
                uuid: format!("MIG-{gi}-{ci}"),
                gi,
                ci,
                name: state
                    .named
                    .then(|| format!("{} MIG {}", state.board.name, profile.name)),
                sm_slices: profile.name.slices,
                sms: profile.sms.unwrap(),
                memory_mib: profile.memory_mib.0,
                placement: may_look.then_some(told.placement),
            }
        };
        Ok(state.compute.iter().map(of).collect())
    }

    fn processes(&self) -> Result<Vec<ToldProcess>, GpuError> {
        self.called("processes")?;
        Ok(self.state.borrow().processes.clone())
    }
}

/// Several scripted GPUs.
pub struct Rack(pub Vec<Scripted>);

impl Machine for Rack {
    type Gpu = Scripted;

    fn count(&self) -> Result<u32, GpuError> {
        Ok(u32::try_from(self.0.len()).unwrap())
    }

    fn by_index(&self, index: u32) -> Result<Scripted, GpuError> {
        let gpu = self.0.get(index as usize).ok_or_else(|| GpuError::NoGpu {
            which: index.to_string(),
        })?;
        gpu.called("by_index")?;
        Ok(gpu.clone())
    }

    fn by_uuid(&self, uuid: &str) -> Result<Scripted, GpuError> {
        let found = self.0.iter().find(|gpu| gpu.uuid == uuid);
        found.cloned().ok_or_else(|| GpuError::NoGpu {
            which: uuid.to_owned(),
        })
    }
}
