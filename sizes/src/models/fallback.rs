//! Functions without a model, judged by their name: C++ output, other CUDA calls, closed libraries, throwing helpers.

use super::cuda::closed;
use super::cxx::exceptions;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// What a call without a model is taken to give; `None`: nothing is known.
pub fn call(host: &mut Host<'_>, name: &str, args: &[Value]) -> Result<Option<Value>, Halt> {
    if name.starts_with("_ZSt") && name.contains("__throw_") {
        return exceptions::library_throw(host, name, args).map(Some);
    }
    if let Some(status) = closed::call(host, name) {
        return Ok(Some(status));
    }
    if !is_cuda(name) {
        if host.parts_unseen && !is_standard(name) {
            let reason = "it may allocate: linked objects were compiled without migfit";
            note(host, &format!("call of {name}"), reason.to_owned());
        }
        return Ok(None);
    }
    host.notes.cuda_calls += 1;
    if name.contains("Alloc") || name.contains("alloc") || name == "cuMemCreate" {
        let what = format!("size of {name}");
        note(host, &what, "this call has no model".to_owned());
    }
    if name.contains("Launch") {
        note(
            host,
            &format!("shape of {name}"),
            "this call has no model".to_owned(),
        );
    }
    // The status of a CUDA call is success.
    Ok(Some(Value::int(0)))
}

fn note(host: &mut Host<'_>, what: &str, reason: String) {
    let place = host.place;
    host.notes.unknown(place, what, reason);
    host.notes.missed_allocation = true;
}

/// True for functions of closed libraries, which take device memory of their own.
pub fn is_closed(name: &str) -> bool {
    migfit_schema::closed::library(name).is_some()
}

/// True for names that belong to the C++ library or the compiler.
fn is_standard(name: &str) -> bool {
    const STARTS: [&str; 6] = ["_ZS", "_ZNS", "_ZNKS", "_ZGVNS", "__", "_Unwind"];
    STARTS.iter().any(|start| name.starts_with(start))
}

/// True for calls of the CUDA runtime (`cudaX`) and driver (`cuX`).
pub fn is_cuda(name: &str) -> bool {
    let upper = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    name.strip_prefix("__cuda")
        .or_else(|| name.strip_prefix("cuda"))
        .is_some_and(upper)
        || name.strip_prefix("cu").is_some_and(upper)
}

/// True for the C++ library's output to a stream; each gives the stream back.
pub fn is_output(name: &str) -> bool {
    const STARTS: [&str; 10] = [
        "_ZNSolsE",
        "_ZStlsIcSt11char_traitsIcESaIcE",
        "_ZStlsISt11char_traits",
        "_ZNSo3put",
        "_ZNSo5flush",
        "_ZNSo5write",
        "_ZNSo9_M_insert",
        "_ZSt4endlIc",
        "_ZSt16__ostream_insert",
        "_ZSt5flushIc",
    ];
    STARTS.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_cuda_calls_from_others() {
        assert!(is_cuda("cudaGraphLaunch"));
        assert!(is_cuda("cuMemCreate"));
        assert!(is_cuda("__cudaRegisterFatBinary"));
        assert!(!is_cuda("cublasSgemm_v2"));
        assert!(!is_cuda("curl_easy_init"));
        assert!(!is_cuda("cudart"));
    }
}
