//! Automata against the definition of the operators: sets of traces up to a length, computed by
//! nothing but the definitions.

use std::collections::BTreeSet;

use quadrille_component::automata::{
    Alphabet, Construction, DfaStateId, ForkedDfa, Letter, Target, build, flatten,
};
use quadrille_component::intrinsic::intrinsic;
use quadrille_component::syntax::{Catch, Component, Direction, Kind, Phase, Protocol, Token};
use quadrille_workshop::check;

use crate::trees::Gardener;

/// Traces up to this length are compared.
const LONGEST: usize = 5;

type Word = Vec<String>;
type Words = BTreeSet<Word>;

/// What a protocol can do.
#[derive(Clone, Default)]
struct Behaviour {
    /// Traces after which it is done.
    done: Words,
    /// All beginnings of traces, but for leaving.
    partial: Words,
    /// Traces that leave, without the last event; that event; and where to.
    left: BTreeSet<(Word, String, usize)>,
}

/// Where jumps lead: acceptances and `try`s, innermost last.
#[derive(Clone)]
enum Around {
    Accepted(String),
    Tried(Vec<String>),
}

#[derive(Clone, Default)]
struct Context {
    around: Vec<Around>,
    filters: Vec<Vec<String>>,
    inverted: bool,
}

fn join(left: &Words, right: &Words) -> Words {
    let pairs = left.iter().flat_map(|one| right.iter().map(move |two| [&one[..], two].concat()));
    pairs.filter(|word| word.len() <= LONGEST).collect()
}

/// All interleavings; events that `together` names happen in both at once.
fn shuffle(
    left: &[String],
    right: &[String],
    together: &dyn Fn(&str) -> bool,
    all: &mut Words,
    before: &mut Word,
) {
    if before.len() > LONGEST {
        return;
    }
    if left.is_empty() && right.is_empty() {
        all.insert(before.clone());
        return;
    }
    if let ([one, rest_left @ ..], [two, rest_right @ ..]) = (left, right)
        && one == two
        && together(one)
    {
        before.push(one.clone());
        shuffle(rest_left, rest_right, together, all, before);
        before.pop();
    }
    for (first, other, is_left) in [(left, right, true), (right, left, false)] {
        if let [one, rest @ ..] = first
            && !together(one)
        {
            before.push(one.clone());
            if is_left {
                shuffle(rest, other, together, all, before);
            } else {
                shuffle(other, rest, together, all, before);
            }
            before.pop();
        }
    }
}

fn shuffles(left: &Words, right: &Words, together: &dyn Fn(&str) -> bool) -> Words {
    let mut all = Words::new();
    for one in left {
        for two in right {
            shuffle(one, two, together, &mut all, &mut Word::new());
        }
    }
    all
}

impl Behaviour {
    fn nothing() -> Self {
        let empty = Words::from([Word::new()]);
        Self { done: empty.clone(), partial: empty, left: BTreeSet::new() }
    }

    fn event(text: Option<String>) -> Self {
        let Some(text) = text else { return Self::nothing() };
        let done = Words::from([vec![text]]);
        let partial = Words::from([Word::new()]).union(&done).cloned().collect();
        Self { done, partial, left: BTreeSet::new() }
    }

    fn then(&self, next: &Self) -> Self {
        let mut left = self.left.clone();
        for (word, event, to) in &next.left {
            for before in join(&self.done, &Words::from([word.clone()])) {
                left.insert((before, event.clone(), *to));
            }
        }
        let partial = self.partial.union(&join(&self.done, &next.partial)).cloned().collect();
        Self { done: join(&self.done, &next.done), partial, left }
    }

    fn or(&self, other: &Self) -> Self {
        Self {
            done: self.done.union(&other.done).cloned().collect(),
            partial: self.partial.union(&other.partial).cloned().collect(),
            left: self.left.union(&other.left).cloned().collect(),
        }
    }

    fn beside(&self, other: &Self, together: &dyn Fn(&str) -> bool) -> Self {
        let mut left = BTreeSet::new();
        for (one, two) in [(self, other), (other, self)] {
            for (word, event, to) in &one.left {
                for before in shuffles(&Words::from([word.clone()]), &two.partial, together) {
                    left.insert((before, event.clone(), *to));
                }
            }
        }
        Self {
            done: shuffles(&self.done, &other.done, together),
            partial: shuffles(&self.partial, &other.partial, together),
            left,
        }
    }

