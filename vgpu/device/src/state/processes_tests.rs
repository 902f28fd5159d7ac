//! Memory accounting: against a model, and with processes that die.

use super::error::StateError;
use super::gpu::VirtualGpu;
use super::layout::{DEFAULT_DELAY, Tables};
use super::liveness;
use super::processes::{self, Holder};
use super::slices::Slice;
use crate::context::{Context, context_cost};
use crate::settings::{MigSetting, Settings};
use migfit_schema::units::{Bytes, Mib};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;

const CAPACITY: u64 = 1000;

/// Four holders: this process on two compute instances of one GPU instance, and on two other GPU instances.
fn holder(nth: usize) -> Holder {
    let pid = std::process::id();
    let started = liveness::started_at(pid).unwrap();
    let (gpu_instance, compute_instance) = [(1, 0), (1, 1), (2, 0), (7, 0)][nth];
    Holder {
        pid,
        started,
        gpu_instance,
        compute_instance,
    }
}

proptest! {
    #[test]
    fn charges_are_refused_exactly_when_the_gpu_instance_is_full(
        steps in prop::collection::vec((0_usize..4, 0_u64..600, any::<bool>()), 1..80)
    ) {
        let mut tables = Box::new(Tables::EMPTY);
        let mut held: BTreeMap<usize, u64> = BTreeMap::new();
        for (nth, bytes, back) in steps {
            let holder = holder(nth);
            let mine = held.get(&nth).copied().unwrap_or(0);
            if back {
                let bytes = bytes.min(mine);
                processes::uncharge(&mut tables, &holder, bytes);
                held.insert(nth, mine - bytes);
            } else {
                let sisters = held.iter().filter(|(other, _)| (**other < 2) == (nth < 2) && (nth < 2 || **other == nth));
                let used: u64 = sisters.map(|(_, bytes)| *bytes).sum();
                let charged = processes::charge(&mut tables, &holder, bytes, CAPACITY);
                prop_assert_eq!(charged.is_ok(), used + bytes <= CAPACITY);
                if charged.is_ok() {
                    held.insert(nth, mine + bytes);
                }
            }
            let expected: u64 = held.values().sum();
            let listed: u64 = processes::list(&tables).iter().map(|process| process.bytes.0).sum();
            prop_assert_eq!(listed, expected);
        }
    }
}

fn slice() -> (TempDir, Arc<VirtualGpu>, Slice) {
    let folder = tempfile::tempdir().unwrap();
    let gpu = VirtualGpu::open(&folder.path().join("state"), Some("a100-40gb")).unwrap();
    let owner = gpu.create_gpu_instance(19, None).unwrap().id;
    gpu.create_compute_instance(owner, 0, None).unwrap();
    let slice = gpu.slices().unwrap().remove(0);
    (folder, Arc::new(gpu), slice)
}

#[test]
fn memory_runs_out_at_the_slices_size_with_the_context_counted() {
    let (_folder, gpu, slice) = slice();
    let context = Context::new(Arc::clone(&gpu), slice.clone()).unwrap();
    let free = slice.memory.to_bytes().0 - context_cost(slice.sms).0;
    assert_eq!(context.memory().unwrap().free(), Bytes(free));
    let all = context.allocate(Bytes(free)).unwrap();
    let refused = context.allocate(Bytes(1));
    assert!(
        matches!(refused, Err(StateError::OutOfMemory { free: 0, .. })),
        "{refused:?}"
    );
    assert!(context.free(all).unwrap());
    assert_eq!(context.memory().unwrap().free(), Bytes(free));
    drop(context);
    let after = gpu.memory(slice.instance.map(|(gi, _)| gi)).unwrap();
    assert_eq!(
        (after.used, gpu.snapshot().unwrap().processes.len()),
        (Bytes(0), 0)
    );
}

#[test]
fn threads_that_allocate_and_free_at_once_leave_nothing_behind() {
    let (_folder, gpu, slice) = slice();
    let context = Context::new(Arc::clone(&gpu), slice.clone()).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4_u64 {
            let context = &context;
            scope.spawn(move || {
                for nth in 1..=50_u64 {
                    let large = context.allocate(Bytes(thread << 20)).unwrap();
                    let small = context.allocate(Bytes(nth * 100)).unwrap();
                    assert!(context.free(large).unwrap() && context.free(small).unwrap());
                }
            });
        }
    });
    let used = gpu.memory(slice.instance.map(|(gi, _)| gi)).unwrap().used;
    assert_eq!(used, context_cost(slice.sms));
}

