//! Our versions of the shared case studies do exactly what the originals in Discourje's language do: the two
//! are strongly bisimilar, names of messages aside.

use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;
use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::{Explicit, ExplicitBuilder, Model};
use quadrille_quad as quad;
use quadrille_workshop::{conformance, shared};

use crate::examples::texts;

/// A case study in both languages.
struct Pair {
    ours: &'static str,
    theirs: &'static str,
    arguments: &'static [&'static str],
    /// What the messages of the original are called in ours.
    messages: &'static [(&'static str, &'static str)],
}

const MOVE: &[(&str, &str)] = &[("discourje.examples.chess.move", "move")];
const TOKEN: &[(&str, &str)] = &[("boolean", "token")];
const WORK: &[(&str, &str)] = &[
    ("discourje.examples.npb3.impl.cgthreads.cgmessage", "work"),
    ("discourje.examples.npb3.impl.donemessage", "done"),
    ("discourje.examples.npb3.impl.exitmessage", "exit"),
];

/// A topology of four workers.
const fn token(ours: &'static str, theirs: &'static str) -> Pair {
    Pair { ours, theirs, arguments: &["4", "0"], messages: TOKEN }
}

const PAIRS: [Pair; 9] = [
    Pair { ours: "chess", theirs: "chess", arguments: &[], messages: MOVE },
    Pair { ours: "tic-tac-toe", theirs: "tic-tac-toe", arguments: &[], messages: MOVE },
    token("token-directed-ring", "token-directed-ring"),
    token("token-undirected-ring", "token-undirected-ring"),
    token("token-star", "token-star"),
    token("token-binary-tree", "token-binary-tree"),
    token("token-full-mesh", "token-full-mesh"),
    token("token-grid", "token-2d-mesh"),
    Pair { ours: "npb-cg", theirs: "cg", arguments: &["2"], messages: WORK },
];

/// A model as a table, its labels in small letters and with these words replaced.
fn table(model: &dyn Model, renames: &[(&str, &str)]) -> Explicit {
    let mut space = Space::new(model);
    let table = space.tabulate(Limits::default(), &mut unobserved).expect("small");
    let mut renamed = ExplicitBuilder::default();
    renamed.states(u32::try_from(table.n_states()).expect("small"));
    let actions: Vec<_> = table
        .labels()
        .iter()
        .map(|label| {
            let words = label.to_lowercase();
            let words = words.split(' ').map(|word| {
                renames.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| to)
            });
            renamed.action(words.collect::<Vec<_>>().join(" "))
        })
        .collect();
    for &state in table.initial_states() {
        renamed.initial(state);
    }
    for state in table.states() {
        for &(action, to) in table.edges(state) {
            renamed.edge(state, actions[action.index()], to);
        }
        if table.is_end(state) {
            renamed.end(state);
        }
    }
    renamed.build()
}

#[conformance]
fn both_languages_say_the_same() {
    let folder = shared::path("protocols");
    let examples = texts();
    for Pair { ours, theirs, arguments, messages } in PAIRS {
        let mut sources = Sources::default();
        let (_, text) =
            examples.iter().find(|(name, _)| *name == format!("{ours}.quad")).expect("an example");
        let id = sources.add(ours, text.clone());
        let program = quad::load(&sources, id).0.expect("no errors");
        let session = program.start(&mut sources, None, &[], &[]);
        let session = session.unwrap_or_else(|_| panic!("{ours} starts"));
        let text = shared::text(&folder.join(format!("{theirs}.dcj")));
        let id = sources.add(theirs, text.clone());
        let (program, _) = dcj::load(id, &text);
        let original = program.session(&mut sources, theirs, arguments);
        let original = original.unwrap_or_else(|_| panic!("{theirs} starts"));
        let found = compare(
            &table(&session.model, messages),
            &table(&original, messages),
            Relation::Bisimilar(Bisimulation::Strong),
            &View::default(),
            Limits::default(),
            &mut unobserved,
        );
        assert_eq!(found, Comparison::Holds, "{ours}");
    }
}
