//! The C11 memory: litmus tests with their exact sets of outcomes, and random programs against the
//! axioms.

mod axioms;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc as RealArc, Mutex as RealMutex};

use axioms::{N_LOCATIONS, Op, Outcome, Program, failing};
use quadrille_sim::strategy::{Dpor, Naive, Reduction};
use quadrille_sim::{Config, Fault, Memory, Random, Report, Strategy, explore, sim};
use quadrille_sim_std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, fence};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::{hint, thread, tracked::TrackedCell};

fn run(ops: &[Op], atomics: &[AtomicU64]) -> Vec<u64> {
    let mut read = Vec::new();
    for &op in ops {
        match op {
            Op::Load(a, order) => read.push(atomics[a].load(order)),
            Op::Store(a, value, order) => atomics[a].store(value, order),
            Op::Swap(a, value, order) => read.push(atomics[a].swap(value, order)),
            Op::Exchange(a, old, new, order) => {
                let result = atomics[a].compare_exchange(old, new, order, failing(order));
                read.push(result.unwrap_or_else(|value| value));
            }
            Op::Fence(order) => fence(order),
        }
    }
    read
}

/// What a program can come to.
fn explored(
    program: &Program,
    memory: Memory,
    strategy: impl Strategy + 'static,
) -> (BTreeSet<Outcome>, Report) {
    let found: RealArc<RealMutex<BTreeSet<Outcome>>> = RealArc::default();
    let (into, program) = (RealArc::clone(&found), program.clone());
    let config = Config { memory, ..Config::default() };
    let body = move || {
        let atomics: Arc<[AtomicU64; N_LOCATIONS]> = Arc::default();
        let threads: Vec<_> = program
            .iter()
            .cloned()
            .map(|ops| {
                let atomics = Arc::clone(&atomics);
                thread::spawn(move || run(&ops, &*atomics))
            })
            .collect();
        let read: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let ends = atomics.iter().map(|atomic| atomic.load(Relaxed)).collect();
        into.lock().unwrap().insert((read, ends));
    };
    let report = explore(config, Box::new(strategy), RealArc::new(body));
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.is_exhausted);
    assert_eq!(report.memory, memory);
    let found = found.lock().unwrap().clone();
    (found, report)
}

const X: usize = 0;
const Y: usize = 1;

/// What the threads of a litmus test read, all in a row; checked against the axioms as well.
fn reads(program: &[&[Op]]) -> BTreeSet<Vec<u64>> {
    let program: Program = program.iter().map(|ops| ops.to_vec()).collect();
    let (found, _) = explored(&program, Memory::C11, Dpor::new(Reduction::Optimal));
    assert_eq!(found, axioms::outcomes(&program), "{program:?}");
    found.into_iter().map(|(reads, _)| reads.concat()).collect()
}

/// All values of so many reads of zero or one, but some.
fn all_but(n: u32, forbidden: &[&[u64]]) -> BTreeSet<Vec<u64>> {
    let all = (0..1_u64 << n).map(|bits| (0..n).rev().map(|bit| bits >> bit & 1).collect());
    all.filter(|values: &Vec<u64>| !forbidden.contains(&&values[..])).collect()
}

use Op::{Exchange, Fence, Load, Store, Swap};

#[test]
fn store_buffering() {
    let both = |store, load, between: Option<Ordering>| {
        let thread = |a, b| {
            let mut ops = vec![Store(a, 1, store)];
            ops.extend(between.map(Fence));
            ops.push(Load(b, load));
            ops
        };
        reads(&[&thread(X, Y), &thread(Y, X)])
    };
    assert_eq!(both(Relaxed, Relaxed, None), all_but(2, &[]));
    assert_eq!(both(Release, Acquire, None), all_but(2, &[]));
    assert_eq!(both(Relaxed, Relaxed, Some(AcqRel)), all_but(2, &[]));
    assert_eq!(both(Relaxed, Relaxed, Some(SeqCst)), all_but(2, &[&[0, 0]]));
    assert_eq!(both(SeqCst, SeqCst, None), all_but(2, &[&[0, 0]]));
    assert_eq!(both(SeqCst, Acquire, None), all_but(2, &[]));
    // A fence on one side orders nothing.
    let half = reads(&[
        &[Store(X, 1, Relaxed), Fence(SeqCst), Load(Y, Relaxed)],
        &[Store(Y, 1, Relaxed), Load(X, Relaxed)],
    ]);
    assert_eq!(half, all_but(2, &[]));
}

