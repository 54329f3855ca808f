//! What goes wrong ends in a clear error, in all processes, within the time that was set.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quadrille_cluster::{Hosts, Node, Secret, Work};
use quadrille_engine::Limits;
use quadrille_engine::disk::{Folder, Identity, RunStore};
use quadrille_model::{
    Explorer, Flow, GroupId, Model, Network, Problem, Signature, Successors, Value,
};

use crate::answers::{agreed, alone, by_ref, counters, essence, questions};
use crate::{Plan, together};

/// What each process says, none of which has an answer.
fn failures<M: quadrille_model::Model>(models: &[&M], plan: &Plan<'_>) -> Vec<String> {
    let told = together(models, plan, &|_| Vec::new());
    told.into_iter().map(|told| told.expect_err("a failure").to_string()).collect()
}

fn soon() -> Plan<'static> {
    Plan { patience: Duration::from_millis(1500), ..Plan::default() }
}

#[test]
fn other_models_questions_and_workers_are_refused() {
    let models = [counters(2), counters(3)];
    for said in failures(&by_ref(&models), &soon()) {
        assert!(said.contains("has another model"), "{said}");
    }
    let same = [counters(2), counters(2)];
    let identity = |process: usize| Identity { questions: process as u64, ..Identity::default() };
    for said in failures(&by_ref(&same), &Plan { identity: &identity, ..soon() }) {
        assert!(said.contains("is asked something else"), "{said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let resumes = |process| RunStore::Disk {
        folder: Folder::new(folder.path()),
        resume: process == 1,
        identity: Identity::default(),
    };
    for said in failures(&by_ref(&same), &Plan { runs: &resumes, ..soon() }) {
        assert!(said.contains("whether to begin or to go on"), "{said}");
    }
}

#[test]
fn another_secret_is_refused() {
    let models = [counters(2), counters(2)];
    let secret = |process: usize| vec![process as u8; 20];
    let said = failures(&by_ref(&models), &Plan { secret: &secret, ..soon() });
    assert!(said[0].contains("process 1 at 127.0.0.1:"), "{}", said[0]);
    assert!(
        said[0].contains("did not come within 1.5 s; 127.0.0.1 was turned away"),
        "{}",
        said[0]
    );
    assert!(said[1].contains("it does not know the same secret"), "{}", said[1]);
}

#[test]
fn a_process_that_does_not_come_is_named() {
    let network = counters(2);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").port();
    // A port at which nothing listens any more.
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port();
    for process in [0, 1] {
        let ports = if process == 0 { [own, free] } else { [free, own] };
        let place = (Hosts::local(&ports), process, 1);
        let listener = listener.try_clone().expect("the same");
        let secret = Secret::new(*b"known to all of the cluster").expect("long enough");
        let node = Node::listening(listener, place, secret, Duration::from_millis(700));
        let identity = Identity::default();
        let work = Work {
            model: &network,
            properties: &Vec::new,
            runs: &RunStore::Memory,
            identity: &identity,
            limits: Limits::default(),
            tell: &|_| (),
            hangs: &|_| (),
        };
        let began = Instant::now();
        let failed = node.search(&work, &mut |_| ControlFlow::Continue(()));
        let said = failed.expect_err("a failure").to_string();
        let expected = ["did not come within 0.7 s", "cannot be reached within 0.7 s"][process];
        assert!(said.contains(expected), "{said}");
        assert!(began.elapsed() < Duration::from_secs(20), "it gives up");
    }
}

/// A network whose steps take for ever as long as it is asleep.
struct Sleeper<'a> {
    network: Network,
    sleeps: Option<&'a AtomicBool>,
}

struct Dreamer<'a> {
    inner: Box<dyn Explorer + 'a>,
    sleeps: Option<&'a AtomicBool>,
}

impl Model for Sleeper<'_> {
    fn signature(&self) -> &Signature {
        self.network.signature()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Dreamer { inner: self.network.explorer(), sleeps: self.sleeps })
    }
}

impl Dreamer<'_> {
    fn sleep(&self) {
        while self.sleeps.is_some_and(|sleeps| sleeps.load(Ordering::Relaxed)) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Explorer for Dreamer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.inner.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.sleep();
        self.inner.successors(group, state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.sleep();
        self.inner.expand(state, sink)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.sleep();
        self.inner.may_end(state)
    }
}

#[test]
fn a_worker_that_never_finishes_a_level_is_noticed_though_its_process_is_alive() {
    let sleeps = AtomicBool::new(true);
    let models = [None, Some(&sleeps)].map(|sleeps| Sleeper { network: counters(4), sleeps });
    let hangs = |process: usize| {
        assert_eq!(process, 1);
        // A command would end its process here.
        sleeps.store(false, Ordering::Relaxed);
    };
    // What has steps by itself needs no explorer, but to find out that there are none.
    let plan = Plan { patience: Duration::from_millis(600), hangs: &hangs, ..Plan::default() };
    let began = Instant::now();
    for said in failures(&by_ref(&models), &plan) {
        assert!(said.contains("worker 1 has not moved for 6 s: it hangs"), "{said}");
    }
    assert!(began.elapsed() < Duration::from_secs(60), "they give up");
}

