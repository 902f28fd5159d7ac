//! Clients of NVML that are not ours, on the virtual GPU: what they list, create and destroy, and what they show while a
//! job runs on a slice.

use migfit_tests::clients::expect_line;
use migfit_tests::{Client, Gpu, Holder, Source};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
/// NVML_ERROR_IN_USE and NVML_ERROR_INSUFFICIENT_RESOURCES.
const IN_USE: u64 = 19;
const INSUFFICIENT_RESOURCES: u64 = 23;

#[test]
fn nvidia_ml_py_lists_the_mig_profiles_of_an_a100() {
    let gpu = Gpu::a100();
    let seen = Client::mig(&gpu, "show").json();
    assert_eq!(seen["name"], "NVIDIA A100-SXM4-40GB");
    assert_eq!(seen["mode"], json!([1, 1]));
    // Id, how many, MiB: as nvidia-smi prints them for this board.
    let profiles = json!({
        "1g.5gb": [19, 7, 4864], "1g.5gb+me": [20, 1, 4864], "1g.10gb": [15, 4, 9856], "2g.10gb": [14, 3, 9856],
        "3g.20gb": [9, 2, 19968], "4g.20gb": [5, 1, 19968], "7g.40gb": [0, 1, 40192],
    });
    assert_eq!(seen["profiles"], profiles);
    assert_eq!(seen["mig_devices"], json!([]));
}

#[test]
fn nvidia_ml_py_creates_shows_and_destroys_mig_devices() {
    let gpu = Gpu::a100();
    let three = Client::mig(&gpu, "create 3g.20gb").json();
    assert_eq!(
        three,
        json!({"gi": 2, "start": 4, "size": 4}),
        "the driver's place"
    );
    let one = Client::mig(&gpu, "create 1g.5gb 2 1").json();
    assert_eq!(one, json!({"gi": 9, "start": 2, "size": 1}));
    assert_eq!(
        Client::mig(&gpu, "create 1g.5gb 2 1").refusal(),
        INSUFFICIENT_RESOURCES
    );
    Client::mig(&gpu, "split 2g.10gb 1 1").done();
    let seen = Client::mig(&gpu, "show").json();
    let devices = seen["mig_devices"].as_array().expect("a list");
    let facts: Vec<Value> = devices
        .iter()
        .map(|device| {
            json!([
                device["gi"],
                device["ci"],
                device["name"],
                device["sms"],
                device["memory_mib"]
            ])
        })
        .collect();
    let board = "NVIDIA A100-SXM4-40GB MIG";
    assert_eq!(
        Value::from(facts),
        json!([
            [2, 0, format!("{board} 3g.20gb"), 42, 19968],
            [3, 0, format!("{board} 1c.2g.10gb"), 14, 9856],
            [3, 1, format!("{board} 1c.2g.10gb"), 14, 9856],
            [9, 0, format!("{board} 1g.5gb"), 14, 4864],
        ])
    );
    // Their processes are long gone: what they made outlives them, and can be taken away by another.
    let snapshot = gpu.snapshot();
    assert_eq!(
        (
            snapshot.gpu_instances.len(),
            snapshot.compute_instances.len()
        ),
        (3, 4)
    );
    Client::mig(&gpu, "destroy").done();
    gpu.expect_empty();
    assert_eq!(Client::mig(&gpu, "create 3g.20gb").json(), three);
    let again = Client::mig(&gpu, "show").json();
    assert_eq!(
        again["mig_devices"][0]["uuid"], devices[0]["uuid"],
        "its UUID of before"
    );
}

#[test]
fn a_full_compute_instance_leaves_no_room_in_its_gpu_instance() {
    let gpu = Gpu::a100();
    for words in ["split 3g.20gb 3 3", "split 3g.20gb 3 1"] {
        assert_eq!(
            Client::mig(&gpu, words).refusal(),
            INSUFFICIENT_RESOURCES,
            "{words}"
        );
    }
}

/// A tool that never places tries the orders of the MIG profiles, and offers each further equal one to the GPU instance
/// before. In how many orders that succeeds is known from transcripts of real boards.
#[test]
fn a_tool_that_never_places_comes_to_every_full_layout() {
    let gpu = Gpu::a100();
    for (wanted, orders, done) in [
        ("7g.40gb", 1, 1),
        ("4g.20gb 3g.20gb", 2, 2),
        ("3g.20gb 3g.20gb", 1, 1),
        ("3g.20gb 2g.10gb 2g.10gb", 3, 1),
        ("3g.20gb 2g.10gb 1g.5gb 1g.5gb", 12, 3),
        ("3g.20gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb", 5, 1),
        ("2g.10gb 2g.10gb 1g.5gb 1g.5gb 1g.5gb", 10, 10),
        ("1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb", 1, 1),
    ] {
        let came = Client::script("orders.py", &gpu).args(wanted).json();
        let devices = wanted.split(' ').count();
        let expected =
            json!({"orders": orders, "done": done, "instances": devices, "devices": devices});
        assert_eq!(came, expected, "{wanted}");
    }
    let none = Client::script("orders.py", &gpu)
        .args("4g.20gb 4g.20gb")
        .json();
    assert_eq!(none["done"], 0);
}