#[test]
fn message_passing() {
    let passing = |write: &[Op], read: &[Op]| reads(&[write, read]);
    let relaxed = passing(
        &[Store(X, 1, Relaxed), Store(Y, 1, Relaxed)],
        &[Load(Y, Relaxed), Load(X, Relaxed)],
    );
    assert_eq!(relaxed, all_but(2, &[]));
    let ordered = all_but(2, &[&[1, 0]]);
    let half = passing(
        &[Store(X, 1, Relaxed), Store(Y, 1, Release)],
        &[Load(Y, Relaxed), Load(X, Relaxed)],
    );
    assert_eq!(half, all_but(2, &[]));
    let released = passing(
        &[Store(X, 1, Relaxed), Store(Y, 1, Release)],
        &[Load(Y, Acquire), Load(X, Relaxed)],
    );
    assert_eq!(released, ordered);
    let fenced = passing(
        &[Store(X, 1, Relaxed), Fence(Release), Store(Y, 1, Relaxed)],
        &[Load(Y, Relaxed), Fence(Acquire), Load(X, Relaxed)],
    );
    assert_eq!(fenced, ordered);
    let fence_and_acquire = passing(
        &[Store(X, 1, Relaxed), Fence(Release), Store(Y, 1, Relaxed)],
        &[Load(Y, Acquire), Load(X, Relaxed)],
    );
    assert_eq!(fence_and_acquire, ordered);
}

#[test]
fn load_buffering_is_not_modelled() {
    // C11 allows 1, 1 here, and says so of few compilers; see the manual.
    let found = reads(&[
        &[Load(X, Relaxed), Store(Y, 1, Relaxed)],
        &[Load(Y, Relaxed), Store(X, 1, Relaxed)],
    ]);
    assert_eq!(found, all_but(2, &[&[1, 1]]));
}

#[test]
fn independent_reads_of_independent_writes() {
    let four = |store, load, between: Option<Ordering>| {
        let reader = |a, b| {
            let mut ops = vec![Load(a, load)];
            ops.extend(between.map(Fence));
            ops.push(Load(b, load));
            ops
        };
        reads(&[&[Store(X, 1, store)], &[Store(Y, 1, store)], &reader(X, Y), &reader(Y, X)])
    };
    let opposite: &[&[u64]] = &[&[1, 0, 1, 0]];
    assert_eq!(four(Relaxed, Relaxed, None), all_but(4, &[]));
    assert_eq!(four(Release, Acquire, None), all_but(4, &[]));
    assert_eq!(four(SeqCst, SeqCst, None), all_but(4, opposite));
    assert_eq!(four(Relaxed, Relaxed, Some(SeqCst)), all_but(4, opposite));
}

#[test]
fn coherence() {
    // Reads of one location never go back.
    let found = reads(&[&[Store(X, 1, Relaxed)], &[Load(X, Relaxed), Load(X, Relaxed)]]);
    assert_eq!(found, all_but(2, &[&[1, 0]]));
    // Two readers agree on the order of two stores.
    let found = reads(&[
        &[Store(X, 1, Relaxed)],
        &[Store(X, 2, Relaxed)],
        &[Load(X, Relaxed), Load(X, Relaxed)],
        &[Load(X, Relaxed), Load(X, Relaxed)],
    ]);
    assert!(!found.contains(&vec![1, 2, 2, 1]) && !found.contains(&vec![2, 1, 1, 2]));
    assert!(found.contains(&vec![1, 2, 0, 2]) && found.contains(&vec![2, 1, 0, 1]));
    assert_eq!(found.len(), 47);
}

/// What the two locations can hold in the end.
fn ends(order: Ordering) -> BTreeSet<Vec<u64>> {
    let program: Program = vec![
        vec![Store(X, 1, order), Store(Y, 2, order)],
        vec![Store(Y, 1, order), Store(X, 2, order)],
    ];
    let (found, _) = explored(&program, Memory::C11, Dpor::new(Reduction::Optimal));
    assert_eq!(found, axioms::outcomes(&program));
    found.into_iter().map(|(_, ends)| ends).collect()
}

#[test]
fn two_and_two_writes() {
    let all = BTreeSet::from([vec![1, 1], vec![1, 2], vec![2, 1], vec![2, 2]]);
    assert_eq!(ends(Relaxed), all);
    assert_eq!(ends(Release), all);
    let ordered: BTreeSet<_> = all.into_iter().filter(|ends| ends != &[1, 1]).collect();
    assert_eq!(ends(SeqCst), ordered);
}

