//! What can be set of the virtual GPU, as NVML's clients meet it: names, modes, several GPUs, faults, missing functions.

use migfit_tests::clients::expect_line;
use migfit_tests::stage::root;
use migfit_tests::{Client, Gpu, Holder, OldDriver, Source};
use serde_json::json;

#[test]
fn other_boards_names_and_modes_are_told_to_clients() {
    // A scheduler of others knows the A100 by this name only.
    let gpu = Gpu::a100();
    let named = Client::mig(&gpu, "show")
        .env("MIGFIT_VGPU_NAME", "NVIDIA A100")
        .json();
    assert_eq!(
        (&named["name"], &Client::mig(&gpu, "show").json()["name"]),
        (&"NVIDIA A100".into(), &"NVIDIA A100".into())
    );
    // An Ampere board waits for a reset, a later one does not.
    assert_eq!(Client::mig(&gpu, "mode 0").json(), 16);
    assert_eq!(Client::mig(&gpu, "show").json()["mode"], json!([1, 0]));
    // On some boards the halves are swapped: the place has to be read, it does not follow from the id.
    let swapped = Gpu::a100();
    let there = Client::mig(&swapped, "create 3g.20gb")
        .env("MIGFIT_VGPU_HALVES", "swapped")
        .json();
    assert_eq!(there, json!({"gi": 1, "start": 4, "size": 4}));
    let hopper = Gpu::of("h100-80gb-sxm");
    assert_eq!(Client::mig(&hopper, "mode 0").json(), 0);
    assert_eq!(Client::mig(&hopper, "show").json()["mode"], json!([0, 0]));
    let a30 = Gpu::of("a30-24gb");
    let places = ["1g.6gb", "1g.6gb", "2g.12gb"]
        .map(|name| Client::mig(&a30, &format!("create {name}")).json());
    let ids = places.map(|place| (place["gi"].clone(), place["start"].clone()));
    assert_eq!(
        ids,
        [
            (3.into(), 0.into()),
            (4.into(), 1.into()),
            (2.into(), 2.into())
        ]
    );
}

#[test]
fn several_gpus_have_a_layout_each_and_a_job_finds_its_slice_on_any() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::of("a100-40gb,a30-24gb");
    Client::mig(&gpu, "create 3g.20gb").done();
    Client::mig(&gpu, "create 1g.6gb").env("GPU", "1").done();
    let second = Client::mig(&gpu, "show").env("GPU", "1").json();
    assert_eq!(second["name"], "NVIDIA A30");
    let slice = &second["mig_devices"][0];
    let job = Holder::start(
        &program,
        &gpu,
        slice["uuid"].as_str().expect("a UUID"),
        1000,
    );
    let rows = Client::nvitop(&gpu);
    expect_line(&rows, &["0:0", "3g.20gb @ GI/CI: 2/0", "0B / 19968MiB"]);
    expect_line(&rows, &["1:0", "1g.6gb @ GI/CI: 3/0", "/  5952MiB"]);
    expect_line(&rows, &["1:0", &job.pid().to_string(), "1000 wait"]);
    job.end();
}

#[test]
fn faults_reach_clients_and_a_setting_that_is_none_is_told() {
    let gpu = Gpu::a100();
    let with =
        |faults: &str, words: &str| Client::mig(&gpu, words).env("MIGFIT_VGPU_FAULTS", faults);
    assert_eq!(with("admin=no-permission", "create 1g.5gb").refusal(), 4);
    assert_eq!(with("gpu=gpu-is-lost", "show").refusal(), 15);
    assert_eq!(
        with("nvmlGpuInstanceGetInfo=function-not-found", "create 1g.5gb").refusal(),
        13
    );
    Client::mig(&gpu, "destroy").done();
    let unread = with("create-gi=perhaps", "show").outcome();
    assert!(
        unread
            .stderr
            .contains("`perhaps` is no answer; there are no-permission"),
        "{unread}"
    );
    gpu.expect_empty();
}

#[test]
fn a_driver_that_is_older_than_a_function_does_not_export_it() {
    let gpu = Gpu::a100();
    let old = OldDriver::without(&["nvmlDeviceGetGpuInstanceProfileInfoV"]);
    let on_old = |words: &str| {
        let folder = old.folder().display().to_string();
        Client::mig(&gpu, words).env("LD_LIBRARY_PATH", &folder)
    };
    // nvidia-ml-py looks the function up, finds none and says so itself.
    assert_eq!(on_old("create 1g.5gb").refusal(), 13);
    assert_eq!(on_old("mode 1").json(), 0, "the others are there");
    gpu.expect_empty();
}

#[test]
fn every_function_is_there_and_none_falls_over_null_pointers() {
    let gpu = Gpu::a100();
    let names = root().join("vgpu/nvml/nvml-names.txt");
    let answer = Client::script("nulls.py", &gpu).file(&names).json();
    assert!(
        answer["functions"].as_u64().expect("a number") > 400,
        "{answer}"
    );
    // Sets the mode that the GPU has, without a pointer.
    assert_eq!(answer["done"], json!(["nvmlDeviceSetComputeMode"]));
    gpu.expect_empty();
}
