//! Queueing systems whose figures can be computed: the simulation must find them, within the 99 % confidence interval and with
//! an interval that is narrow enough to mean something.

use std::cell::RefCell;
use std::rc::Rc;

use quadrille_simulation::{BatchMeans, Queue, Semaphore, Simulation};

#[track_caller]
fn check(what: &str, found: &BatchMeans, theory: f64) {
    let half_width = found.half_width().expect("enough batches");
    let mean = found.mean();
    assert!(
        (mean - theory).abs() <= half_width,
        "{what}: {mean:.4} ± {half_width:.4}, by theory {theory:.4}"
    );
    assert!(half_width < 0.08 * theory, "{what}: ± {half_width:.4} says little about {theory:.4}");
}

#[track_caller]
fn check_near(what: &str, found: f64, theory: f64) {
    assert!((found - theory).abs() <= 0.04 * theory, "{what}: {found:.4}, by theory {theory:.4}");
}

/// Customers come `arrivals` times a second, each a process; `servers` serve `services` a second each.
/// Checks the time in the system and in the line, and the mean length of the line.
fn check_station(seed: u64, arrivals: f64, services: f64, servers: u32) {
    let n_customers = 500_000;
    let mut simulation = Simulation::new(seed);
    let free = Semaphore::new(&simulation, "servers", u64::from(servers));
    let line = Queue::new(&simulation, "line");
    let times = Rc::new(RefCell::new(BatchMeans::new(10_000)));
    let (all_times, customers_line) = (Rc::clone(&times), line.clone());
    simulation.start("arrivals", move |p| {
        let (mut gaps, mut work) = (p.stream("gaps"), p.stream("work"));
        for _ in 0..n_customers {
            p.hold(gaps.exponential_time(arrivals));
            let service = work.exponential_time(services);
            let (free, line, times) = (free.clone(), customers_line.clone(), Rc::clone(&all_times));
            p.start("customer", move |p| {
                let came = p.now();
                let place = line.push_back(());
                free.acquire(p);
                line.remove(place);
                p.hold(service);
                free.release();
                times.borrow_mut().add((p.now() - came).as_secs_f64());
            });
        }
    });
    simulation.run();

    let (load, c) = (arrivals / services, f64::from(servers));
    let waiting = erlang_c(load, servers) / (c * services - arrivals);
    let name = format!("M/M/{servers}, load {load}");
    check(&format!("{name}, time in the system"), &times.borrow(), waiting + 1.0 / services);
    // Little's law on the line.
    check_near(&format!("{name}, length of the line"), line.mean_length(), arrivals * waiting);
    check_near(&format!("{name}, time in the line"), line.mean_stay().as_secs_f64(), waiting);
}

/// The probability that a customer must wait (Erlang, 1917), from the recursion of Erlang's loss formula.
fn erlang_c(load: f64, servers: u32) -> f64 {
    let loss = (1..=servers).map(f64::from).fold(1.0, |loss, c| load * loss / (c + load * loss));
    let c = f64::from(servers);
    c * loss / (c - load * (1.0 - loss))
}

#[test]
fn one_server() {
    // By hand: a load of 0.5 means an hour in the system for every half hour of work.
    assert!((erlang_c(0.5, 1) - 0.5).abs() < 1e-12);
    check_station(1, 0.5, 1.0, 1);
    check_station(2, 1.4, 2.0, 1);
}

#[test]
fn several_servers() {
    // Printed in many textbooks: two Erlangs on three servers wait with probability 4/9.
    assert!((erlang_c(2.0, 3) - 4.0 / 9.0).abs() < 1e-12);
    check_station(3, 2.0, 1.0, 3);
    check_station(4, 6.0, 1.0, 8);
}

/// An open network of three stations (Jackson, 1957). Customers come to the first and the second one, go from the first to
/// the second or third, from the second to the third or out, and from the third back to the first or out. In equilibrium
/// each station is as if it were alone, with the arrivals that the traffic equations give.
#[test]
fn an_open_network() {
    const OUTSIDE: [f64; 3] = [0.5, 0.25, 0.0];
    const ROUTES: [[f64; 3]; 3] = [[0.0, 0.6, 0.4], [0.0, 0.0, 0.5], [0.2, 0.0, 0.0]];
    const SERVICES: [f64; 3] = [1.0, 1.2, 1.3];
    const VISITS: usize = 400_000;

    let mut simulation = Simulation::new(5);
    let servers: Rc<Vec<_>> =
        Rc::new((0..3).map(|_| Semaphore::new(&simulation, "server", 1)).collect());
    let present: Rc<Vec<_>> = Rc::new((0..3).map(|_| Queue::new(&simulation, "station")).collect());
    let work = Rc::new(RefCell::new(simulation.stream("work")));
    let turns = Rc::new(RefCell::new(simulation.stream("turns")));
    for (source, rate) in OUTSIDE.into_iter().enumerate().filter(|(_, rate)| *rate > 0.0) {
        let (servers, present) = (Rc::clone(&servers), Rc::clone(&present));
        let (work, turns) = (Rc::clone(&work), Rc::clone(&turns));
        simulation.start(format!("arrivals {source}"), move |p| {
            let mut gaps = p.stream(&format!("gaps {source}"));
            loop {
                p.hold(gaps.exponential_time(rate));
                let (servers, present) = (Rc::clone(&servers), Rc::clone(&present));
                let (work, turns) = (Rc::clone(&work), Rc::clone(&turns));
                p.start("customer", move |p| {
                    let mut station = Some(source);
                    while let Some(here) = station {
                        let place = present[here].push_back(());
                        servers[here].acquire(p);
                        let service = work.borrow_mut().exponential_time(SERVICES[here]);
                        p.hold(service);
                        servers[here].release();
                        present[here].remove(place);
                        let [a, b, c] = ROUTES[here];
                        let turn = turns.borrow_mut().weighted(&[a, b, c, 1.0 - a - b - c]);
                        station = (turn < 3).then_some(turn);
                    }
                });
            }
        });
    }
    while (present[0].n_left() + present[1].n_left() + present[2].n_left()) < VISITS as u64 {
        simulation.step();
    }

    let mut rates = OUTSIDE;
    for _ in 0..200 {
        rates = std::array::from_fn(|to| {
            OUTSIDE[to] + (0..3).map(|from| rates[from] * ROUTES[from][to]).sum::<f64>()
        });
    }
    for station in 0..3 {
        let (arrivals, services) = (rates[station], SERVICES[station]);
        let length = simulation.now().as_secs_f64();
        check_near(
            &format!("visits of station {station}"),
            present[station].n_left() as f64 / length,
            arrivals,
        );
        check_near(
            &format!("customers in station {station}"),
            present[station].mean_length(),
            arrivals / (services - arrivals),
        );
        check_near(
            &format!("time in station {station}"),
            present[station].mean_stay().as_secs_f64(),
            1.0 / (services - arrivals),
        );
    }
}