#[test]
fn a_job_on_a_slice_is_seen_by_every_client_and_keeps_it_from_being_destroyed() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    Client::mig(&gpu, "create 3g.20gb").done();
    let slice = Client::mig(&gpu, "show").json()["mig_devices"][0]["uuid"]
        .as_str()
        .expect("a UUID")
        .to_owned();
    let job = Holder::start(&program, &gpu, &slice, 1000);
    // 1000 MiB and a context on 42 SMs, as the virtual GPU models it.
    let held = 1232 * MIB;
    let seen = Client::mig(&gpu, "show").json();
    let device = &seen["mig_devices"][0];
    assert_eq!(
        (&device["used"], &seen["used"]),
        (&held.into(), &held.into())
    );
    assert_eq!(device["processes"], json!([[job.pid(), held]]));
    assert_eq!(seen["processes"], device["processes"]);
    let rows = Client::nvitop(&gpu);
    expect_line(
        &rows,
        &["0:0", "3g.20gb @ GI/CI: 2/0", "1232MiB / 19968MiB"],
    );
    expect_line(
        &rows,
        &["0:0", &job.pid().to_string(), "1232MiB", "1000 wait"],
    );
    let stat = Client::program("gpustat", &gpu).args("--json").json();
    let process = &stat["gpus"][0]["processes"][0];
    assert_eq!(
        (&process["pid"], &process["gpu_memory_usage"]),
        (&job.pid().into(), &1232.into())
    );
    assert_eq!(Client::mig(&gpu, "destroy").refusal(), IN_USE);
    job.end();
    // For a moment after its end the compute instance still is in use, and then the GPU instance.
    assert_eq!(Client::mig(&gpu, "destroy").refusal(), IN_USE);
    assert_eq!(Client::mig(&gpu, "destroy").refusal(), IN_USE);
    Client::mig(&gpu, "destroy").done();
    gpu.expect_empty();
}

#[test]
fn nvitop_shows_a_row_for_each_mig_device() {
    let gpu = Gpu::a100();
    let empty = Client::nvitop(&gpu);
    expect_line(&empty, &["A100-SXM4-40GB", "Off"]);
    expect_line(&empty, &["0B / 40.00GiB", "N/A", "Default"]);
    assert!(
        empty.contains("Enabled") && !empty.contains("GI/CI"),
        "{empty}"
    );
    Client::mig(&gpu, "create 3g.20gb").done();
    Client::mig(&gpu, "split 2g.10gb 1").done();
    Client::mig(&gpu, "create 1g.5gb").done();
    let rows = Client::nvitop(&gpu);
    expect_line(
        &rows,
        &[
            "0:0",
            "3g.20gb @ GI/CI: 2/0",
            "0B / 19968MiB",
            "BAR1:",
            "0B",
        ],
    );
    expect_line(&rows, &["0:1", "1c.2g.10gb @ GI/CI: 3/0", "0B /  9856MiB"]);
    expect_line(&rows, &["0:2", "1g.5gb @ GI/CI: 9/0", "0B /  4864MiB"]);
    assert!(rows.contains("No running processes found"), "{rows}");
}

#[test]
fn gpustat_shows_the_gpu_and_none_of_what_it_has_not() {
    let gpu = Gpu::of("h100-80gb-sxm");
    let stat = Client::program("gpustat", &gpu).args("--json").json();
    let board = &stat["gpus"][0];
    assert_eq!(
        (&board["name"], &board["memory.total"]),
        (&"NVIDIA H100 80GB HBM3".into(), &81559.into())
    );
    assert_eq!(
        (&board["memory.used"], &board["processes"]),
        (&0.into(), &json!([]))
    );
    for absent in [
        "temperature.gpu",
        "fan.speed",
        "utilization.gpu",
        "power.draw",
    ] {
        assert_eq!(
            board[absent],
            Value::Null,
            "{absent} is no figure of a virtual GPU"
        );
    }
    let line = Client::program("gpustat", &gpu).outcome().expect_success();
    expect_line(&line.stdout, &["[0] NVIDIA H100 80GB HBM3", "0 / 81559 MB"]);
}
