//! Every way of answering a question gives the same answer: numbers of workers, stores, engines,
//! algorithms, reduction, symmetry, and pairs of them; on random networks with formulas, beside the
//! plainest search there is. Each way has a test of its own that draws 40 of them, and
//! `QUADRILLE_ROUNDS=500 cargo test -p quadrille-query modes` draws 20,000 for each.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use quadrille_diagnostic::{Sources, Span};
use quadrille_engine::{Limits, LtlAlgorithm, Order, Progress, Simulation, Workers};
use quadrille_logic::{Atoms, Formula, Letter};
use quadrille_model::{
    ActionId, Automaton, Bound, Ending, LocalId, Model, Network, NetworkBuilder, Predicate,
    PropositionId, Template, Trace, Value, ValueSet, Verdict,
};
use quadrille_query::{
    Answer, Atom, Config, Engine, FormulaText, Lossy, Property, Question, Reduction, Statement,
    Subject, Syntax, Unwatched, Vocabulary, Watcher,
};
use quadrille_workshop::formulas::{Past, linear};
use quadrille_workshop::naive::Naive;
use quadrille_workshop::networks::{family_network, loose_network, naming_network, network};
use quadrille_workshop::{Choices, Widened, check};

use crate::workers::told;

/// States of the largest network that is compared.
const MOST_STATES: usize = 120;

/// Which networks a way is tried on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Of all kinds.
    Any,
    /// Mostly of participants that can be exchanged.
    Families,
    /// With states of more than 64 bits.
    Wide,
}

impl Kind {
    fn network(self, choices: &mut Choices) -> Network {
        match (self == Kind::Families, choices.below(8)) {
            (true, 0..4) | (false, 0) => naming_network(choices),
            (true, _) | (false, 1) => family_network(choices),
            (false, 2 | 3) => network(choices),
            (false, _) => loose_network(choices),
        }
    }
}

/// What was found on all draws of a test.
#[derive(Default, Debug)]
struct Tally {
    held: u32,
    violated: u32,
    stuck: u32,
    /// Where the way said that it had explored fewer states.
    fewer: u32,
}

impl Tally {
    /// A test that never sees one of the verdicts shows little.
    fn is_mixed(&self) -> bool {
        self.held > 3 && self.violated > 3 && self.stuck > 3
    }
}

/// Asks drawn networks in a way and compares.
fn compare(kind: Kind, config: impl Fn(&mut Choices) -> Config) -> Tally {
    let mut tally = Tally::default();
    check(40, |choices| {
        let network = kind.network(choices);
        let Some(naive) = Naive::explore(&network, MOST_STATES) else { return };
        let model: Box<dyn Model> = match kind {
            Kind::Wide => Box::new(Widened::new(network)),
            Kind::Any | Kind::Families => Box::new(network),
        };
        let mut subject = Subject::of_model(model, Vocabulary::Labels);
        let Some(property) = property(choices, &mut subject) else { return };
        let Some(is_broken) = is_broken(&naive, &subject, &property) else { return };
        let config = config(choices);
        let name = property.name.clone();
        let questions = [Question::Property(property.clone()), Question::Deadlock];
        // Each alone: a walk for both would keep what only the formula needs.
        let mut found = answers(&subject, &questions[..1], &config);
        found.extend(answers(&subject, &questions[1..], &config));
        let expected = if is_broken { "violated" } else { "holds" };
        assert_eq!(found[0].verdict.word(), expected, "{name} {config:?}");
        if let Verdict::Violated(Some(run)) = &found[0].verdict {
            assert_eq!(run.replay(subject.model()), Ok(()), "{name}");
            assert!(!satisfies(subject.model(), &property, run), "{name}: no counterexample");
        }
        let shortest = naive.deadlock();
        let expected = if shortest.is_some() { "violated" } else { "holds" };
        assert_eq!(found[1].verdict.word(), expected, "deadlock {config:?}");
        if let Verdict::Violated(Some(run)) = &found[1].verdict {
            assert_eq!(run.replay(subject.model()), Ok(()));
            let is_shortest = Some(run.steps.len()) == shortest;
            assert!(is_shortest || config.order == Order::Depth, "{} steps", run.steps.len());
        }
        let is_whole = config.order == Order::Breadth && shortest.is_none();
        if is_whole && config.engine == Engine::Explicit {
            assert_eq!(found[1].counts.states, naive.states.len() as u64, "{config:?}");
        }
        tally.held += u32::from(!is_broken);
        tally.violated += u32::from(is_broken);
        tally.stuck += u32::from(shortest.is_some());
        let says = |answer: &Answer| {
            answer.assumptions.reduction.as_ref().is_some_and(|words| words.starts_with("explored"))
        };
        tally.fewer += u32::from(found.iter().any(says));
    });
    tally
}

