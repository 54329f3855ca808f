//! The third verdict, the same up to reordering: beside a naive definition that enumerates the partial orders and the runs
//! of finite protocols (`order/pomsets.rs`), and on protocols with loops by hand. `QUADRILLE_ROUNDS=20` compares 3,000.

mod pomsets;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_diagnostic::Severity;
use quadrille_engine::{Limits, unobserved};
use quadrille_model::{InteractionKind, LocalId};
use quadrille_protocol::core::{ActId, RoleId};
use quadrille_protocol::project::{Global, Liberal, LocalEdge, PacketId, Projection, Queues};
use quadrille_query::protocol::{
    Explored, Faithfulness, Order, Which, compare_order, liberal, projected,
};
use quadrille_workshop::check;

use self::pomsets::{Body, pomsets};
use crate::protocol::quad_protocol;

const LIMITS: Limits = Limits { states: Some(20_000), memory: None };

/// What each role does in a run, in its own order.
type Tuple = BTreeMap<RoleId, Vec<ActId>>;

/// Most configurations that the naive definition looks at.
const MOST: usize = 6_000;

/// Most partial orders of a protocol.
const MOST_ORDERS: usize = 100;

fn perform(global: &Global, tuple: &Tuple, act: ActId) -> Tuple {
    let mut tuple = tuple.clone();
    for role in global.act(act).subjects() {
        tuple.entry(role).or_default().push(act);
    }
    tuple
}

/// The tuples of the runs of a protocol that end; `None` if there are too many.
fn of_protocol(global: &Global) -> Option<BTreeSet<Tuple>> {
    let start = (Global::START, Tuple::new());
    let (mut met, mut stack) = (BTreeSet::from([start.clone()]), vec![start]);
    let mut ended = BTreeSet::new();
    while let Some((state, tuple)) = stack.pop() {
        if global.is_end(state) {
            ended.insert(tuple.clone());
        }
        for &(act, to) in global.edges(state) {
            let next = (to, perform(global, &tuple, act));
            if met.insert(next.clone()) {
                stack.push(next);
            }
        }
        if met.len() > MOST {
            return None;
        }
    }
    Some(ended)
}

/// The tuples of the partial orders of a protocol; `None` if there are too many.
fn of_orders(body: &Body, global: &Global) -> Option<BTreeSet<Tuple>> {
    let mut tuples = BTreeSet::new();
    for pomset in pomsets(body, MOST_ORDERS)? {
        let act = |label: &String| global.act_ids().find(|&act| global.label(act) == label);
        let acts: Vec<ActId> =
            pomset.labels.iter().map(|label| act(label).expect("it happens")).collect();
        let mut met = BTreeSet::from([(BTreeSet::new(), Tuple::new())]);
        let mut stack: Vec<(BTreeSet<usize>, Tuple)> = met.iter().cloned().collect();
        while let Some((done, tuple)) = stack.pop() {
            if done.len() == acts.len() {
                tuples.insert(tuple.clone());
            }
            for next in (0..acts.len()).filter(|event| !done.contains(event)) {
                let mut before = pomset.order.iter().filter(|(_, then)| *then == next);
                if before.all(|(first, _)| done.contains(first)) {
                    let mut done = done.clone();
                    done.insert(next);
                    let state = (done, perform(global, &tuple, acts[next]));
                    if met.insert(state.clone()) {
                        stack.push(state);
                    }
                }
            }
            if met.len() > MOST {
                return None;
            }
        }
    }
    Some(tuples)
}

/// Roles in their states, with messages between them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    locals: Vec<LocalId>,
    queues: BTreeMap<(RoleId, RoleId), VecDeque<PacketId>>,
    tuple: Tuple,
}

