//! Tasks on threads of the system: the same orders as on coroutines, variables of the system's threads,
//! waiting while unwinding.

use std::cell::Cell;
use std::sync::Arc as RealArc;
use std::sync::atomic::{AtomicUsize as RealAtomic, Ordering::Relaxed};

use quadrille_sim::{Config, Fault, Sim, Threads, sim};
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::mpsc::channel;
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

use crate::exhaustive::{Logs, execute, increments, program};

#[test]
fn orders_are_those_of_coroutines() {
    let report = sim(increments(2, 2)).exhaustive().system_threads().assert();
    assert_eq!((report.executions, report.is_exhausted), (6, true));
    for seed in 0..20 {
        let program = program(seed);
        let body = move || drop(execute(&program, &Logs::default()));
        let told = |threads| {
            let config = Config { threads, ..Config::default() };
            let report = sim(body.clone()).config(config).random(10).run().unwrap();
            (report.failure.map(|failure| failure.schedule.to_string()), report.operations)
        };
        assert_eq!(told(Threads::System), told(Threads::Coroutines), "seed {seed}");
    }
}

/// How many threads dropped a variable that is the system's, and whether any found that of another.
fn natives(explore: impl FnOnce(Sim) -> Sim) -> (usize, bool) {
    struct Noted(Cell<bool>, RealArc<RealAtomic>);
    impl Drop for Noted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Relaxed);
        }
    }
    std::thread_local!(static OWN: std::cell::OnceCell<Noted> = const { std::cell::OnceCell::new() });
    let (dropped, shared) = (RealArc::<RealAtomic>::default(), RealArc::<RealAtomic>::default());
    let (counted, found) = (RealArc::clone(&dropped), RealArc::clone(&shared));
    let body = move || {
        let visit = |counted: &RealArc<RealAtomic>, found: &RealArc<RealAtomic>| {
            OWN.with(|own| {
                let noted = own.get_or_init(|| Noted(Cell::new(false), RealArc::clone(counted)));
                found.fetch_add(usize::from(noted.0.replace(true)), Relaxed);
            });
        };
        let (counted_too, found_too) = (RealArc::clone(&counted), RealArc::clone(&found));
        let thread = thread::spawn(move || {
            thread::yield_now();
            visit(&counted_too, &found_too);
        });
        visit(&counted, &found);
        thread.join().unwrap();
    };
    explore(sim(body).random(1)).assert();
    (dropped.load(Relaxed), shared.load(Relaxed) > 0)
}

#[test]
fn variables_of_the_systems_threads_belong_to_tasks() {
    assert_eq!(natives(Sim::system_threads), (2, false));
    // On coroutines they are shared: what `thread_local!` of the simulated `std` declares is not.
    assert!(natives(|sim| sim).1);
}

#[test]
fn a_task_can_wait_while_it_unwinds() {
    struct Says(quadrille_sim_std::sync::mpsc::Receiver<()>);
    impl Drop for Says {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }
    let body = || {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            let _says = Says(receiver);
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        thread::yield_now();
        sender.send(()).unwrap();
        assert!(thread.join().is_err());
    };
    let config = Config { panics: quadrille_sim::Panics::OfBody, ..Config::default() };
    let failure = sim(body).config(config.clone()).random(50).run().unwrap().failure.unwrap();
    assert!(matches!(failure.fault, Fault::CleanUpBlocked(_)), "{failure}");
    let report = sim(body).config(config).exhaustive().system_threads().assert();
    assert!(report.is_exhausted);
}

#[test]
fn threads_of_executions_that_fail_stay_behind_and_do_no_harm() {
    let body = || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            drop(other.0.lock().unwrap());
        });
        let first = locks.0.lock().unwrap();
        drop(locks.1.lock().unwrap());
        drop(first);
        thread.join().unwrap();
    };
    let config = Config { max_failures: u64::MAX, ..Config::default() };
    let told = |sim: Sim| {
        let report = sim.run().unwrap();
        (report.executions, report.failures, report.failure.unwrap().schedule.to_string())
    };
    let coroutines = told(sim(body).config(config.clone()).exhaustive());
    assert_eq!(told(sim(body).config(config).exhaustive().system_threads()), coroutines);
}

#[test]
fn several_workers_explore_on_threads_of_the_system() {
    let body = || {
        let word = Arc::new(AtomicUsize::new(0));
        let threads = [1, 2].map(|number| {
            let word = Arc::clone(&word);
            thread::spawn(move || word.store(number, SeqCst))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let explored = |workers| sim(body).exhaustive().system_threads().workers(workers).assert();
    assert_eq!(explored(2).executions, explored(1).executions);
}
