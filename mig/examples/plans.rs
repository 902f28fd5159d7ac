use migfit_mig::planning::{
    Batch, Effort, Ground, Slots, Task, anneal::anneal, bound, exact, far::far, fixed,
    greedy::greedy, plan,
};
use migfit_mig::{LayoutGraph, find};
use std::time::Instant;
fn main() {
    let text = std::fs::read_to_string("/work/shared/data/a100-slice-times.json").unwrap();
    let v: serde_json::Value = serde_json::from_str(&text).unwrap();
    let model = find("a100-40gb").unwrap();
    let graph = LayoutGraph::new(model, &model.basic_profiles()).unwrap();
    let ground = Ground::new(&graph, 1, 250_000).unwrap();
    let jobs: Vec<Vec<Option<(f64, f64)>>> = v["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| {
            ground
                .profiles()
                .iter()
                .map(|p| {
                    let s = &j["slices"][p.to_string()];
                    s["startup_s"]
                        .as_f64()
                        .map(|a| (a, s["iteration_s"].as_f64().unwrap()))
                })
                .collect()
        })
        .collect();
    let mut rng = fastrand::Rng::with_seed(42);
    let full = graph.full_layouts();
    let slots = [Slots::empty()];
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let count: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut rows = vec![vec![]; 6];
    let (mut tp, mut te, mut nodes, mut proved) = (0.0, 0.0, vec![], 0);
    for _ in 0..count {
        let tasks: Vec<Task> = (0..n)
            .map(|_| {
                let j = &jobs[rng.usize(..jobs.len())];
                let iters = [100.0, 200.0, 500.0, 1000.0, 2000.0][rng.usize(..5)];
                Task {
                    times: j
                        .iter()
                        .map(|t| {
                            t.map(|(a, b)| {
                                (((a + b * (iters - 1.0)) * 1000.0).round() as u64) * 1000
                            })
                        })
                        .collect(),
                }
            })
            .collect();
        let batch = Batch::new(&ground, &tasks, &slots);
        let g = greedy(&ground, &batch, &slots);
        let t = Instant::now();
        let p = plan(
            &ground,
            &batch,
            &slots,
            Effort {
                evaluations: 100_000,
                nodes: 0,
            },
        );
        tp += t.elapsed().as_secs_f64();
        let (opt, lower) = if n <= 10 {
            let t = Instant::now();
            let from = anneal(&ground, &batch, &slots, g.clone(), 300_000, 0);
            let f = exact::search(&ground, &batch, &slots, from, 20_000_000);
            te += t.elapsed().as_secs_f64();
            nodes.push(f.nodes);
            proved += usize::from(f.proved);
            (
                f.best.0.makespan,
                bound::deadline(&ground, &batch, &slots, f.best.0.makespan),
            )
        } else {
            let a = bound::area(&ground, &batch, &slots);
            (a, p.bound)
        };
        let o = opt as f64;
        rows[0].push(g.0.makespan as f64 / o);
        rows[1].push(p.makespan as f64 / o);
        rows[2].push(far(&ground, &batch, &slots).0.makespan as f64 / o);
        rows[3].push(
            fixed::best(&ground, &batch, &slots, &full)
                .unwrap()
                .0
                .makespan as f64
                / o,
        );
        rows[4].push(lower as f64 / o);
    }
    for (name, r) in ["greedy", "plan", "far", "static:best", "bound"]
        .iter()
        .zip(&mut rows)
    {
        r.sort_by(f64::total_cmp);
        println!(
            "{name:12} mean {:.4} p95 {:.4} worst {:.4} least {:.4}",
            r.iter().sum::<f64>() / r.len() as f64,
            r[(r.len() * 95 / 100).min(r.len() - 1)],
            r.last().unwrap(),
            r[0]
        );
    }
    nodes.sort();
    println!(
        "plan {:.1} ms each; exact {:.2} s each, proved {proved}/{count}, median nodes {:?} max {:?}",
        tp * 1000.0 / count as f64,
        te / count as f64,
        nodes.get(nodes.len() / 2),
        nodes.last()
    );
}