    /// Splits off what leaves to a depth, as traces with their last event.
    fn landed(&mut self, depth: usize) -> BTreeSet<(Word, String)> {
        let (here, further) = self.left.iter().cloned().partition(|left| left.2 == depth);
        self.left = further;
        let here: BTreeSet<(Word, String, usize)> = here;
        here.into_iter().map(|(word, event, _)| (word, event)).collect()
    }
}

fn after(word: &Word, event: &str) -> Words {
    let mut word = word.clone();
    if !event.is_empty() {
        word.push(event.to_owned());
    }
    if word.len() > LONGEST { Words::new() } else { Words::from([word]) }
}

fn is_named(event: &str, name: &str) -> bool {
    let path = event.trim_start_matches(['!', '?']).trim_end_matches(['^', '$']);
    path == name || path.rsplit_once('.').is_some_and(|(interface, _)| interface == name)
}

fn show(context: &Context, direction: Direction, path: &str, phase: Phase) -> Option<String> {
    let seen = context.filters.iter().all(|names| names.iter().any(|name| is_named(path, name)));
    let direction = if context.inverted { direction.inverse() } else { direction };
    seen.then(|| format!("{direction}{path}{phase}"))
}

fn behaviour(protocol: &Protocol, context: &Context) -> Behaviour {
    let inner = |protocol: &Protocol| behaviour(protocol, context);
    let event =
        |direction, path: &str, phase| Behaviour::event(show(context, direction, path, phase));
    let never = |_: &str| false;
    match &protocol.kind {
        Kind::Null => Behaviour::nothing(),
        Kind::Event(Token { direction, path, phase }) => event(*direction, &path.text, *phase),
        Kind::Sequence(parts) => {
            parts.iter().fold(Behaviour::nothing(), |before, part| before.then(&inner(part)))
        }
        Kind::Alternative(parts) => {
            parts.iter().map(inner).reduce(|one, two| one.or(&two)).unwrap_or_default()
        }
        Kind::Repeat(body) => {
            let once = inner(body);
            let mut all = Behaviour::nothing();
            loop {
                let more = all.or(&all.then(&once));
                if more.partial == all.partial && more.done == all.done && more.left == all.left {
                    return all;
                }
                all = more;
            }
        }
        Kind::Parallel(parts) => {
            parts.iter().map(inner).reduce(|one, two| one.beside(&two, &never)).unwrap_or_default()
        }
        Kind::OrParallel(parts) => parts
            .iter()
            .map(inner)
            .reduce(|one, two| one.or(&two).or(&one.beside(&two, &never)))
            .unwrap_or_default(),
        Kind::Restrict(body, names) => {
            let mut context = context.clone();
            context.filters.push(names.iter().map(|name| name.text.clone()).collect());
            behaviour(body, &context)
        }
        Kind::Adjust(left, names, right) => {
            let together = |event: &str| names.iter().any(|name| is_named(event, &name.text));
            inner(left).beside(&inner(right), &together)
        }
        Kind::Invert(body) => {
            let mut context = context.clone();
            context.inverted = !context.inverted;
            behaviour(body, &context)
        }
        Kind::Call { direction: Direction::Accept, path, body, .. } => {
            let mut within = context.clone();
            within.around.push(Around::Accepted(path.interface().to_owned()));
            let depth = within.around.len();
            let mut body =
                body.as_ref().map_or_else(Behaviour::nothing, |body| behaviour(body, &within));
            let thrown = body.landed(depth);
            let mut whole = body.then(&event(Direction::Emit, &path.text, Phase::Response));
            for (word, event) in thrown {
                let words = after(&word, &event);
                whole.partial.extend(words.iter().cloned());
                whole.done.extend(words);
            }
            event(Direction::Accept, &path.text, Phase::Request).then(&whole)
        }
        Kind::Call { direction: Direction::Emit, path, body, .. } => {
            let mut body = body.as_ref().map_or_else(Behaviour::nothing, |body| inner(body));
            let mut caught: Vec<&str> = Vec::new();
            for (position, around) in context.around.iter().enumerate().rev() {
                let Around::Tried(exceptions) = around else { continue };
                for exception in exceptions {
                    let on_it =
                        exception.rsplit_once('.').map(|(on, _)| on) == Some(path.interface());
                    if !on_it || caught.contains(&&exception[..]) {
                        continue;
                    }
                    caught.push(exception);
                    // An exception that a restriction hides cannot be caught.
                    let seen = show(context, Direction::Accept, exception, Phase::Response);
                    for (word, event) in body.partial.clone().into_iter().zip(seen.iter().cycle()) {
                        body.left.insert((word, event.clone(), position + 1));
                    }
                }
            }
            event(Direction::Emit, &path.text, Phase::Request).then(&body).then(&event(
                Direction::Accept,
                &path.text,
                Phase::Response,
            ))
        }
        Kind::Throw(exception) => {
            let found = context.around.iter().enumerate().rev().find_map(|(position, around)| {
                let Around::Accepted(interface) = around else { return None };
                Some((position + 1, format!("{interface}.{}", exception.text)))
            });
            let (depth, path) = found.expect("throws are generated inside acceptances");
            let event = show(context, Direction::Emit, &path, Phase::Response).unwrap_or_default();
            let left = BTreeSet::from([(Word::new(), event, depth)]);
            Behaviour { partial: Words::from([Word::new()]), left, ..Behaviour::default() }
        }
        Kind::Try { body, catches } => {
            let mut within = context.clone();
            let exceptions = catches.iter().flat_map(|catch| &catch.exceptions);
            within.around.push(Around::Tried(exceptions.map(|path| path.text.clone()).collect()));
            let depth = within.around.len();
            let mut whole = behaviour(body, &within);
            for (word, event) in whole.landed(depth) {
                let arrived = after(&word, &event);
                let handled = catches.iter().find(|catch| handles(catch, &event));
                let handler = inner(&handled.expect("somebody catches it").handler);
                let start =
                    Behaviour { done: arrived.clone(), partial: arrived, ..Behaviour::default() };
                whole = whole.or(&start.then(&handler));
            }
            whole
        }
        other => panic!("{other:?} is not generated"),
    }
}

