//! The shared test data: sizes of transition systems, and the verdicts of published formulas.

use std::path::Path;

use quadrille_diagnostic::{Sources, Span, Style, render};
use quadrille_discourje as dcj;
use quadrille_engine::{
    Config, Graph, Interpretation, Limits, LtlOptions, Meaning, Space, check, check_ltl, unobserved,
};
use quadrille_logic::parse_owl;
use quadrille_model::{Model, Runs, Verdict};
use quadrille_protocol::core::{ProtocolModel, Terms};
use quadrille_protocol::owl::{OwlAtom, Types};
use quadrille_protocol::project::{Global, Liberal, Projection, Queues};
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, fields, text};

fn session(folder: &Path, file: &str, name: &str, arguments: &str) -> ProtocolModel {
    let text = text(&folder.join(file));
    let mut sources = Sources::default();
    let source = sources.add(file, text.clone());
    let (program, diagnostics) = dcj::load(source, &text);
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let model = program.session(&mut sources, name, &arguments);
    let (model, errors) = match model {
        Ok(model) => (Some(model), diagnostics),
        Err(errors) => (None, errors),
    };
    let shown: String = errors.iter().map(|error| render(error, &sources, Style::Plain)).collect();
    assert!(errors.is_empty(), "{shown}");
    model.expect("no errors")
}

#[conformance]
fn transition_systems_have_the_published_sizes() {
    let folder = shared::path("protocols");
    for row in fields(&folder.join("lts.tsv")) {
        let [file, name, arguments, states, edges] = &row[..] else { panic!("{row:?}") };
        let model = session(&folder, file, name, arguments);
        let outcome =
            check(&model, Vec::new(), &Config::default(), &mut unobserved).expect("replays");
        let found = (outcome.counts.states.to_string(), outcome.counts.transitions.to_string());
        assert_eq!(found, (states.clone(), edges.clone()), "{file} {arguments}");
    }
}

#[conformance]
fn every_lint_sample_can_be_explored() {
    let folder = shared::path("protocols");
    for row in fields(&folder.join("lint.tsv")) {
        let model = session(&folder, &row[0], &row[1], &row[2]);
        let outcome =
            check(&model, Vec::new(), &Config::default(), &mut unobserved).expect("replays");
        assert!(outcome.counts.states > 1, "{}", row[0]);
    }
}

/// Checks a formula; `holds` or `violated`.
fn verdict(model: &dyn Model, terms: &Terms, text: &str, types: &Types) -> &'static str {
    let mut sources = Sources::default();
    let source = sources.add("formula", text);
    let parsed = parse_owl(&sources, Span::new(source, 0..text.len()));
    let formula = parsed.formula.expect("a formula");
    let meanings = parsed.atoms.iter().map(|(id, atom)| {
        let span = parsed.atoms.span(id).expect("a place");
        let atom = OwlAtom::parse(atom, span, types).expect("an atom");
        Meaning::Action(Box::new(move |action| atom.matches(terms, action)))
    });
    let interpretation = Interpretation::new(meanings.collect());
    let options = LtlOptions { runs: Runs::Infinite, ..LtlOptions::default() };
    let mut graph = Graph::new(model);
    let report = check_ltl(&mut graph, &formula, &interpretation, &options, &mut unobserved);
    match report.expect("a checkable formula").verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The strict form of a protocol, and its liberal forms, as models and as networks.
fn forms(model: &ProtocolModel) -> Vec<(String, Box<dyn Model>)> {
    let table = Space::new(model).tabulate(Limits::default(), &mut unobserved).expect("finite");
    let strict = Global::new(model, &table).expect("a start");
    let projection = Projection::new(&strict).expect("small");
    let mut forms: Vec<(String, Box<dyn Model>)> = Vec::new();
    for queues in [Queues::PerPair, Queues::PerReceiver] {
        let liberal = Liberal::new(projection.clone(), &queues);
        let network = liberal.network(&vec![4; liberal.channels().len()]).expect("fits");
        forms.push((format!("network {queues:?}"), Box::new(network)));
        forms.push((format!("liberal {queues:?}"), Box::new(liberal)));
    }
    forms.push(("strict".to_owned(), Box::new(strict)));
    forms
}

#[conformance]
fn formulas_have_the_published_verdicts() {
    let folder = shared::path("protocols");
    let rows = fields(&folder.join("expected.tsv"));
    assert_eq!(rows.len(), 71);
    for row in rows {
        let [file, name, arguments, _variant, formula, types, expected] = &row[..] else {
            panic!("{row:?}")
        };
        let types = types.split([' ', ',', ';']).filter(|word| !word.is_empty()).map(|word| {
            let (short, full) = word.split_once('=').unwrap_or((word, word));
            (short.to_owned(), full.to_owned())
        });
        let types = types.collect();
        let model = session(&folder, file, name, arguments);
        let text = text(&folder.join(formula));
        assert_eq!(verdict(&model, model.terms(), &text, &types), expected, "{file} {formula}");
        for (form, model_of_form) in forms(&model) {
            let found = verdict(&*model_of_form, model.terms(), &text, &types);
            assert_eq!(found, expected, "{file} {formula} {form}");
        }
    }
}