#[test]
fn release_sequences_go_on_through_updates_only() {
    let after = |between: Op| {
        let found = reads(&[
            &[Store(X, 1, Relaxed), Store(Y, 1, Release)],
            &[between],
            &[Load(Y, Acquire), Load(X, Relaxed)],
        ]);
        // The reader saw what came between, and that came after the release store.
        let between: Vec<_> = found.into_iter().filter(|reads| reads.contains(&2)).collect();
        between.iter().any(|reads| reads[..] == [1, 2, 0] || reads[..] == [2, 0])
    };
    assert!(!after(Swap(Y, 2, Relaxed)));
    assert!(!after(Exchange(Y, 1, 2, Relaxed)));
    assert!(after(Store(Y, 2, Relaxed)));
    // In one thread, too: C++20 took that rule out.
    let own = reads(&[
        &[Store(X, 1, Relaxed), Store(Y, 1, Release), Store(Y, 2, Relaxed)],
        &[Load(Y, Acquire), Load(X, Relaxed)],
    ]);
    assert!(own.contains(&vec![2, 0]) && !own.contains(&vec![1, 0]));
}

#[test]
fn updates_are_atomic() {
    let found = reads(&[&[Swap(X, 1, Relaxed)], &[Swap(X, 2, Relaxed)]]);
    assert_eq!(found, BTreeSet::from([vec![0, 1], vec![2, 0]]));
    // One of two wins, and the other one may not see anything newer than that.
    let found = reads(&[&[Exchange(X, 0, 1, Relaxed)], &[Exchange(X, 0, 2, Relaxed)]]);
    assert_eq!(found, BTreeSet::from([vec![0, 1], vec![2, 0]]));
    let report = sim(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let add = |counter: &AtomicUsize| {
            (0..2).for_each(|_| {
                counter.fetch_add(1, Relaxed);
            });
        };
        let other = Arc::clone(&counter);
        let thread = thread::spawn(move || add(&other));
        add(&counter);
        thread.join().unwrap();
        assert_eq!(counter.load(Relaxed), 4);
    })
    .memory(Memory::C11)
    .exhaustive()
    .assert();
    assert!(report.is_exhausted);
}

/// A random program of few operations.
fn program(seed: u64) -> Program {
    let mut random = Random::of(seed, 91);
    let n_threads = 2 + random.below(2) as usize;
    let longest = if n_threads == 2 { 3 } else { 2 };
    let orders: Vec<u64> = (0..2).map(|_| random.below(4)).collect();
    let mut value = 0;
    let mut op = || {
        let location = random.below(N_LOCATIONS as u64) as usize;
        let order = orders[random.below(2) as usize];
        let load = [Relaxed, Acquire, SeqCst, SeqCst][order as usize];
        let store = [Relaxed, Release, SeqCst, Release][order as usize];
        let update = [Relaxed, AcqRel, SeqCst, Acquire][order as usize];
        value += 1;
        match random.below(9) {
            0..3 => Load(location, load),
            3..6 => Store(location, value, store),
            6 => Swap(location, value, update),
            7 => Exchange(location, random.below(value), value, update),
            _ => Fence([SeqCst, Acquire, Release, SeqCst][order as usize]),
        }
    };
    let mut lengths = Random::of(seed, 92);
    (0..n_threads).map(|_| (0..=lengths.below(longest)).map(|_| op()).collect()).collect()
}

/// The same with sequentially consistent operations only.
fn sequential(ops: &[Op]) -> Vec<Op> {
    let strong = |&op: &Op| match op {
        Load(a, _) => Load(a, SeqCst),
        Store(a, value, _) => Store(a, value, SeqCst),
        Swap(a, value, _) => Swap(a, value, SeqCst),
        Exchange(a, old, new, _) => Exchange(a, old, new, SeqCst),
        Fence(_) => Fence(SeqCst),
    };
    ops.iter().map(strong).collect()
}

