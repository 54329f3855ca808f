//! Designs as relations and events: one subject for each scope that commands name.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::Runs;
use quadrille_relational::codes::UNSUPPORTED;
use quadrille_relational::syntax::tree::Scope;
use quadrille_relational::{Asked, Meaning, System, read};

use crate::claim::{ActionAtom, ActionTest, Atom, Claim, Property, Statement};
use crate::language::{Loaded, Loader, Wanted};
use crate::selection::Selection;
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

pub(crate) fn load(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (design, diagnostics) = read(source, loader.sources.text(source));
    let Some(design) = design else { return Err(diagnostics) };
    loader.warnings.extend(diagnostics);
    let mut scopes: Vec<Option<&Scope>> = Vec::new();
    for command in &design.commands {
        if !scopes.contains(&command.scope.as_ref()) {
            scopes.push(command.scope.as_ref());
        }
    }
    if scopes.is_empty() {
        scopes.push(None);
    }
    if loader.wanted == Wanted::One && scopes.len() > 1 {
        let other = scopes.get(1).copied().flatten().map(|scope| scope.span);
        let message = "commands with other scopes are left out";
        let warning = Diagnostic::warning(&UNSUPPORTED, message)
            .at(other.unwrap_or(Span::new(source, 0..0)), "another scope")
            .help("`quadrille test` asks all commands, each in its scope");
        loader.warnings.push(warning);
        scopes.truncate(1);
    }
    let mut subjects = Vec::new();
    for scope in scopes {
        let mut system = System::new(&design, scope)?;
        if !system.fairness.is_empty() {
            let fair = design.events.iter().find(|event| event.fairness.is_some());
            let message = "`fair` events are not taken into account by this command";
            let place = fair.map_or(Span::new(source, 0..0), |event| event.span);
            let help = "leave the word out, and ask with `--fair weak=NAME`, as in `send[Node$1]`";
            return Err(vec![Diagnostic::error(&UNSUPPORTED, message).at(place, "").help(help)]);
        }
        let properties = std::mem::take(&mut system.asked).into_iter().map(property).collect();
        let matter = Matter::Model(Box::new(system));
        let selection = Selection::default();
        subjects.push(Subject::new(matter, Vocabulary::Labels, selection, properties));
    }
    Ok(subjects)
}

fn property(asked: Asked) -> Property {
    let atom = |meaning| match meaning {
        Meaning::Proposition(id) => Atom::Proposition(id),
        Meaning::Event(name) => {
            let (text, test) = (name.clone(), ActionTest::Name(name));
            Atom::Action(ActionAtom { text, span: asked.span, test })
        }
    };
    let atoms = asked.atoms.into_iter().map(atom).collect();
    Property {
        claims: vec![Claim { statement: Statement::Linear(asked.formula), atoms }],
        runs: Runs::Maximal,
        expected: asked.expected,
        span: asked.span,
        words: vec!["--property".to_owned(), asked.name.clone()],
        name: asked.name,
    }
}
