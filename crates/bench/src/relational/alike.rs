//! Paxos and Raft: states with and without symmetry, and the same verdicts of all commands.

use std::io;
use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_query::{Config, Engine, Memory, Question, Reduction, Selection, Unwatched, load};
use quadrille_reduction::{Asked, Symmetric, Symmetry};

use super::explored;
use crate::cpu::{Whose, measure};
use crate::line::{Bar, Line};
use crate::table::grouped;

const PAXOS: &str = include_str!("../../../../examples/designs/paxos.qev");
const RAFT: &str = include_str!("../../../../examples/designs/raft.qev");

/// What is put in place of what in a text.
type Changes = &'static [(&'static str, &'static str)];

/// Designs in their own scopes and in larger ones, with the states without and with symmetry.
const DESIGNS: [(&str, &str, Changes, u64, u64); 4] = [
    ("Paxos", PAXOS, &[], 964, 142),
    (
        "Paxos, 3 ballots",
        PAXOS,
        &[
            ("for 3 Acceptor, 3 Quorum, 2 Ballot", "for 3 Acceptor, 3 Quorum, 3 Ballot"),
            ("= Ballot$1\n", "= Ballot$1  Ballot$3.below = Ballot$1 + Ballot$2\n"),
        ],
        14_338,
        1_664,
    ),
    ("Raft", RAFT, &[], 1_005, 179),
    (
        "Raft, 3 terms",
        RAFT,
        &[("0..2 Int", "0..3 Int"), ("s.term < 2", "s.term < 3")],
        17_452,
        2_941,
    ),
];

pub(super) fn measure_alike() -> io::Result<bool> {
    let mut is_good = true;
    for (name, text, changes, states, alike) in DESIGNS {
        let text = changes.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        let files = Memory::new([("design.qev", text.as_str())]);
        let (mut sources, selection) = (Sources::default(), Selection::default());
        let path = Path::new("design.qev");
        let (subject, diagnostics) = load(&files, &mut sources, path, &selection);
        let subject = subject.ok_or_else(|| io::Error::other(format!("{diagnostics:?}")))?;
        let row = |way, states, seconds, beside, bars| {
            let (model, states) = (name, grouped(states));
            Line { model, way, states, seconds, bytes: None, beside, bars }.print()
        };
        let model = subject.model();
        let (whole, counts) = measure(Whose::Own, 1, || Ok(explored(model)))?;
        let bars = Vec::from_iter(Bar::count(counts.states == states));
        is_good &= row("whole", counts.states, whole, None, bars);
        let (seconds, left) = measure(Whose::Own, 1, || {
            let symmetry = Symmetry::of(model, &Asked::default());
            let symmetry = symmetry.map_err(|why| io::Error::other(format!("{why:?}")))?;
            Ok(explored(&Symmetric::new(model, symmetry)).states)
        })?;
        // Every command is answered with and without symmetry: a difference is refused.
        let engine = Engine::Explicit;
        let config = Config { symmetry: Reduction::Check, engine, ..Config::default() };
        let asked = subject.properties.iter().map(|it| Question::Property(it.clone()));
        let questions: Vec<Question<'_>> = asked.chain([Question::Deadlock]).collect();
        let answers = subject.ask(&questions, &config, &mut Unwatched);
        let is_same = answers.iter().all(Result::is_ok);
        let mut bars = Vec::from_iter(Bar::count(left == alike));
        bars.push(Bar::new(format!("{} verdicts the same", answers.len()), is_same));
        is_good &= row("symmetric", left, seconds, Some(("whole", whole)), bars);
    }
    Ok(is_good)
}