/// Says something at a port a hundred times, or until the search is over.
fn disturb(port: u16, over: &AtomicBool) {
    let mut held = Vec::new();
    for call in 0..100 {
        if over.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            let _ = match call % 4 {
                0 => stream.write_all(b"GET / HTTP/1.1\r\nHost: quadrille\r\n\r\n"),
                1 => stream.write_all(&[255; 4096]),
                // Begins well, and says nothing more.
                2 => stream.write_all(b"quadclus\x01\x00"),
                _ => Ok(()),
            };
            // Half of them stay, so that there is always one that was not heard to its end.
            if call % 4 >= 2 {
                held.push(stream);
                held.drain(..held.len().saturating_sub(20));
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn garbage_and_slow_bytes_at_the_port_end_nothing() {
    let network = counters(4);
    let expected = essence(&alone(&network));
    let bind = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let listeners = [bind(), bind()];
    let ports = listeners.each_ref().map(|it| it.local_addr().expect("an address").port());
    let (hosts, over) = (Hosts::local(&ports), AtomicBool::new(false));
    let start = |process: usize, listener: TcpListener| {
        let secret = Secret::new(*b"known to all of the cluster").expect("long enough");
        let place = (hosts.clone(), process, 1);
        let node = Node::listening(listener, place, secret, Duration::from_secs(60));
        let identity = Identity::default();
        let properties = || questions(&network);
        let work = Work {
            model: &network,
            properties: &properties,
            runs: &RunStore::Memory,
            identity: &identity,
            limits: Limits::default(),
            tell: &|_| (),
            hangs: &|_| (),
        };
        node.search(&work, &mut |_| ControlFlow::Continue(()))
    };
    let [first, second] = listeners;
    std::thread::scope(|scope| {
        let over = &over;
        for port in ports {
            scope.spawn(move || disturb(port, over));
        }
        let start = &start;
        let one = scope.spawn(move || start(0, first));
        // Nothing but strangers come for a while.
        std::thread::sleep(Duration::from_millis(300));
        let two = scope.spawn(move || start(1, second));
        let told = vec![one.join().expect("no panic"), two.join().expect("no panic")];
        over.store(true, Ordering::Relaxed);
        assert_eq!(essence(&agreed(told).found.outcome), expected);
    });
}

#[test]
fn a_trouble_of_one_process_is_told_by_all() {
    let models = [counters(5), counters(5), counters(5)];
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").expect("written");
    let store = |process| RunStore::Disk {
        folder: Folder::new(if process == 1 { file.clone() } else { folder.path().join("good") }),
        resume: false,
        identity: Identity::default(),
    };
    let said = failures(&by_ref(&models), &Plan { runs: &store, ..Plan::default() });
    assert!(said[1].contains("cannot make the folder"), "{}", said[1]);
    for other in [0, 2] {
        assert!(said[other].contains("process 1 ended: `"), "{}", said[other]);
    }
}

#[test]
fn a_search_that_was_interrupted_goes_on_with_exact_counts() {
    quadrille_workshop::check(6, |choices| {
        let network = counters(5 + choices.below(2));
        let (most, workers) = (50 + choices.below(700) as u64, 1 + choices.below(2));
        let expected = quadrille_engine::check(
            &network,
            Vec::new(),
            &quadrille_engine::Config::default(),
            &mut quadrille_engine::unobserved,
        );
        let expected = expected.expect("counts").counts;
        let folder = tempfile::tempdir().expect("a folder");
        let models = vec![&network; 3];
        let store = |resume| {
            let folder = Folder::new(folder.path());
            move |_| RunStore::Disk {
                folder: folder.clone(),
                resume,
                identity: Identity::default(),
            }
        };
        let limits = Limits { states: Some(most), memory: None };
        let begin = store(false);
        let plan = Plan { runs: &begin, limits, workers, ..Plan::default() };
        let told = agreed(together(&models, &plan, &|_| Vec::new()));
        assert!(told.found.outcome.bound.is_some(), "it is larger than that");
        // One process did not write down the last level: all go on from the one before.
        let last = folder.path().join("worker-1");
        if choices.coin() {
            std::fs::copy(last.join("manifest.before"), last.join("manifest")).expect("copied");
        }
        let go_on = store(true);
        let plan = Plan { runs: &go_on, workers, ..Plan::default() };
        for _ in 0..2 {
            let told = agreed(together(&models, &plan, &|_| Vec::new()));
            let counts = told.found.outcome.counts;
            assert_eq!(quadrille_model::Counts { bytes: expected.bytes, ..counts }, expected);
        }
        std::fs::remove_file(last.join("manifest")).expect("removed");
        std::fs::remove_file(last.join("manifest.before")).expect("removed");
        let said = failures(&[&network, &network, &network], &plan);
        assert!(said.iter().any(|said| said.contains("worker 1 has no search")), "{said:?}");
    });
}
