//! Rows of OpenMP's run-time support as clang calls it, and of MPI as one process sees it.

use super::letters::{DROPPED, Effect, Returns, State, plain, stateful};

/// The effect of a function, when it has a row here.
pub fn effect(name: &str) -> Option<Effect> {
    openmp(name).or_else(|| mpi(name))
}

fn openmp(name: &str) -> Option<Effect> {
    let threads = |letters| stateful(letters, Returns::Value, State::Threads);
    Some(match name {
        "__kmpc_fork_call" => threads("--f-"),
        "__kmpc_for_static_init_4"
        | "__kmpc_for_static_init_4u"
        | "__kmpc_for_static_init_8"
        | "__kmpc_for_static_init_8u" => threads("---bbbb--"),
        "__kmpc_dispatch_next_4"
        | "__kmpc_dispatch_next_4u"
        | "__kmpc_dispatch_next_8"
        | "__kmpc_dispatch_next_8u" => threads("--wwww"),
        "__kmpc_dispatch_init_4"
        | "__kmpc_dispatch_init_4u"
        | "__kmpc_dispatch_init_8"
        | "__kmpc_dispatch_init_8u"
        | "__kmpc_push_num_threads"
        | "__kmpc_barrier"
        | "__kmpc_single"
        | "__kmpc_master"
        | "__kmpc_masked"
        | "__kmpc_global_thread_num"
        | "omp_get_thread_num"
        | "omp_get_num_threads"
        | "omp_get_max_threads"
        | "omp_set_num_threads"
        | "omp_in_parallel" => threads("-"),
        // The last thread's own result is added in place: the function that joins two is not called.
        "__kmpc_reduce" | "__kmpc_reduce_nowait" => plain("-", Returns::Value),
        "__kmpc_for_static_fini"
        | "__kmpc_dispatch_deinit"
        | "__kmpc_critical"
        | "__kmpc_critical_with_hint"
        | "__kmpc_end_critical"
        | "__kmpc_end_single"
        | "__kmpc_end_master"
        | "__kmpc_end_masked"
        | "__kmpc_end_reduce"
        | "__kmpc_end_reduce_nowait"
        | "__kmpc_flush"
        | "__kmpc_ordered"
        | "__kmpc_end_ordered"
        | "omp_set_dynamic"
        | "omp_set_nested"
        | "omp_init_lock"
        | "omp_destroy_lock"
        | "omp_set_lock"
        | "omp_unset_lock" => DROPPED,
        _ => return None,
    })
}

fn mpi(name: &str) -> Option<Effect> {
    Some(match name {
        "MPI_Init" => plain("-", Returns::Value),
        "MPI_Init_thread" => plain("---w", Returns::Value),
        "MPI_Comm_rank" | "MPI_Comm_size" | "MPI_Comm_dup" => plain("-w", Returns::Value),
        "MPI_Comm_split" => plain("---w", Returns::Value),
        "MPI_Initialized" | "MPI_Finalized" => plain("w", Returns::Value),
        "MPI_Get_processor_name" => plain("ww", Returns::Value),
        "MPI_Allreduce" => plain("rw-", Returns::Value),
        "MPI_Reduce" => plain("rw-", Returns::Value),
        "MPI_Wtime" | "MPI_Abort" => plain("-", Returns::Value),
        "MPI_Finalize" | "MPI_Barrier" | "MPI_Bcast" | "MPI_Comm_free" | "MPI_Pcontrol" => DROPPED,
        _ => return None,
    })
}
