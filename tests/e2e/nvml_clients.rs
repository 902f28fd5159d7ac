//! Clients of NVML that are not ours, on the virtual GPU: what they list, create and destroy, and what they show while a
//! job runs on a slice.

use migfit_tests::{Client, Gpu, OldDriver, Program, Source, process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const MIB: u64 = 1 << 20;
/// NVML_ERROR_IN_USE and NVML_ERROR_INSUFFICIENT_RESOURCES.
const IN_USE: u64 = 19;
const INSUFFICIENT_RESOURCES: u64 = 23;

fn mig(gpu: &Gpu, words: &str) -> Client {
    Client::script("mig.py", gpu).args(words)
}

/// NVML's code of a call that fails.
#[track_caller]
fn refusal(client: Client) -> u64 {
    let outcome = client.outcome().expect_code(3);
    let said: Value = serde_json::from_str(&outcome.stdout).expect("an error as JSON");
    said["error"].as_u64().expect("a code")
}

/// A job that holds so many MiB on a slice until it is ended.
struct Holder(Child);

impl Holder {
    fn start(program: &Program, gpu: &Gpu, slice: &str, mib: u64) -> Holder {
        let mut command = Command::new(program.path());
        process::clean(&mut command)
            .arg(mib.to_string())
            .arg("wait");
        let piped = gpu.put(&mut command, slice);
        piped.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("it says something");
        assert_eq!(line, "holding\n");
        Holder(child)
    }

    fn pid(&self) -> u64 {
        self.0.id().into()
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("it can be waited for").success());
    }
}

#[test]
fn nvidia_ml_py_lists_the_mig_profiles_of_an_a100() {
    let gpu = Gpu::a100();
    let seen = mig(&gpu, "show").json();
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
    let three = mig(&gpu, "create 3g.20gb").json();
    assert_eq!(
        three,
        json!({"gi": 2, "start": 4, "size": 4}),
        "the driver's place"
    );
    let one = mig(&gpu, "create 1g.5gb 2 1").json();
    assert_eq!(one, json!({"gi": 9, "start": 2, "size": 1}));
    assert_eq!(
        refusal(mig(&gpu, "create 1g.5gb 2 1")),
        INSUFFICIENT_RESOURCES
    );
    mig(&gpu, "split 2g.10gb 1 1").done();
    let seen = mig(&gpu, "show").json();
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
    mig(&gpu, "destroy").done();
    gpu.expect_empty();
    assert_eq!(mig(&gpu, "create 3g.20gb").json(), three);
    let again = mig(&gpu, "show").json();
    assert_eq!(
        again["mig_devices"][0]["uuid"], devices[0]["uuid"],
        "its UUID of before"
    );
}

