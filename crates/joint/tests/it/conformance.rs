//! The simulation tables of the conformance folder.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use quadrille_example_producer_consumer::explore_all;
use quadrille_example_water::{Parameters, Variant};
use quadrille_joint::{Findings, enter};
use quadrille_sim::strategy::Point;
use quadrille_sim::{Config, Cost, Ends, Step, Strategy, TaskId, explore, task};
use quadrille_sim_std::thread;
use quadrille_simulation::ModelTime;
use quadrille_workshop::{conformance, shared};

/// The rows of a table, without its header.
fn rows(table: &str) -> Vec<Vec<String>> {
    shared::fields(&shared::path("simulation").join(table))
}

fn numbers(text: &str) -> Vec<f64> {
    let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// The main thread first, then the threads as listed, then nobody.
struct Script(std::vec::IntoIter<usize>);

impl Strategy for Script {
    fn begin(&mut self) -> bool {
        !self.0.as_slice().is_empty()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if point.enabled.contains(&TaskId::MAIN) {
            return Some(TaskId::MAIN);
        }
        let thread = self.0.next()?;
        point.enabled.iter().find(|task| task.index() == thread).copied()
    }

    fn draw(&mut self, _: u32) -> u32 {
        0
    }
}

/// The joint scenario with real threads: parts, sleeps (in model time), events and choices from the
/// table, step by step.
#[conformance]
fn scenario() {
    let set_up = rows("scenario-setup.tsv");
    let of = |who: &str| -> Vec<Vec<f64>> {
        set_up.iter().filter(|row| row[0] == who).map(|row| numbers(&row[2])).collect()
    };
    // A part is its cost, and how long the thread sleeps then.
    let parts: Arc<[Vec<Vec<f64>>; 2]> = Arc::new([of("T1"), of("T2")]);
    let events = [of("P1"), of("P2")].map(|rows| rows.concat());
    let chosen = set_up.iter().find(|row| row[0] == "scheduler").expect("choices");
    let choices: Vec<usize> =
        numbers(&chosen[2].replace('T', " ")).iter().map(|&thread| thread as usize).collect();

    // The main thread's three parts, which start the others, cost nothing.
    let mut costs = vec![Duration::ZERO; 3];
    let mut n_run = [0; 2];
    for &thread in &choices {
        costs.push(Duration::from_secs_f64(parts[thread - 1][n_run[thread - 1]][0]));
        n_run[thread - 1] += 1;
    }
    let config = Config {
        cost: Cost::Recorded(costs.clone().into()),
        ends: Ends::WithBody,
        records_steps: true,
        ..Config::default()
    };
    let acted: Arc<Mutex<Vec<String>>> = Arc::default();
    let inner = Arc::clone(&acted);
    let body = move || {
        enter(0, &Findings::default(), |world| {
            for (name, times) in ["P1", "P2"].into_iter().zip(&events) {
                let (acted, length) = (Arc::clone(&inner), Duration::from_secs_f64(times[1]));
                let process = world.process(name, move |p| {
                    acted.lock().expect("one at a time").push(p.name(p.id()));
                    p.hold(length);
                    acted.lock().expect("one at a time").push(p.name(p.id()));
                    p.passivate();
                });
                let first = ModelTime::ZERO + Duration::from_secs_f64(times[0]);
                world.activate_at(process, first).expect("it is new");
            }
        });
        for number in 0..2 {
            let parts = Arc::clone(&parts);
            thread::spawn(move || {
                for part in &parts[number] {
                    match part.get(1) {
                        Some(length) => thread::sleep(Duration::from_secs_f64(*length)),
                        None => thread::yield_now(),
                    }
                }
            });
        }
        task::sleep(Duration::from_secs(100));
    };
    let report = explore(config, Box::new(Script(choices.into_iter())), Arc::new(body));

    let mut acted = acted.lock().expect("no process panicked").clone().into_iter();
    let (mut now, mut costs) = (ModelTime::ZERO, costs.into_iter().skip(3));
    let mut told = Vec::new();
    for step in report.steps {
        let (time, kind, who) = match step {
            Step::Run(TaskId::MAIN, _) => continue,
            Step::Run(task, time) => (time, "run", format!("T{}", task.index())),
            Step::WakeUp(task, time) => (time, "wake-up", format!("T{}", task.index())),
            Step::Classic(time) => (time, "classic", acted.next().unwrap_or_default()),
        };
        now = now.max(time);
        if kind == "run" {
            now += costs.next().unwrap_or_default();
        }
        let seconds = |time: ModelTime| format!("{}", time.as_secs_f64());
        told.push(vec![
            (told.len() + 1).to_string(),
            seconds(time),
            kind.to_owned(),
            who,
            seconds(now),
        ]);
    }
    let expected: Vec<Vec<String>> = rows("scenario.tsv")
        .into_iter()
        .map(|row| [0, 1, 2, 3, 5].map(|column| row[column].clone()).to_vec())
        .collect();
    assert_eq!(told, expected);
}

#[conformance]
fn producer_consumer() {
    let rows = rows("expected.tsv");
    let row =
        |id: &str| rows.iter().find(|row| row[0] == id).unwrap_or_else(|| panic!("no row {id}"));
    let value = |id: &str| -> usize { row(id)[3].parse().expect("a number") };
    for size in [1, 2, 3, 4, 5, 8] {
        let explored = explore_all(size);
        let growth = explored.coverage.growth();
        assert_eq!(growth.states, value("pc-reachable"));
        assert_eq!(growth.pairs, value("pc-transitions"));
        assert_eq!(explored.recurrent.len(), value("pc-recurrent"));
        assert_eq!(value("pc-global") - growth.states, value("pc-unreachable"));
        assert_eq!(explored.n_deadlocks as usize, value("pc-deadlocks"));
        for node in &explored.recurrent {
            assert!(row("pc-recurrent")[2].contains(&node.to_string()), "{node}");
        }
    }
}

#[conformance]
fn water() {
    let Parameters {
        n_sources,
        max_pumps,
        tank,
        tank_at_start,
        tank_sensors,
        source,
        source_at_start,
        source_sensors,
        pump_rate,
        inflow,
        demand,
        demand_lasts,
        period,
        ..
    } = Parameters::default();
    let own = [
        ("sources N", vec![n_sources as f64]),
        ("pumps at once K", vec![max_pumps as f64]),
        ("tank range", vec![0.0, tank]),
        ("tank at the start", vec![tank_at_start]),
        ("tank low sensor", vec![tank_sensors.start]),
        ("tank high sensor", vec![tank_sensors.end]),
        ("source range", vec![0.0, source]),
        ("source at the start", vec![source_at_start]),
        ("source low sensor", vec![source_sensors.start]),
        ("source high sensor", vec![source_sensors.end]),
        ("pump rate", vec![pump_rate]),
        ("inflow of a source", vec![inflow.start, inflow.end]),
        ("demand", vec![demand.start, demand.end]),
        ("demand redrawn every", vec![demand_lasts.start, demand_lasts.end]),
        ("environment period", vec![period.as_secs_f64()]),
        ("grace interval, invariants 2, 3, 4", vec![quadrille_example_water::GRACE.as_secs_f64()]),
    ];
    let parameters = rows("water.tsv");
    for (name, value) in own {
        let row = parameters.iter().find(|row| row[0] == name);
        assert_eq!(row.map(|row| numbers(&row[1])), Some(value), "{name}");
    }
    let mut names: Vec<String> =
        rows("water-bugs.tsv").into_iter().map(|row| row[0].clone()).collect();
    let mut variants: Vec<String> =
        Variant::ALL.iter().map(|variant| variant.name().to_owned()).collect();
    names.sort_unstable();
    variants.sort_unstable();
    assert_eq!(variants, names);
}