/// A formula about two propositions and two labels of a network.
fn property(choices: &mut Choices, subject: &mut Subject<'_>) -> Option<Property> {
    let signature = subject.model().signature();
    let propositions = signature.propositions.iter().map(|proposition| proposition.name.clone());
    let mut texts: Vec<String> = propositions.take(2).collect();
    let labels: BTreeSet<String> =
        signature.actions.iter().map(|action| format!("\"{}\"", action.label)).collect();
    texts.extend(labels.into_iter().take(2));
    if texts.is_empty() {
        return None;
    }
    let mut names = Atoms::default();
    for number in 0..texts.len() {
        names.intern(format!("atom{number}"), None);
    }
    let size = 2 + choices.below(6);
    let formula = linear(choices, size, texts.len(), Past::None);
    let mut text = formula.show(&names).to_string();
    for (number, own) in texts.iter().enumerate() {
        text =
            text.replace(&format!("\"atom{number}\""), own).replace(&format!("atom{number}"), own);
    }
    let mut sources = Sources::default();
    let source = sources.add("formula", text.as_str());
    let text = FormulaText { span: Span::new(source, 0..text.len()), syntax: Syntax::Own };
    let read = subject.formula(&sources, &text);
    Some(read.unwrap_or_else(|bad| panic!("{}: {bad:?}", sources.text(source))).0)
}

/// The formula of a property, and what its atoms mean.
fn claim(property: &Property) -> (&Formula, &[Atom]) {
    let [claim] = &property.claims[..] else { panic!("one claim") };
    match &claim.statement {
        Statement::Linear(formula) => (formula, &claim.atoms),
        other => panic!("{other:?} is not of linear time"),
    }
}

fn state_letter(model: &dyn Model, atoms: &[Atom], state: &[Value]) -> Letter {
    let mut explorer = model.explorer();
    let mut holds = |id: PropositionId| explorer.holds(id, state).expect("it never fails");
    atoms.iter().enumerate().fold(0, |letter, (number, atom)| match atom {
        Atom::Proposition(id) => letter | Letter::from(holds(*id)) << number,
        Atom::Action(_) => letter,
    })
}

fn action_letter(model: &dyn Model, atoms: &[Atom], action: ActionId) -> Letter {
    let action = model.action(action);
    atoms.iter().enumerate().fold(0, |letter, (number, atom)| match atom {
        Atom::Action(test) => letter | Letter::from(test.matches(None, &action)) << number,
        Atom::Proposition(_) => letter,
    })
}

/// Whether some run breaks a property, by the plainest way; `None` if that is not for its formula.
fn is_broken(naive: &Naive, subject: &Subject<'_>, property: &Property) -> Option<bool> {
    let ((formula, atoms), model) = (claim(property), subject.model());
    naive.breaks(formula, &mut |state| state_letter(model, atoms, state), &|action| {
        action_letter(model, atoms, action)
    })
}

/// Whether a run satisfies a property, by the definition.
fn satisfies(model: &dyn Model, property: &Property, run: &Trace) -> bool {
    let (formula, atoms) = claim(property);
    let step = |position: usize| {
        let action = run.steps[position].action;
        state_letter(model, atoms, run.state(position)) | action_letter(model, atoms, action)
    };
    let letters: Vec<Letter> = (0..run.steps.len()).map(step).collect();
    let last = || state_letter(model, atoms, run.state(run.steps.len()));
    match run.ending {
        Ending::Loop { from } => formula.holds_on_lasso(&letters[..from], &letters[from..]),
        // However it goes on, or not at all.
        _ => formula.holds_on_lasso(&letters, &[last()]),
    }
}

fn answers(subject: &Subject<'_>, questions: &[Question<'_>], config: &Config) -> Vec<Answer> {
    let answers = subject.ask(questions, config, &mut Unwatched);
    let told = |answer: Result<Answer, _>| answer.unwrap_or_else(|refused| panic!("{refused}"));
    answers.into_iter().map(told).collect()
}

fn several(choices: &mut Choices) -> Workers {
    Workers::eager(2 + choices.below(4))
}

