//! Bytes of PTX -> syntax tree -> text -> the same tree; and each kernel's flat form, control flow and liveness.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migfit_ptx::flow::flat::Flat;
use migfit_ptx::flow::graph::Graph;
use migfit_ptx::flow::liveness::Liveness;
use migfit_ptx::flow::program::Program;
use migfit_ptx::{source, text};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = source::from_text(bytes) else {
        return;
    };
    let Ok(module) = text::parse(&text) else {
        return;
    };
    let printed = module.to_string();
    let again = text::parse(&printed).expect("what is printed can be read");
    assert_eq!(again.to_string(), printed);
    let Ok(program) = Program::new(vec![module]) else {
        return;
    };
    for (file, kernel) in program.kernels().into_values() {
        if let Ok(flat) = Flat::of(&program, file, kernel) {
            let graph = Graph::of(&flat);
            let _ = graph.dominators();
            let _ = Liveness::of(&flat, &graph);
        }
    }
});
