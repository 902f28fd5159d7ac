//! Prints the need of a stored size program: `need FILE.program ARGS...`, evaluated in the present folder.

use migfit_schema::profile::{JobProfile, Summary};
use migfit_sizes::{CommandLine, DeviceProperties, Limits, evaluate_traced};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("usage: need FILE.program ARGS...")?;
    let mut args = vec![path.clone()];
    args.extend(words);
    let profile = JobProfile {
        checked: None,
        summary: Summary::blank(&path.clone()),
        program: Some(postcard::from_bytes(&std::fs::read(&path)?)?),
    };
    let command = CommandLine {
        args,
        env: std::env::vars().collect(),
        cwd: std::env::current_dir()?,
    };
    let device = DeviceProperties {
        name: "A100".to_owned(),
        compute_capability: (8, 0),
        sm_count: 98,
        total_bytes: 40 << 30,
        l2_bytes: 40 << 20,
        clock_khz: 1_410_000,
        ..DeviceProperties::default()
    };
    let limits = Limits {
        steps: std::env::var("STEPS")
            .ok()
            .and_then(|steps| steps.parse().ok())
            .unwrap_or(100_000_000),
        ..Limits::default()
    };
    let start = Instant::now();
    let need = migfit_sizes::evaluate(&profile, &command, &device, &limits);
    let took = start.elapsed();
    println!(
        "{need:#?}\n{took:?}, {:.0} million steps a second",
        need.steps as f64 / took.as_secs_f64() / 1e6
    );
    if std::env::var_os("TRACE").is_some() {
        let (_, trace) = evaluate_traced(&profile, &command, &device, &limits);
        println!("{trace:#?}");
    }
    Ok(())
}