/// Nothing but the explicit engine on all states.
fn plain() -> Config {
    let (reduction, symmetry) = (Reduction::Off, Reduction::Off);
    Config { reduction, symmetry, engine: Engine::Explicit, ..Config::default() }
}

/// A limit that is never reached, under which states are kept in less room.
fn frugal() -> Config {
    Config { limits: Limits { memory: Some(1 << 40), states: None }, ..plain() }
}

/// Compares with fewer states.
fn fewer(reduction: bool, symmetry: bool) -> Config {
    let setting = |is_on| if is_on { Reduction::Check } else { Reduction::Off };
    Config { reduction: setting(reduction), symmetry: setting(symmetry), ..plain() }
}

#[test]
fn one_worker() {
    assert!(compare(Kind::Any, |_| plain()).is_mixed());
}

#[test]
fn several_workers() {
    let config = |choices: &mut Choices| Config { workers: several(choices), ..plain() };
    assert!(compare(Kind::Any, config).is_mixed());
}

#[test]
fn quotients() {
    assert!(compare(Kind::Any, |_| frugal()).is_mixed());
}

#[test]
fn wide_states() {
    assert!(compare(Kind::Wide, |_| plain()).is_mixed());
}

#[test]
fn wide_states_with_several_workers() {
    let config = |choices: &mut Choices| Config { workers: several(choices), ..plain() };
    assert!(compare(Kind::Wide, config).is_mixed());
}

#[test]
fn trees() {
    assert!(compare(Kind::Wide, |_| frugal()).is_mixed());
}

#[test]
fn trees_with_several_workers() {
    let config = |choices: &mut Choices| Config { workers: several(choices), ..frugal() };
    assert!(compare(Kind::Wide, config).is_mixed());
}

#[test]
fn symbolic() {
    let config = Config { engine: Engine::Symbolic, ..plain() };
    assert!(compare(Kind::Any, |_| config.clone()).is_mixed());
}

#[test]
fn reduced() {
    let tally = compare(Kind::Any, |_| fewer(true, false));
    assert!(tally.is_mixed() && tally.fewer > 5, "{tally:?}");
}

#[test]
fn reduced_with_several_workers() {
    let config = |choices: &mut Choices| Config { workers: several(choices), ..fewer(true, false) };
    assert!(compare(Kind::Any, config).is_mixed());
}

#[test]
fn symmetric() {
    let tally = compare(Kind::Families, |_| fewer(false, true));
    assert!(tally.is_mixed() && tally.fewer > 5, "{tally:?}");
}

#[test]
fn symmetric_with_several_workers() {
    let config = |choices: &mut Choices| Config { workers: several(choices), ..fewer(false, true) };
    assert!(compare(Kind::Families, config).is_mixed());
}

#[test]
fn reduced_and_symmetric() {
    let tally = compare(Kind::Families, |_| fewer(true, true));
    assert!(tally.is_mixed() && tally.fewer > 5, "{tally:?}");
}

#[test]
fn owcty() {
    let algorithm = LtlAlgorithm::Owcty;
    assert!(compare(Kind::Any, |_| Config { algorithm, ..plain() }).is_mixed());
}

#[test]
fn owcty_with_several_workers() {
    let algorithm = LtlAlgorithm::Owcty;
    let config = |choices: &mut Choices| Config { algorithm, workers: several(choices), ..plain() };
    assert!(compare(Kind::Any, config).is_mixed());
}

#[test]
fn owcty_reduced() {
    let algorithm = LtlAlgorithm::Owcty;
    assert!(compare(Kind::Any, |_| Config { algorithm, ..fewer(true, false) }).is_mixed());
}

#[test]
fn owcty_symmetric() {
    let algorithm = LtlAlgorithm::Owcty;
    assert!(compare(Kind::Families, |_| Config { algorithm, ..fewer(false, true) }).is_mixed());
}

#[test]
fn nested() {
    let algorithm = LtlAlgorithm::Nested;
    assert!(compare(Kind::Any, |_| Config { algorithm, ..plain() }).is_mixed());
}