#[test]
fn an_instance_with_a_process_is_in_use() {
    let (_folder, gpu, slice) = slice();
    let (owner, compute) = slice.instance.unwrap();
    let context = Context::new(Arc::clone(&gpu), slice).unwrap();
    assert!(matches!(
        gpu.destroy_compute_instance(owner, compute),
        Err(StateError::InUse(_))
    ));
    drop(context);
    // A moment after its end it still is, and so is the GPU instance after that.
    for _ in 0..DEFAULT_DELAY {
        let answer = gpu.destroy_compute_instance(owner, compute);
        assert!(matches!(answer, Err(StateError::InUse(_))));
    }
    gpu.destroy_compute_instance(owner, compute).unwrap();
    for _ in 0..DEFAULT_DELAY {
        let answer = gpu.destroy_gpu_instance(owner);
        assert!(matches!(answer, Err(StateError::InUse(_))));
    }
    gpu.destroy_gpu_instance(owner).unwrap();
}

#[test]
fn with_mig_off_a_context_holds_the_whole_gpu_and_keeps_the_mode() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        mig: Some(MigSetting::Off),
        ..Settings::of_model("h100-80gb-sxm")
    };
    let gpu = VirtualGpu::set_up(&folder.path().join("state"), &settings).unwrap();
    let whole = gpu.slices().unwrap().remove(0);
    let gpu = Arc::new(gpu);
    let context = Context::new(Arc::clone(&gpu), whole).unwrap();
    context.allocate(Mib(30000).to_bytes()).unwrap();
    assert!(matches!(gpu.set_mig_mode(true), Err(StateError::InUse(_))));
    let used = Mib(30000).to_bytes().saturating_add(context_cost(132));
    assert_eq!(gpu.memory(None).unwrap().used, used);
    drop(context);
    gpu.set_mig_mode(true).unwrap();
}

#[test]
fn what_a_program_held_before_it_became_another_is_forgotten() {
    let (_folder, gpu, slice) = slice();
    let context = Context::new(Arc::clone(&gpu), slice).unwrap();
    // As exec does: nothing of the old program runs any more.
    std::mem::forget(context);
    assert_eq!(gpu.snapshot().unwrap().processes.len(), 1);
    gpu.forget_earlier_program().unwrap();
    assert_eq!(gpu.snapshot().unwrap().processes, []);
}

#[test]
fn a_context_on_a_slice_that_is_gone_is_refused() {
    let (_folder, gpu, slice) = slice();
    let (owner, compute) = slice.instance.unwrap();
    gpu.destroy_compute_instance(owner, compute).unwrap();
    assert!(matches!(
        Context::new(gpu, slice),
        Err(StateError::NotFound(_))
    ));
}

#[test]
fn a_killed_process_gives_its_memory_back_before_anyone_waits_for_it() {
    let (_folder, gpu, slice) = slice();
    let mut pipe = [0; 2];
    // SAFETY: room for two descriptors.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    // SAFETY: the child only allocates and waits for its end.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let context = Context::new(Arc::clone(&gpu), slice.clone());
        let held = context.and_then(|context| {
            context.allocate(Mib(4000).to_bytes())?;
            std::mem::forget(context);
            Ok(())
        });
        let told = [u8::from(held.is_ok())];
        // SAFETY: writes one byte, then waits to be killed.
        unsafe {
            libc::write(pipe[1], told.as_ptr().cast(), 1);
            libc::pause();
            libc::_exit(1);
        }
    }
    let mut told = [0];
    // SAFETY: room for one byte.
    let read = unsafe { libc::read(pipe[0], told.as_mut_ptr().cast(), 1) };
    assert_eq!(read, 1);
    assert_eq!(told, [1]);
    let context = Context::new(Arc::clone(&gpu), slice.clone()).unwrap();
    assert!(matches!(
        context.allocate(Mib(1000).to_bytes()),
        Err(StateError::OutOfMemory { .. })
    ));
    // SAFETY: kills our own child, and waits for its death without reaping it: it stays a zombie.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        let mut about = std::mem::zeroed();
        assert_eq!(
            libc::waitid(
                libc::P_PID,
                child.cast_unsigned(),
                &raw mut about,
                libc::WEXITED | libc::WNOWAIT
            ),
            0
        );
    }
    context.allocate(Mib(1000).to_bytes()).unwrap();
    let pids: Vec<_> = gpu
        .snapshot()
        .unwrap()
        .processes
        .iter()
        .map(|process| process.pid)
        .collect();
    assert_eq!(pids, [std::process::id()]);
    // SAFETY: reaps our own child.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
}
