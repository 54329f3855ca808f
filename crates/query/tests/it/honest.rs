//! What models declare about themselves is true: every example, in every language and form, and random
//! protocols, under [`Checked`]; and what they hold has the same content whichever way it was met.
#![allow(clippy::disallowed_methods)] // reads the examples

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::{Checked, Model, SlotId, Value};
use quadrille_protocol::project::Global;
use quadrille_query::{Form, LANGUAGES, Memory, Selection, SessionSelection, Subject, load_all};
use quadrille_workshop::check;
use quadrille_workshop::protocols::{Shape, body};

use crate::protocol::protocol;

/// The files of `examples/` that are models.
pub(crate) fn examples() -> Memory {
    fn collect(folder: &Path, name: &str, files: &mut Memory) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = format!("{name}{}", path.file_name().expect("a name").to_string_lossy());
            let ending = path.extension().unwrap_or_default();
            if path.is_dir() && !name.ends_with("/target") {
                collect(&path, &format!("{name}/"), files);
            } else if LANGUAGES.iter().any(|language| ending == language.ending) {
                files.0.insert(name.into(), std::fs::read(&path).expect("a file"));
            }
        }
    }
    let mut files = Memory::default();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), "", &mut files);
    files
}

/// The models of a file in a form, as far as they are small enough to have it.
pub(crate) fn models(files: &Memory, path: &Path, form: Form) -> Vec<Subject<'static>> {
    let session = SessionSelection { form, ..SessionSelection::default() };
    let selection = Selection { session, ..Selection::default() };
    let (mut subjects, _) = load_all(files, &mut Sources::default(), path, &selection);
    let limits = Limits { states: Some(3_000), ..Limits::default() };
    subjects.retain_mut(|subject| {
        (form == Form::Global || subject.protocol().is_some())
            && subject.take_form(limits, &mut unobserved).is_ok()
    });
    subjects
}

fn assert_honest(model: &dyn Model, n_states: usize, about: &str) {
    let violations = Checked::new(model).walk(n_states);
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{about}: {shown:#?}");
    // What reductions derive: openers of guards, sets that are stubborn, sticky steps on cycles.
    assert_eq!(quadrille_reduction::audit(model, n_states / 4), Vec::<String>::new(), "{about}");
}

#[test]
fn every_example_declares_what_is_true() {
    let files = examples();
    let (mut n_models, mut n_groups, mut n_complete) = (BTreeMap::new(), 0, 0);
    for path in files.0.keys() {
        for form in [Form::Global, Form::Strict, Form::Liberal] {
            for subject in models(&files, path, form) {
                assert_honest(subject.model(), 40, &format!("{}, {form:?}", path.display()));
                *n_models.entry((path.extension(), format!("{form:?}"))).or_insert(0) += 1;
                // Designs are evaluated as they are written, and declare no guards.
                if path.extension().is_some_and(|ending| ending == "qev") {
                    continue;
                }
                let groups = &subject.model().signature().groups;
                n_groups += groups.len();
                n_complete += groups.iter().filter(|group| group.guards_complete).count();
            }
        }
    }
    let endings: BTreeSet<_> = n_models.keys().map(|(ending, _)| *ending).collect();
    assert_eq!(endings.len(), 7, "{n_models:?}");
    assert!(n_models.values().sum::<usize>() > 60, "{n_models:?}");
    assert!(n_complete * 100 > n_groups * 99, "{n_complete} of {n_groups} groups");
}

#[test]
fn random_protocols_declare_what_is_true() {
    let limits = Limits { states: Some(500), ..Limits::default() };
    check(150, |choices| {
        let body = body(choices, &Shape::default(), 3);
        let session = protocol(&body);
        assert_honest(&session.model, 60, &body);
        let table = Space::new(&session.model).tabulate(limits, &mut unobserved);
        let global = table.ok().and_then(|table| Global::new(&session.model, &table));
        if let Some(global) = global {
            assert_honest(&global, 60, &format!("strict: {body}"));
        }
    });
}

/// Up to so many states, breadth first or depth first.
fn states(model: &dyn Model, limit: usize, is_breadth_first: bool) -> Vec<Vec<Value>> {
    let mut explorer = model.explorer();
    let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), VecDeque::new());
    // A step that cannot be computed leads nowhere.
    let _ = explorer.each_initial(|state| open.push_back(state.to_vec()));
    while found.len() < limit {
        let next = if is_breadth_first { open.pop_front() } else { open.pop_back() };
        let Some(state) = next else { break };
        if seen.insert(state.clone()) {
            let _ = explorer.each_successor(&state, |_, _, to| open.push_back(to.to_vec()));
            found.push(state);
        }
    }
    found
}

fn content(model: &dyn Model, slot: SlotId, value: Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.content(slot, value, &mut bytes);
    bytes
}

/// Two models of one system, one of which met its states in another order before, have the same
/// contents, read each other's, and tell apart what is different.
fn assert_same_contents(one: &dyn Model, other: &dyn Model, about: &str) {
    states(other, 150, false);
    let (mine, theirs) = (states(one, 100, true), states(other, 100, true));
    assert_eq!(mine.len(), theirs.len(), "{about}");
    let mut known: BTreeMap<(SlotId, Vec<u8>), Value> = BTreeMap::new();
    for (state, same) in mine.iter().zip(&theirs) {
        for slot in one.signature().slot_ids() {
            let (value, again) = (state[slot.index()], same[slot.index()]);
            let bytes = content(one, slot, value);
            assert_eq!(bytes, content(other, slot, again), "{about}, {slot:?}");
            assert_eq!(other.value(slot, &bytes), Some(again), "{about}, {slot:?}");
            let first = *known.entry((slot, bytes)).or_insert(value);
            assert_eq!(first, value, "{about}, {slot:?}: two values with one content");
        }
    }
}

#[test]
fn contents_do_not_depend_on_the_order_of_exploration() {
    let files = examples();
    for path in files.0.keys() {
        for form in [Form::Global, Form::Liberal] {
            let (one, other) = (models(&files, path, form), models(&files, path, form));
            for (one, other) in one.iter().zip(&other) {
                let about = format!("{}, {form:?}", path.display());
                assert_same_contents(one.model(), other.model(), &about);
            }
        }
    }
    check(60, |choices| {
        let body = body(choices, &Shape::default(), 3);
        let (one, other) = (protocol(&body).model, protocol(&body).model);
        assert_same_contents(&one, &other, &body);
    });
    // Arguments of every kind, among them ones that are equal and written differently.
    let argued = "(s/loop n [i 0 t \"a\" k :k v [1 2] l '(1 2) s #{2 1} m {1 :a} q 1/2 f 0.5 g inc] \
                  (s/cat (s/-->> A ::a ::b) (s/recur n (mod (inc i) 3) t k l v s m q f g)))";
    let (one, other) = (protocol(argued).model, protocol(argued).model);
    assert!(states(&one, 100, true).len() > 5, "{argued}");
    assert_same_contents(&one, &other, argued);
}
