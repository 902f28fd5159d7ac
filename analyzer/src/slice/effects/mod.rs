//! What a function outside the program reads, writes and returns: tables by name. Worth more than its models in
//! `sizes`: a missing row makes everything reachable from the arguments written.

mod closed;
mod cuda;
mod cuda_rows;
mod cxx;
mod driver_rows;
mod exceptions;
mod letters;
mod libc;
mod math;
mod parallel;

pub use letters::{Effect, Returns, State, Use};

/// The effect of a function, when it has a row.
pub fn effect(name: &str) -> Option<Effect> {
    let plain = name
        .strip_prefix("__isoc99_")
        .or(name.strip_prefix("__isoc23_"))
        .unwrap_or(name);
    libc::effect(plain)
        .or_else(|| math::effect(plain))
        .or_else(|| parallel::effect(plain))
        .or_else(|| cuda::effect(plain))
        .or_else(|| closed::effect(plain))
        .or_else(|| cxx::effect(plain))
        .or_else(|| exceptions::effect(plain))
}

/// Whether a function gives a CUDA status, which is taken as success; also where nothing else is known of it.
pub fn gives_status(name: &str) -> bool {
    match effect(name) {
        Some(effect) => effect.returns == Returns::Status,
        None => cuda::moves_by_structure(name),
    }
}

/// Whether a function may call what it is given as this argument; one without a row may.
pub fn may_call(name: &str, index: usize) -> bool {
    effect(name).is_none_or(|effect| effect.of_argument(index) == Use::Calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_letter_holds_for_every_further_argument() {
        let scan = effect("__isoc99_fscanf").unwrap();
        assert_eq!(scan.of_argument(0), Use::Both);
        assert_eq!(scan.of_argument(1), Use::Reads);
        assert_eq!(
            (scan.of_argument(2), scan.of_argument(9)),
            (Use::Writes, Use::Writes)
        );
    }

    #[test]
    fn cuda_gives_a_status_and_strangers_have_no_row() {
        assert_eq!(effect("cudaMemset").unwrap().returns, Returns::Status);
        assert_eq!(effect("cuInit").unwrap().returns, Returns::Status);
        assert_eq!(effect("sqrtf").unwrap().returns, Returns::Value);
        assert!(effect("mystery").is_none());
        assert!(effect("cube").is_none());
    }

    #[test]
    fn a_copy_to_the_host_writes_there_whatever_its_form() {
        for name in [
            "cudaMemcpy",
            "cudaMemcpy2DAsync",
            "cudaMemcpyFromSymbolAsync",
            "cuMemcpyDtoH_v2",
        ] {
            assert_eq!(effect(name).unwrap().of_argument(0), Use::Writes, "{name}");
        }
        assert!(
            effect("cudaMemcpy3D").is_none() && gives_status("cudaMemcpy3D"),
            "its pointers lie in a structure"
        );
    }

    #[test]
    fn output_and_release_are_dropped_but_not_the_release_of_device_memory() {
        for name in ["printf", "fclose", "free", "usleep"] {
            assert!(effect(name).unwrap().dropped, "{name}");
        }
        assert!(!effect("cudaFree").unwrap().dropped);
    }

    #[test]
    fn only_some_call_back() {
        assert!(may_call("qsort", 3) && !may_call("qsort", 0));
        assert!(may_call("mystery", 0) && !may_call("strcmp", 0));
    }

    #[test]
    fn readers_of_one_stream_share_its_state() {
        for name in ["fgets", "fread", "fscanf", "fgetc", "getline", "fseek"] {
            let effect = effect(name).unwrap();
            let stream = (0..4).find(|index| effect.of_argument(*index) == Use::Both);
            assert!(stream.is_some(), "{name}");
        }
        assert_eq!(
            effect("rand").unwrap().state,
            effect("srand").unwrap().state
        );
        assert_eq!(
            effect("read").unwrap().state,
            effect("lseek").unwrap().state
        );
    }
}