/// A walk beside it does not keep them either.
#[test]
fn nested_search_keeps_no_edges() {
    let mut subject = Subject::of_model(Box::new(rounds(7, 4)), Vocabulary::Labels);
    let (mut sources, text) = (Sources::default(), "(G F \"t0\") -> (G F p0)");
    let source = sources.add("formula", text);
    let formula = FormulaText { span: Span::new(source, 0..text.len()), syntax: Syntax::Own };
    let (property, _) = subject.formula(&sources, &formula).expect("a formula");
    let questions = [Question::Property(property), Question::Unused];
    let bytes = |algorithm| {
        let found = answers(&subject, &questions, &Config { algorithm, ..plain() });
        assert_eq!(found[0].verdict, Verdict::Holds);
        assert_eq!(found[0].counts.states, 4_u64.pow(7));
        found[0].counts.bytes
    };
    let (nested, components) = (bytes(LtlAlgorithm::Nested), bytes(LtlAlgorithm::Components));
    assert!(nested * 4 < components * 3, "{nested} bytes, and {components} with edges");
}

#[test]
fn nested_reduced_and_symmetric() {
    let algorithm = LtlAlgorithm::Nested;
    assert!(compare(Kind::Families, |_| Config { algorithm, ..fewer(true, true) }).is_mixed());
}

#[test]
fn depth_first() {
    let order = Order::Depth;
    assert!(compare(Kind::Any, |_| Config { order, ..plain() }).is_mixed());
}

#[test]
fn representatives() {
    let (mut n_held, mut n_stuck, mut n_less) = (0, 0, 0);
    check(40, |choices| {
        let network = Kind::Any.network(choices);
        let Some(naive) = Naive::explore(&network, MOST_STATES) else { return };
        let subject = Subject::of_model(Box::new(network), Vocabulary::Labels);
        let workers = if choices.coin() { several(choices) } else { Workers::default() };
        let reduction = Reduction::Representatives;
        let config = Config { reduction, workers, ..plain() };
        let found = answers(&subject, &[Question::Deadlock], &config).remove(0);
        match (naive.deadlock(), found.verdict) {
            (Some(length), Verdict::Violated(Some(run))) => {
                assert_eq!(run.replay(subject.model()), Ok(()));
                assert_eq!(run.steps.len(), length);
                n_stuck += 1;
            }
            (None, Verdict::Holds) => {
                n_held += 1;
                n_less += u32::from(found.counts.states < naive.states.len() as u64);
            }
            (known, found) => panic!("{known:?} {found:?}"),
        }
    });
    assert!(n_held > 3 && n_stuck > 3 && n_less > 0, "{n_held} {n_stuck} {n_less}");
}

/// Searches that may leave states out never say that something holds, and random walks find what there
/// is or nothing.
#[test]
fn searches_that_leave_states_out() {
    let mut tally = Tally::default();
    check(40, |choices| {
        let network = Kind::Any.network(choices);
        let Some(naive) = Naive::explore(&network, MOST_STATES) else { return };
        let mut subject = Subject::of_model(Box::new(network), Vocabulary::Labels);
        let Some(property) = property(choices, &mut subject) else { return };
        let Some(is_broken) = is_broken(&naive, &subject, &property) else { return };
        let (workers, is_stuck) = (several(choices), naive.deadlock().is_some());
        for lossy in [Lossy::Fingerprints, Lossy::Bits { bytes: 64 }] {
            let config = Config { lossy: Some(lossy), workers, ..plain() };
            let found = answers(&subject, &[Question::Deadlock], &config);
            let is_missed = matches!(found[0].verdict, Verdict::Unknown(Bound::Omission(_)));
            let may_miss = !is_stuck || lossy != Lossy::Fingerprints;
            let is_found = found[0].verdict.word() == "violated";
            assert!(if is_missed { may_miss } else { is_stuck && is_found });
        }
        let questions = [Question::Property(property), Question::Deadlock];
        let (seed, limits) = (choices.bits(), Limits::default());
        let walks = Simulation { seed, walks: 20, depth: 50, limits, workers };
        let walked = subject.simulate(&questions, &walks, &mut Unwatched).expect("an answer");
        for (walked, is_there) in walked.answers.iter().zip([is_broken, is_stuck]) {
            let word = walked.verdict.word();
            assert!(word == "unknown" || is_there && word == "violated", "{word}");
        }
        tally.held += u32::from(!is_broken);
        tally.violated += u32::from(is_broken);
        tally.stuck += u32::from(is_stuck);
    });
    assert!(tally.is_mixed(), "{tally:?}");
}

