//! Formulas over executions.

use quadrille_sim::strategy::Naive;
use quadrille_sim::{Config, Failure, Fault, event, explore_with, lasso, sim, task};
use quadrille_sim_check::Formula;
use quadrille_sim_std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

fn formula(text: &str) -> impl Fn() -> Formula + Send + Sync + 'static {
    let formula = Formula::parse(text).unwrap();
    move || formula.clone()
}

/// A thread asks, another answers; in order only if `in_order`.
fn questions(in_order: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let asked = Arc::new(AtomicBool::new(!in_order));
        let other = Arc::clone(&asked);
        let thread = thread::spawn(move || {
            if other.load(SeqCst) {
                event!("answered");
            }
        });
        event!("asked");
        asked.store(true, SeqCst);
        thread.join().unwrap();
    }
}

fn violated(text: &str, body: impl Fn() + Send + Sync + 'static) -> Option<Failure> {
    let report = sim(body).monitor(formula(text)).exhaustive().run().unwrap();
    assert!(report.failure.is_some() || report.is_exhausted);
    report.failure
}

#[test]
fn events_have_an_order() {
    assert!(violated("(!answered) W asked", questions(true)).is_none());
    let failure = violated("(!answered) W asked", questions(false)).unwrap();
    assert!(failure.to_string().contains("is violated by a run that ends"), "{failure}");
    assert!(violated("F asked", questions(true)).is_none());
    // It is not sure that there is an answer; and `X` speaks of the next event, whatever commutes.
    assert!(violated("F answered", questions(true)).is_some());
    assert!(violated("G (asked -> X (answered | G !answered))", questions(true)).is_none());
}

#[test]
fn the_schedule_of_a_violation_shows_it_again() {
    let text = "(!answered) W asked";
    let failure = violated(text, questions(false)).unwrap();
    let schedule = failure.schedule.to_string();
    let again = sim(questions(false)).monitor(formula(text)).replay(&schedule).run().unwrap();
    assert_eq!(
        again.failure.unwrap().to_string().lines().next(),
        failure.to_string().lines().next()
    );
}

#[test]
fn operations_are_called_by_their_words() {
    let body = || {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let name = thread::Builder::new().name("helper".to_owned());
        let thread = name.spawn(move || *other.lock().unwrap() += 1).unwrap();
        *lock.lock().unwrap() += 1;
        thread.join().unwrap();
    };
    let naive = |text: &str| {
        let monitor = Box::new(Formula::parse(text).unwrap());
        let report =
            explore_with(Config::default(), Box::new(Naive::new()), monitor, Arc::new(body));
        assert!(report.failure.is_some() || report.is_exhausted);
        report.failure.is_none()
    };
    assert!(naive(r#"G ("helper: lock" -> F "helper: unlock")"#));
    assert!(naive(r#"G ("main: lock" -> (!"helper: lock") U "main: unlock")"#));
    assert!(!naive(r#"(!"helper: lock") W "main: lock""#));
    // Reduction leaves orders of operations out, so that it cannot answer.
    let failure = violated(r#"F "lock""#, body).unwrap();
    assert!(failure.fault.is_misuse(), "{failure}");
    assert!(failure.to_string().contains("mark what matters by `event!`"), "{failure}");
}

/// Two threads that take turns for ever, each by an event; one of them forgets to if `forgets`.
fn turns(forgets: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let turn = Arc::new(Mutex::new(false));
        let seen = Arc::clone(&turn);
        lasso::recognise(move || seen.try_lock().map_or(2, |turn| u64::from(*turn)));
        for own in [false, true] {
            let turn = Arc::clone(&turn);
            thread::spawn(move || {
                loop {
                    let mut turn = turn.lock().unwrap();
                    if *turn == own {
                        if own && !forgets {
                            event!("second");
                        } else if !own {
                            event!("first");
                        }
                        *turn = !own;
                    }
                    drop(turn);
                    thread::yield_now();
                }
            });
        }
    }
}

#[test]
fn endless_programs_are_judged_on_lassos() {
    let holds = |forgets: bool, text: &str| {
        let report = sim(turns(forgets)).monitor(formula(text)).random(200).run().unwrap();
        assert_eq!(report.cut, 0, "every execution comes round");
        match report.failure {
            None => true,
            Some(failure) => {
                let Fault::Check { message, .. } = &failure.fault else { panic!("{failure}") };
                assert!(message.contains("goes round for ever"), "{failure}");
                false
            }
        }
    };
    assert!(holds(false, "G F first & G F second"));
    assert!(!holds(true, "G F second"));
    assert!(holds(true, "G F first"));
    assert!(!holds(false, "F G !second"));
}

#[test]
fn bad_formulas_are_told() {
    assert!(Formula::parse("G (asked ->").unwrap_err().contains("formula:1:"));
    assert!(Formula::parse("AG asked").unwrap_err().contains("not of linear time"));
}

#[test]
fn events_have_computed_names() {
    let body = || {
        for number in 0..2 {
            event!("step {number}");
        }
        task::yield_now();
    };
    assert!(violated("(!`step 1`) W `step 0`", body).is_none());
    assert!(violated("F `step 2`", body).is_some());
}