#[test]
fn random_programs_do_what_the_axioms_allow() {
    // Set these for more.
    #[allow(clippy::disallowed_methods)]
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (from, count) = (number("SEED").unwrap_or(0), number("COUNT").unwrap_or(60));
    let mut executions = [0; 2];
    for seed in from..from + count {
        let program = program(seed);
        let expected = axioms::outcomes(&program);
        for (index, reduction) in [Reduction::Source, Reduction::Optimal].into_iter().enumerate() {
            let (found, report) = explored(&program, Memory::C11, Dpor::new(reduction));
            assert_eq!(found, expected, "seed {seed}, {reduction:?}: {program:?}");
            executions[index] += report.executions;
        }
        if program.len() == 2 {
            let (found, _) = explored(&program, Memory::C11, Naive::new());
            assert_eq!(found, expected, "seed {seed}, naive: {program:?}");
        }
        let expected = axioms::outcomes(&program.iter().map(|ops| sequential(ops)).collect());
        for reduction in [Reduction::Source, Reduction::Optimal] {
            let (found, _) = explored(&program, Memory::Sc, Dpor::new(reduction));
            assert_eq!(found, expected, "seed {seed}, SC, {reduction:?}: {program:?}");
        }
    }
    #[allow(clippy::print_stdout)]
    {
        println!("{count} programs; executions: source, optimal {executions:?}");
    }
}

#[test]
fn no_sequence_is_lost_where_several_begin_alike() {
    let program: Program = vec![
        vec![Load(X, Relaxed)],
        vec![Load(Y, Relaxed), Store(X, 1, Relaxed)],
        vec![Load(X, Relaxed), Store(Y, 1, Relaxed)],
    ];
    for memory in [Memory::Sc, Memory::C11] {
        for reduction in [Reduction::Source, Reduction::Optimal] {
            let (found, _) = explored(&program, memory, Dpor::new(reduction));
            let found: BTreeSet<_> = found.into_iter().map(|(reads, _)| reads.concat()).collect();
            assert_eq!(found, all_but(3, &[&[0, 1, 1], &[1, 1, 1]]), "{memory} {reduction:?}");
        }
    }
}

#[test]
fn a_stale_read_is_replayed_and_shown() {
    let body = || {
        let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            other.0.store(42, Relaxed);
            other.1.store(true, Relaxed);
        });
        if shared.1.load(Acquire) {
            assert_eq!(shared.0.load(Relaxed), 42, "the message is not there");
        }
        writer.join().unwrap();
    };
    assert!(sim(body).exhaustive().assert().is_exhausted);
    let random = sim(body).memory(Memory::C11).random(1_000).run().unwrap();
    let failure = sim(body).memory(Memory::C11).exhaustive().run().unwrap().failure.unwrap();
    for failure in [random.failure.unwrap(), failure] {
        let text = format!("{failure}\n{}", failure.lanes());
        assert!(text.contains("the message is not there"), "{text}");
        assert!(text.contains("memory model C11"), "{text}");
        assert!(text.contains("= 0 (overwritten)"), "{text}");
        let schedule = failure.schedule.to_string();
        assert!(schedule.starts_with("q1c11:"), "{schedule}");
        // The schedule says which memory it belongs to.
        let again = sim(body).replay(&schedule).run().unwrap();
        assert_eq!(again.memory, Memory::C11);
        assert_eq!(again.failure.unwrap().schedule.to_string(), schedule);
    }
}

#[test]
fn polling_sees_stores_in_finite_time() {
    let polling = |order, hinted: bool| {
        move || {
            let shared = Arc::new((TrackedCell::new(0), AtomicBool::new(false)));
            let other = Arc::clone(&shared);
            let writer = thread::spawn(move || {
                other.0.set(7);
                other.1.store(true, order);
            });
            while !shared.1.load(Acquire) {
                if hinted {
                    hint::spin_loop();
                }
            }
            assert_eq!(shared.0.get(), 7);
            writer.join().unwrap();
        }
    };
    for hinted in [true, false] {
        let explore = |order| sim(polling(order, hinted)).memory(Memory::C11).exhaustive().run();
        assert!(explore(Release).unwrap().is_exhausted);
        let failure = explore(Relaxed).unwrap().failure.unwrap();
        assert!(matches!(failure.fault, Fault::DataRace { .. }), "{failure}");
    }
}

#[test]
fn locks_and_joins_pass_on_what_is_known() {
    let report = sim(|| {
        let shared = Arc::new((AtomicUsize::new(0), Mutex::new(false)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            other.0.store(1, Relaxed);
            *other.1.lock().unwrap() = true;
            other.0.store(2, Relaxed);
        });
        if *shared.1.lock().unwrap() {
            assert_ne!(shared.0.load(Relaxed), 0);
        }
        thread.join().unwrap();
        assert_eq!(shared.0.load(Relaxed), 2);
    })
    .memory(Memory::C11)
    .exhaustive()
    .assert();
    assert!(report.is_exhausted);
}
