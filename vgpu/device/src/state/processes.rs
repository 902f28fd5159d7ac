//! The table of processes that hold a context: charging memory, giving it back, and forgetting the dead.

use super::error::StateError;
use super::layout::{NO_INSTANCE, ProcessRow, Tables};
use super::liveness;
use migfit_schema::units::Bytes;

/// A process on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUse {
    /// Process id.
    pub pid: u32,
    /// GI id; `None` on a GPU with MIG off.
    pub gpu_instance: Option<u32>,
    /// CI id; `None` on a GPU with MIG off.
    pub compute_instance: Option<u32>,
    /// Bytes held, the context included.
    pub bytes: Bytes,
}

/// Memory of a GPU instance or of the whole GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// All of it.
    pub total: Bytes,
    /// Held by processes, contexts included.
    pub used: Bytes,
}

impl MemoryUse {
    /// What is left.
    #[must_use]
    pub fn free(self) -> Bytes {
        Bytes(self.total.0.saturating_sub(self.used.0))
    }
}

/// Who charges: the calling process on one slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// When that process started.
    pub started: u64,
    /// GI id, or `NO_INSTANCE`.
    pub gpu_instance: u32,
    /// CI id, or `NO_INSTANCE`.
    pub compute_instance: u32,
}

impl Holder {
    /// The calling process on a slice, which is a GPU instance and compute instance or the whole GPU.
    pub fn here(instance: Option<(u32, u32)>) -> Result<Holder, StateError> {
        let pid = std::process::id();
        let started = liveness::started_at(pid)
            .ok_or_else(|| StateError::NotFound(format!("process {pid} in /proc")))?;
        let (gpu_instance, compute_instance) = instance.unwrap_or((NO_INSTANCE, NO_INSTANCE));
        Ok(Holder {
            pid,
            started,
            gpu_instance,
            compute_instance,
        })
    }

    fn is_process_of(&self, row: &ProcessRow) -> bool {
        row.taken == 1 && row.pid == self.pid && row.started == self.started
    }

    fn owns(&self, row: &ProcessRow) -> bool {
        self.is_process_of(row)
            && row.gpu_instance == self.gpu_instance
            && row.compute_instance == self.compute_instance
    }
}

/// Frees the rows of processes that are gone; whether there were any.
pub fn reap(tables: &mut Tables) -> bool {
    end_rows(tables, |row| !liveness::is_alive(row.pid, row.started))
}

/// Frees taken rows; the instances that they were on linger for a moment. Whether there were any.
fn end_rows(tables: &mut Tables, has_ended: impl Fn(&ProcessRow) -> bool) -> bool {
    let lingering = u32::try_from(tables.delay).unwrap_or(u32::MAX);
    let mut any = false;
    for row in &mut tables.processes {
        if row.taken == 0 || !has_ended(row) {
            continue;
        }
        row.taken = 0;
        any = true;
        let owners = tables.gpu_instances.iter_mut();
        for owner in owners.filter(|owner| owner.taken == 1 && owner.id == row.gpu_instance) {
            owner.lingering = lingering;
        }
        let instances = tables.compute_instances.iter_mut();
        for instance in instances.filter(|instance| {
            instance.taken == 1
                && instance.gpu_instance == row.gpu_instance
                && instance.id == row.compute_instance
        }) {
            instance.lingering = lingering;
        }
    }
    any
}

/// Bytes that rows on this GPU instance hold.
pub fn used(tables: &Tables, gpu_instance: u32) -> u64 {
    let rows = tables.processes.iter();
    rows.filter(|row| row.taken == 1 && row.gpu_instance == gpu_instance)
        .fold(0, |sum: u64, row| sum.saturating_add(row.bytes))
}

/// Adds `bytes` to what the holder has, if `capacity` holds it. Makes its row where there is none.
pub fn charge(
    tables: &mut Tables,
    holder: &Holder,
    bytes: u64,
    capacity: u64,
) -> Result<(), StateError> {
    let fits =
        |tables: &Tables| capacity.saturating_sub(used(tables, holder.gpu_instance)) >= bytes;
    if !fits(tables) {
        reap(tables);
    }
    if !fits(tables) {
        let free = capacity.saturating_sub(used(tables, holder.gpu_instance));
        return Err(StateError::OutOfMemory {
            wanted: bytes,
            free,
        });
    }
    let row = row_of(tables, holder)?;
    row.bytes = row.bytes.saturating_add(bytes);
    Ok(())
}

/// Takes `bytes` off what the holder has. A holder of nothing, not even a context, is forgotten.
pub fn uncharge(tables: &mut Tables, holder: &Holder, bytes: u64) {
    if let Some(row) = tables.processes.iter_mut().find(|row| holder.owns(row)) {
        row.bytes = row.bytes.saturating_sub(bytes);
    }
    end_rows(tables, |row| holder.owns(row) && row.bytes == 0);
}

/// Whether the holder's process holds anything, on any slice.
pub fn holds_anything(tables: &Tables, holder: &Holder) -> bool {
    tables.processes.iter().any(|row| holder.is_process_of(row))
}

/// Forgets the holder's process with all that it holds, on any slice.
pub fn release(tables: &mut Tables, holder: &Holder) {
    end_rows(tables, |row| holder.is_process_of(row));
}

/// Processes in the table, by pid.
pub fn list(tables: &Tables) -> Vec<ProcessUse> {
    let instance = |id: u32| (id != NO_INSTANCE).then_some(id);
    let rows = tables.processes.iter().filter(|row| row.taken == 1);
    let mut found: Vec<_> = rows
        .map(|row| ProcessUse {
            pid: row.pid,
            gpu_instance: instance(row.gpu_instance),
            compute_instance: instance(row.compute_instance),
            bytes: Bytes(row.bytes),
        })
        .collect();
    found.sort_by_key(|process| process.pid);
    found
}

fn row_of<'a>(tables: &'a mut Tables, holder: &Holder) -> Result<&'a mut ProcessRow, StateError> {
    if !tables.processes.iter().any(|row| holder.owns(row)) {
        if tables.processes.iter().all(|row| row.taken == 1) {
            reap(tables);
        }
        let free = tables.processes.iter_mut().find(|row| row.taken == 0);
        *free.ok_or(StateError::TableFull("processes"))? = ProcessRow {
            taken: 1,
            pid: holder.pid,
            started: holder.started,
            gpu_instance: holder.gpu_instance,
            compute_instance: holder.compute_instance,
            bytes: 0,
        };
    }
    let mut rows = tables.processes.iter_mut();
    rows.find(|row| holder.owns(row))
        .ok_or(StateError::TableFull("processes"))
}