impl Configuration {
    fn edges<'p>(&self, projection: &'p Projection, role: usize) -> &'p [LocalEdge] {
        &projection.locals()[role].states[self.locals[role].index()].edges
    }

    /// What it may become when a role takes one of its steps.
    fn after(
        &self,
        global: &Global,
        projection: &Projection,
        role: usize,
        edge: &LocalEdge,
    ) -> Option<Self> {
        let act = global.act(edge.act);
        let own = projection.locals()[role].role;
        let mut next = self.clone();
        next.locals[role] = edge.to;
        match act.kind {
            InteractionKind::Send => {
                let to: BTreeSet<RoleId> = act.to.iter().copied().collect();
                for to in to {
                    next.queues.entry((own, to)).or_default().push_back(edge.packet?);
                }
            }
            InteractionKind::Receive => {
                let queue = next.queues.get_mut(&(act.from, own))?;
                if queue.front() != edge.packet.as_ref() {
                    return None;
                }
                queue.pop_front();
                if queue.is_empty() {
                    next.queues.remove(&(act.from, own));
                }
            }
            InteractionKind::Exchange => {
                if act.from != own {
                    return None;
                }
                for &to in act.to.iter().filter(|&&to| to != own) {
                    let other = projection.locals().iter().position(|local| local.role == to)?;
                    let same = self.edges(projection, other).iter();
                    let mut same = same.filter(|it| it.act == edge.act && it.packet == edge.packet);
                    next.locals[other] = same.next()?.to;
                }
            }
            InteractionKind::Close | InteractionKind::Local => {}
        }
        next.tuple = perform(global, &self.tuple, edge.act);
        Some(next)
    }

    fn may_end(&self, projection: &Projection) -> bool {
        let mut locals = projection.locals().iter().zip(&self.locals);
        self.queues.is_empty() && locals.all(|(local, state)| local.states[state.index()].may_end)
    }
}