fn handles(catch: &Catch, event: &str) -> bool {
    catch.exceptions.iter().any(|path| is_named(event, &path.text) && !path.text.is_empty())
}

/// Done and partial traces of a deterministic automaton.
fn words(alphabet: &Alphabet, dfa: &ForkedDfa) -> (Words, Words) {
    let (mut done, mut partial) = (Words::new(), Words::new());
    let mut open = vec![(DfaStateId::START, Word::new())];
    while let Some((state, word)) = open.pop() {
        partial.insert(word.clone());
        if dfa.state(state).accepting {
            done.insert(word.clone());
        }
        for &(letter, target) in &dfa.state(state).edges {
            let (Letter::Step(step), Target::State(to)) = (letter, target) else {
                panic!("flat automata have no forks and nothing to leave")
            };
            if word.len() < LONGEST {
                let mut word = word.clone();
                word.push(alphabet.show(step));
                open.push((to, word));
            }
        }
    }
    (done, partial)
}

fn flat(alphabet: &mut Alphabet, component: &Component, construction: Construction) -> ForkedDfa {
    let dfa = build(alphabet, &[], component, None, construction).expect("small");
    flatten(&dfa).expect("small")
}

#[test]
fn automata_have_the_traces_that_the_operators_define() {
    check(6000, |choices| {
        let component = Gardener::new(choices).component();
        let mut alphabet = Alphabet::default();
        let dfa = flat(&mut alphabet, &component, Construction::Minimal);
        let (done, partial) = words(&alphabet, &dfa);
        let expected = behaviour(&component.protocol, &Context::default());
        let text = &component.protocol;
        assert_eq!(done, expected.done, "{text}");
        assert_eq!(partial, expected.partial, "{text}");
    });
}

#[test]
fn both_constructions_have_the_same_language() {
    check(1000, |choices| {
        let component = Gardener::new(choices).component();
        let mut alphabet = Alphabet::default();
        let minimal = flat(&mut alphabet, &component, Construction::Minimal);
        let published = flat(&mut alphabet, &component, Construction::Published);
        assert_eq!(minimal, published, "{}", component.protocol);
    });
}

#[test]
fn intrinsic_exceptions_mean_the_same() {
    let mut n_with_exceptions = 0;
    check(6000, |choices| {
        let component = Gardener::new(choices).component();
        let Some(protocol) = intrinsic(&component.protocol, None) else { return };
        protocol.walk(&mut |inner| {
            assert!(!matches!(inner.kind, Kind::Throw(_) | Kind::Try { .. }));
        });
        n_with_exceptions += usize::from(protocol.to_string() != component.protocol.to_string());
        let text = format!("X\n{protocol}\n");
        let read = crate::read(&text);
        let mut alphabet = Alphabet::default();
        let explicit = flat(&mut alphabet, &component, Construction::Minimal);
        let same = flat(&mut alphabet, &read.components[0], Construction::Minimal);
        assert_eq!(same, explicit, "{}\n{text}", component.protocol);
    });
    assert!(n_with_exceptions > 100, "only {n_with_exceptions}");
}