/// Everything that is told of an answer is the same for any number of workers, in any store, with any
/// algorithm. `QUADRILLE_ROUNDS=200` draws 2,000.
#[test]
fn answers_do_not_depend_on_the_number_of_workers() {
    check(10, |choices| {
        let kind = if choices.once_in(3) { Kind::Wide } else { Kind::Any };
        let network = kind.network(choices);
        let model: Box<dyn Model> = match kind {
            Kind::Wide => Box::new(Widened::new(network)),
            Kind::Any | Kind::Families => Box::new(network),
        };
        let mut subject = Subject::of_model(model, Vocabulary::Labels);
        let Some(property) = property(choices, &mut subject) else { return };
        let way = match choices.below(4) {
            0 => plain(),
            1 => frugal(),
            2 => Config { algorithm: LtlAlgorithm::Owcty, ..plain() },
            _ => fewer(true, true),
        };
        let questions = [Question::Deadlock, Question::Property(property), Question::Unused];
        let limits = Limits { states: Some(3_000), ..way.limits };
        let told_by = |number: usize| -> Vec<String> {
            let config = Config { workers: Workers::eager(number), limits, ..way.clone() };
            let each = questions.iter().map(|question| {
                let answers = subject.ask(std::slice::from_ref(question), &config, &mut Unwatched);
                answers.iter().map(|answer| told(&subject, answer)).collect()
            });
            each.collect()
        };
        let alone = told_by(1);
        for number in [2, 4, 7] {
            assert_eq!(told_by(number), alone, "{number} workers");
        }
    });
}

/// Stops a search from outside at the first look, as a clock or a key would.
struct Impatient;

impl Watcher for Impatient {
    fn begin(&mut self, _: &str) {}

    fn look(&mut self, _: &Progress) -> ControlFlow<Bound> {
        ControlFlow::Break(Bound::Time(1))
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// Participants that go round by themselves: states without end.
fn rounds(n: usize, n_states: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    for number in 0..n {
        let states = (0..n_states).map(|state| format!("s{state}"));
        let automaton = Automaton::new(format!("P{number}"), states);
        let participant = builder.participant(automaton).expect("a participant");
        for state in 0..n_states {
            let [from, to] = [state, (state + 1) % n_states].map(LocalId::from_usize);
            let template = Template::new(format!("t{number}")).step(participant, from, to);
            builder.template(template).expect("a template");
        }
        let last = ValueSet::one(n_states as u32 - 1);
        let there = Predicate::In(participant, last);
        builder.proposition(format!("p{number}"), there).expect("a proposition");
    }
    builder.build().expect("a network")
}

/// Every mode ends in *unknown* where memory is up or it is stopped, and says which.
#[test]
fn limits_hold_in_every_mode() {
    let ways: [(&str, bool, Config); 10] = [
        ("one worker", false, plain()),
        ("several workers", false, Config { workers: Workers::eager(3), ..plain() }),
        ("quotients", false, frugal()),
        ("trees", true, frugal()),
        ("wide states", true, Config { workers: Workers::eager(2), ..plain() }),
        ("trees with several workers", true, Config { workers: Workers::eager(3), ..frugal() }),
        ("symbolic", false, Config { engine: Engine::Symbolic, ..plain() }),
        ("symmetric", false, fewer(false, true)),
        ("owcty", false, Config { algorithm: LtlAlgorithm::Owcty, ..plain() }),
        ("nested", false, Config { algorithm: LtlAlgorithm::Nested, ..plain() }),
    ];
    for (name, is_wide, way) in ways {
        // Sets of states are small; what they take grows with the participants.
        let is_symbolic = way.engine == Engine::Symbolic;
        let network = if is_symbolic { rounds(300, 9) } else { rounds(14, 9) };
        let model: Box<dyn Model> =
            if is_wide { Box::new(Widened::new(network)) } else { Box::new(network) };
        let subject = Subject::of_model(model, Vocabulary::Labels);
        let memory = if is_symbolic { 60_000 } else { 3_000_000 };
        let limits = Limits { memory: Some(memory), states: None };
        let config = Config { limits, ..way.clone() };
        let found = answers(&subject, &[Question::Deadlock], &config);
        assert_eq!(found[0].verdict, Verdict::Unknown(Bound::Memory(memory)), "{name}");
        let stopped = subject.ask(&[Question::Deadlock], &way, &mut Impatient).remove(0);
        let stopped = stopped.unwrap_or_else(|refused| panic!("{name}: {refused}"));
        assert_eq!(stopped.verdict, Verdict::Unknown(Bound::Time(1)), "{name}");
    }
}