#[test]
fn a_full_compute_instance_leaves_no_room_in_its_gpu_instance() {
    let gpu = Gpu::a100();
    for words in ["split 3g.20gb 3 3", "split 3g.20gb 3 1"] {
        assert_eq!(refusal(mig(&gpu, words)), INSUFFICIENT_RESOURCES, "{words}");
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
    mig(&gpu, "create 3g.20gb").done();
    let slice = mig(&gpu, "show").json()["mig_devices"][0]["uuid"]
        .as_str()
        .expect("a UUID")
        .to_owned();
    let job = Holder::start(&program, &gpu, &slice, 1000);
    // 1000 MiB and a context on 42 SMs, as the virtual GPU models it.
    let held = 1232 * MIB;
    let seen = mig(&gpu, "show").json();
    let device = &seen["mig_devices"][0];
    assert_eq!(
        (&device["used"], &seen["used"]),
        (&held.into(), &held.into())
    );
    assert_eq!(device["processes"], json!([[job.pid(), held]]));
    assert_eq!(seen["processes"], device["processes"]);
    let rows = nvitop(&gpu);
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
    assert_eq!(refusal(mig(&gpu, "destroy")), IN_USE);
    job.end();
    // For a moment after its end the compute instance still is in use, and then the GPU instance.
    assert_eq!(refusal(mig(&gpu, "destroy")), IN_USE);
    assert_eq!(refusal(mig(&gpu, "destroy")), IN_USE);
    mig(&gpu, "destroy").done();
    gpu.expect_empty();
}

fn nvitop(gpu: &Gpu) -> String {
    Client::program("nvitop", gpu)
        .args("-1")
        .outcome()
        .expect_success()
        .stdout
}

/// Fails unless one line has all these parts.
#[track_caller]
fn expect_line(text: &str, parts: &[&str]) {
    let has_all = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(
        text.lines().any(has_all),
        "no line with {parts:?} in:\n{text}"
    );
}

#[test]
fn nvitop_shows_a_row_for_each_mig_device() {
    let gpu = Gpu::a100();
    let empty = nvitop(&gpu);
    expect_line(&empty, &["A100-SXM4-40GB", "Off"]);
    expect_line(&empty, &["0B / 40.00GiB", "N/A", "Default"]);
    assert!(
        empty.contains("Enabled") && !empty.contains("GI/CI"),
        "{empty}"
    );
    mig(&gpu, "create 3g.20gb").done();
    mig(&gpu, "split 2g.10gb 1").done();
    mig(&gpu, "create 1g.5gb").done();
    let rows = nvitop(&gpu);
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

#[test]
fn other_boards_names_and_modes_are_told_to_clients() {
    // A scheduler of others knows the A100 by this name only.
    let gpu = Gpu::a100();
    let named = mig(&gpu, "show")
        .env("MIGFIT_VGPU_NAME", "NVIDIA A100")
        .json();
    assert_eq!(
        (&named["name"], &mig(&gpu, "show").json()["name"]),
        (&"NVIDIA A100".into(), &"NVIDIA A100".into())
    );
    // An Ampere board waits for a reset, a later one does not.
    assert_eq!(mig(&gpu, "mode 0").json(), 16);
    assert_eq!(mig(&gpu, "show").json()["mode"], json!([1, 0]));
    // On some boards the halves are swapped: the place has to be read, it does not follow from the id.
    let swapped = Gpu::a100();
    let there = mig(&swapped, "create 3g.20gb")
        .env("MIGFIT_VGPU_HALVES", "swapped")
        .json();
    assert_eq!(there, json!({"gi": 1, "start": 4, "size": 4}));
    let hopper = Gpu::of("h100-80gb-sxm");
    assert_eq!(mig(&hopper, "mode 0").json(), 0);
    assert_eq!(mig(&hopper, "show").json()["mode"], json!([0, 0]));
    let a30 = Gpu::of("a30-24gb");
    let places =
        ["1g.6gb", "1g.6gb", "2g.12gb"].map(|name| mig(&a30, &format!("create {name}")).json());
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
    mig(&gpu, "create 3g.20gb").done();
    mig(&gpu, "create 1g.6gb").env("GPU", "1").done();
    let second = mig(&gpu, "show").env("GPU", "1").json();
    assert_eq!(second["name"], "NVIDIA A30");
    let slice = &second["mig_devices"][0];
    let job = Holder::start(
        &program,
        &gpu,
        slice["uuid"].as_str().expect("a UUID"),
        1000,
    );
    let rows = nvitop(&gpu);
    expect_line(&rows, &["0:0", "3g.20gb @ GI/CI: 2/0", "0B / 19968MiB"]);
    expect_line(&rows, &["1:0", "1g.6gb @ GI/CI: 3/0", "/  5952MiB"]);
    expect_line(&rows, &["1:0", &job.pid().to_string(), "1000 wait"]);
    job.end();
}

#[test]
fn faults_reach_clients_and_a_setting_that_is_none_is_told() {
    let gpu = Gpu::a100();
    let with = |faults: &str, words: &str| mig(&gpu, words).env("MIGFIT_VGPU_FAULTS", faults);
    assert_eq!(refusal(with("admin=no-permission", "create 1g.5gb")), 4);
    assert_eq!(refusal(with("gpu=gpu-is-lost", "show")), 15);
    assert_eq!(
        refusal(with(
            "nvmlGpuInstanceGetInfo=function-not-found",
            "create 1g.5gb"
        )),
        13
    );
    mig(&gpu, "destroy").done();
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
        mig(&gpu, words).env("LD_LIBRARY_PATH", &folder)
    };
    // nvidia-ml-py looks the function up, finds none and says so itself.
    assert_eq!(refusal(on_old("create 1g.5gb")), 13);
    assert_eq!(on_old("mode 1").json(), 0, "the others are there");
    gpu.expect_empty();
}
