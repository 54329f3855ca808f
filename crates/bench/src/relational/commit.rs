//! Two-phase commit with the messages of Lamport's TwoPhase, which may be received again and again: state
//! by state beside Spin, where it is installed, with steps and members left out, and by sets of states.

use std::io;

use quadrille_engine::{Limits, unobserved};
use quadrille_model::Model;
use quadrille_reduction::{Asked, Reduced, Seen, Symmetric, Symmetry};
use quadrille_symbolic::{Budget, Ended, Meter, Symbolic};

use super::{explored, system};
use crate::cpu::{Whose, measure};
use crate::line::{Bar, Line};
use crate::spin::{Check, Spin};
use crate::table::grouped;
use crate::workload::workloads;

/// The design; its states and steps are those of the workload `twophase`.
const TEXT: &str = "
enum Decision { Open, Committed, Aborted }
var sig prepared, heard in Manager {}
one sig Coordinator { var decision : one Decision }
enum Stage { Working, Prepared, Done, GaveUp }
sig Manager { var stage : one Stage }
event hear[m : Manager] { Coordinator.decision = Open  m in prepared  heard' = heard + m }
event prepare[m : Manager] { m.stage = Working  m.stage' = Prepared  prepared' = prepared + m }
event giveUp[m : Manager] { m.stage = Working  m.stage' = GaveUp }
event finish[m : Manager] { Coordinator.decision = Committed  m.stage' = Done }
event obey[m : Manager] { Coordinator.decision = Aborted  m.stage' = GaveUp }
event commit { Coordinator.decision = Open  heard = Manager  Coordinator.decision' = Committed }
event abort { Coordinator.decision = Open  Coordinator.decision' = Aborted }
init { no prepared  no heard  Coordinator.decision = Open  Manager.stage = Working }";

/// How many times as fast sets of states must be.
const LEAST_TIMES: f64 = 5.0;

/// What the other tools take for 8 managers, on another machine.
const ELSEWHERE: &str = "Elsewhere: Stateright 4.9 s, TLC 69 s on two workers.";

pub(super) fn measure_commit(n: usize) -> io::Result<bool> {
    let name = format!("commit {n}");
    let all = workloads();
    let workload = all.iter().find(|it| it.family == "twophase" && it.size == n);
    let workload = workload.ok_or_else(|| io::Error::other("no workload of this size"))?;
    let spin = match Spin::find() {
        Some(spin) => {
            let verifier = spin.prepare(workload, Check::Safety)?;
            Some(measure(Whose::Children, 3, || verifier.run())?)
        }
        None => None,
    };
    let text = format!("{TEXT} for {n} Manager");
    let (lower, system) = measure(Whose::Own, 1, || system(&text))?;
    let row = |way: &str, states: u64, seconds, beside, bars| {
        let (model, states) = (&*name, grouped(states));
        Line { model, way, states, seconds, bytes: None, beside, bars }.print()
    };
    let (whole, counts) = measure(Whose::Own, 3, || Ok(explored(&system)))?;
    // As Spin counts: entering the initial state is a step.
    let is_known =
        |states, steps| (states, steps) == (workload.known.states, workload.known.transitions);
    let mut bars = Vec::from_iter(Bar::count(is_known(counts.states, counts.transitions + 1)));
    if let Some((seconds, figures)) = &spin {
        bars.extend(Bar::count(is_known(figures.states, figures.transitions)));
        bars.push(Bar::at_most("times Spin", 1.0, (lower + whole) / seconds));
    }
    let beside = spin.as_ref().map(|(seconds, _)| ("Spin", *seconds));
    let mut is_good = row("whole", counts.states, lower + whole, beside, bars);
    let beside = Some(("whole", whole));
    let (seconds, left) = measure(Whose::Own, 1, || {
        let reduced = Reduced::new(&system, &Seen::default());
        Ok(explored(&reduced.map_err(|why| io::Error::other(format!("{why:?}")))?).states)
    })?;
    row("reduced", left, seconds, beside, Vec::new());
    let (seconds, left) = measure(Whose::Own, 1, || {
        let symmetry = Symmetry::of(&system, &Asked::default());
        let symmetry = symmetry.map_err(|why| io::Error::other(format!("{why:?}")))?;
        Ok(explored(&Symmetric::new(&system, symmetry)).states)
    })?;
    row("symmetric", left, seconds, beside, Vec::new());
    let (seconds, size) = measure(Whose::Own, 3, || {
        let (budget, mut observer) = (Budget::default(), unobserved);
        let mut meter = Meter::new(Limits::default(), budget, &mut observer);
        Symbolic::explore(&system, budget, &mut meter)
            .and_then(|mut symbolic| symbolic.size(&mut meter))
            .map_err(|ended: Ended| io::Error::other(format!("ended: {ended:?}")))
    })?;
    let states = size.states.to_u64().unwrap_or(0);
    let mut bars = Vec::from_iter(Bar::count(states == counts.states));
    bars.push(Bar::at_least("times whole", LEAST_TIMES, whole / seconds));
    is_good &= row("by sets", states, seconds, beside, bars);
    println!("{ELSEWHERE}");
    debug_assert!(system.never_fails());
    Ok(is_good)
}