/// The tuples of the runs of the liberal form that end, and whether some run gets stuck; `None` if there are too many.
fn of_liberal(global: &Global, projection: &Projection) -> Option<(BTreeSet<Tuple>, bool)> {
    let start = Configuration {
        locals: vec![LocalId::new(0); projection.locals().len()],
        queues: BTreeMap::new(),
        tuple: Tuple::new(),
    };
    let (mut met, mut stack) = (BTreeSet::from([start.clone()]), vec![start]);
    let (mut ended, mut is_stuck) = (BTreeSet::new(), false);
    while let Some(configuration) = stack.pop() {
        let may_end = configuration.may_end(projection);
        if may_end {
            ended.insert(configuration.tuple.clone());
        }
        let mut goes_on = false;
        for role in 0..projection.locals().len() {
            for edge in configuration.edges(projection, role) {
                let Some(next) = configuration.after(global, projection, role, edge) else {
                    continue;
                };
                goes_on = true;
                if met.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        is_stuck |= !goes_on && !may_end;
        if met.len() > MOST {
            return None;
        }
    }
    Some((ended, is_stuck))
}

#[test]
fn exactly_the_harmless_ones_are_accepted() {
    let (mut n_same, mut n_reordered, mut n_parallel, mut n_lost, mut n_added) = (0, 0, 0, 0, 0);
    check(150, |choices| {
        let body = Body::random(choices, 3);
        let text = format!("message M, N, O; event E; role a, b, c; protocol p {{ {body} }}");
        let session = quad_protocol(&text);
        let Ok(explored) = Explored::new(&session.model, LIMITS, &mut unobserved) else { return };
        let global = explored.global();
        let Ok(projection) = projected(global, LIMITS, &mut unobserved) else { return };
        let (Some(allowed), Some(wanted), Some((found, is_stuck))) =
            (of_orders(&body, global), of_protocol(global), of_liberal(global, &projection))
        else {
            return;
        };
        assert!(wanted.is_subset(&allowed), "the orders of {text}");
        let is_harmless = !is_stuck && wanted.is_subset(&found) && found.is_subset(&allowed);
        let form = Liberal::new(projection, &Queues::PerPair);
        match compare_order(&explored, &form, LIMITS, &mut unobserved).expect("no problem") {
            Order::Same => {
                assert!(is_harmless, "accepted: {text}");
                n_same += 1;
                n_parallel += u32::from(body.has_par() && !found.is_subset(&wanted));
                let report = liberal(&explored, &Queues::PerPair, LIMITS, &mut unobserved);
                let faithfulness = report.expect("no problem").faithfulness;
                n_reordered += u32::from(matches!(faithfulness, Faithfulness::Reordered(_)));
            }
            Order::Differs(deviation) => {
                assert!(!is_harmless, "refused: {text}");
                let replayed = match deviation.which {
                    Which::Added => deviation.trace.replay(&form),
                    Which::Lost => deviation.trace.replay(global),
                };
                assert_eq!(replayed, Ok(()), "{text}");
                match deviation.which {
                    Which::Added => n_added += 1,
                    Which::Lost => n_lost += 1,
                }
            }
            Order::Unknown(bound) => panic!("{bound:?}: {text}"),
        }
    });
    for count in [n_same, n_reordered, n_added] {
        assert!(count >= 12, "{n_same} {n_reordered} {n_lost} {n_added}");
    }
    assert!(n_parallel >= 1, "{n_parallel}");
    assert!(n_lost >= 1, "{n_same} {n_reordered} {n_lost} {n_added}");
}

#[track_caller]
fn verdict(body: &str) -> Faithfulness {
    let roles = "message M, N, O; role a, b, c, d, w[0..3];";
    let session = quad_protocol(&format!("{roles} protocol p {{ {body} }}"));
    let explored = Explored::new(&session.model, LIMITS, &mut unobserved).expect("small");
    let report = liberal(&explored, &Queues::PerPair, LIMITS, &mut unobserved).expect("no problem");
    if let Faithfulness::Reordered(_) = report.faithfulness {
        let [note] = &report.diagnostics[..] else { panic!("one note: {:?}", report.diagnostics) };
        assert_eq!(note.severity, Severity::Note);
    }
    report.faithfulness
}

#[test]
fn ordinary_asynchronous_protocols_are_accepted() {
    for body in [
        "M from a to b; N from a to b;",
        "M from a to b; N from c to d;",
        "for i in 0..3 { M from a to w[i]; }",
        "M from a to b; N from c to a; N from c to a; M from a to c; M from b to c;",
        "loop { for i in 0..3 { M from a to w[i]; } for i in 0..3 { N from w[i] to a; } } for i in 0..3 { O from a to w[i]; }",
        "loop { M from a to b; M from a to c; N from b to a; N from c to a; }",
        "either { M from a to b; M from a to c; } or { N from a to b; N from a to c; }",
        // Each part is followed by itself, whatever its roles do in the other.
        "par { M from a to b; N from c to d; } and { O from d to a; }",
        "loop { M from a to c; par { M from a to b; N from c to d; M from b to a; O from d to a; } and { N from c to a; } }
         O from a to b; O from a to c; O from a to d;",
    ] {
        assert!(matches!(verdict(body), Faithfulness::Reordered(_)), "{body}: {:?}", verdict(body));
    }
}

#[test]
fn harmful_differences_are_refused() {
    for body in [
        // A choice that `c` does not see.
        "either { M from a to b; M from c to d; } or { N from a to b; N from c to d; }",
        // The parts are over before what follows them.
        "par { M from a to b; } and { N from c to b; } either { O from b to a; } or { N from a to b; }",
        // A message of one part is taken for that of the other.
        "par { M from c to a sync; N from a to b; M from b to c sync; } and { M from b to c sync; N from a to b; M from a to b sync; }",
        // Two decide.
        "either { M from a to b; O from b to a; } or { N from b to a; }",
        // A message overtakes another.
        "par { M from a to b; } and { N from a to b; }",
        // The loop is left by one role only.
        "loop { M from a to b; N from b to a; } O from c to b;",
    ] {
        assert!(matches!(verdict(body), Faithfulness::Differs(_)), "{body}: {:?}", verdict(body));
    }
}
