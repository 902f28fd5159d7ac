//! Small modules of our own in, listings of their size programs out, compared with what stands beside them.
//! Whatever goes in, the program that comes out must be well formed.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::ir::load;
use migfit_analyzer::lower::print;
use migfit_analyzer::pipeline;
use migfit_schema::program::SizeProgram;
use std::path::{Path, PathBuf};

mod well_formed;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/ir/{name}.ll"))
}

fn lowered(name: &str) -> SizeProgram {
    let context = Context::create();
    let module = load::read(&context, &fixture(name)).unwrap();
    let program = pipeline::size_program(&context, &module).unwrap();
    well_formed::check(&program);
    program
}

/// One test for each idiom: the listing of NAME.ll is NAME.snap.
macro_rules! listings {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let listing = print::listing(&lowered(stringify!($name)));
            insta::with_settings!({
                snapshot_path => "fixtures/ir",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                insta::assert_snapshot!(stringify!($name), listing);
            });
        }
    )*};
}

listings! {
    loop_malloc
    grid_2d
    clang_stub
    inlined_stub
    no_return
    reductions
    library_body
    struct_by_value
    switch
    global_initialiser
    invoke
    vectors
    intrinsics
    unsupported
    places
    managed
    launch_place
    loose
    fused
    weak
}

#[test]
fn the_same_module_gives_the_same_program() {
    for name in ["grid_2d", "global_initialiser", "places", "intrinsics"] {
        assert_eq!(lowered(name), lowered(name), "{name}");
    }
}

#[test]
fn floats_are_loose_only_where_the_compiler_was_told_so() {
    for (name, reason) in [("loose", "-ffast-math"), ("fused", "fused")] {
        let found = lowered(name).loose_floats.unwrap();
        assert!(found.contains(reason), "{found}");
    }
    assert_eq!(lowered("intrinsics").loose_floats, None);
}

#[test]
fn handlers_are_those_of_the_users_code_and_none_that_only_end_the_process() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slice/handlers.ll");
    let context = Context::create();
    let module = load::read(&context, &path).unwrap();
    let program = pipeline::size_program(&context, &module).unwrap();
    let lines: Vec<u32> = program.catches.iter().map(|place| place.line).collect();
    assert_eq!(lines, [24]);
}
