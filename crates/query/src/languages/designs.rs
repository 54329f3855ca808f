//! Designs as relations and events: one subject for each scope that commands name.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_engine::{Fairness, Tasks};
use quadrille_model::{Expected, Runs};
use quadrille_relational::codes::{UNKNOWN, UNSUPPORTED};
use quadrille_relational::types::words::{CommandKind, Fair, Scope};
use quadrille_relational::{Asked, Design, Meaning, System, read};

use crate::claim::{ActionAtom, ActionTest, Aim, Atom, Claim, Property, Statement};
use crate::language::{Loaded, Loader, Wanted};
use crate::selection::{DesignSelection, Selection};
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

pub(crate) fn load(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (design, diagnostics) = read(source, loader.sources.text(source));
    let Some(design) = design else { return Err(diagnostics) };
    loader.warnings.extend(diagnostics);
    let mut scopes = scopes(&design);
    let is_one_of_several = scopes.len() > 1;
    if let Some(name) = &loader.selection.design.command {
        scopes = vec![scope_of(&design, name)?];
    } else if loader.wanted == Wanted::One && is_one_of_several {
        let other = scopes.get(1).copied().flatten().map(|scope| scope.span);
        let message = "the design is explored in the scope of its first command";
        let warning = Diagnostic::warning(&UNSUPPORTED, message)
            .at(other.unwrap_or(Span::new(source, 0..0)), "another scope")
            .help("name a command with --command; `check` and `test` ask all of them");
        loader.warnings.push(warning);
        scopes.truncate(1);
    }
    let mut subjects = Vec::new();
    for scope in scopes {
        let mut subject = subject(&design, scope, loader.sources, &mut loader.warnings)?;
        if is_one_of_several {
            let command = design.commands.iter().find(|command| command.scope.as_ref() == scope);
            subject.selection = Selection {
                design: DesignSelection { command: command.map(|command| command.name.clone()) },
                ..Selection::default()
            };
            let shown = scope.or(design.scope.as_ref());
            let text = shown.map(|scope| one_line(loader.sources.slice(scope.span)));
            subject.scope = Some(text.unwrap_or_else(|| "without a scope".to_owned()));
        }
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The scopes of commands, each once.
fn scopes(design: &Design) -> Vec<Option<&Scope>> {
    let mut scopes: Vec<Option<&Scope>> = Vec::new();
    let commands = design.commands.iter().map(|command| command.scope.as_ref());
    for scope in commands.chain(design.deadlocks.iter().map(|asked| asked.scope.as_ref())) {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    if scopes.is_empty() {
        scopes.push(None);
    }
    scopes
}

/// The scope of a command.
fn scope_of<'d>(design: &'d Design, name: &str) -> Result<Option<&'d Scope>, Vec<Diagnostic>> {
    let found = design.commands.iter().find(|command| command.name == name);
    found.map(|command| command.scope.as_ref()).ok_or_else(|| {
        let known = design.commands.iter().map(|command| command.name.as_str());
        let help = match similar(name, known.clone()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its commands are {}", known.collect::<Vec<_>>().join(", ")),
        };
        let message = format!("the design has no command `{name}`");
        vec![Diagnostic::error(&UNKNOWN, message).help(help)]
    })
}

fn subject(
    design: &Design,
    scope: Option<&Scope>,
    sources: &Sources,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Subject<'static>, Vec<Diagnostic>> {
    let mut system = System::new(design, scope)?;
    warnings.append(&mut system.warnings);
    let fair = |kind: Fair| {
        let tasks = system.fairness.iter().filter(|(_, fair)| *fair == kind);
        Tasks::Some(tasks.map(|(task, _)| *task).collect())
    };
    let fairness = match system.fairness.is_empty() {
        true => Fairness::default(),
        false => Fairness { weak: fair(Fair::Weak), strong: fair(Fair::Strong) },
    };
    let asked = std::mem::take(&mut system.asked).into_iter();
    let properties = asked.map(|asked| property(asked, design, sources)).collect();
    let matter = Matter::Model(Box::new(system));
    let mut subject = Subject::new(matter, Vocabulary::Labels, Selection::default(), properties);
    subject.fairness = fairness;
    let about_deadlock = design.deadlocks.iter().rfind(|asked| asked.scope.as_ref() == scope);
    if about_deadlock.is_some_and(|asked| asked.is_expected) {
        subject.no_deadlock = Expected::Violated;
    }
    Ok(subject)
}

fn property(asked: Asked, design: &Design, sources: &Sources) -> Property {
    let atom = |meaning| match meaning {
        Meaning::Proposition(id) => Atom::Proposition(id),
        Meaning::Event(name) => {
            let (text, test) = (name.clone(), ActionTest::Name(name));
            Atom::Action(ActionAtom { text, span: asked.span, test })
        }
    };
    let atoms = asked.atoms.into_iter().map(atom).collect();
    let command = design.commands.iter().find(|command| command.name == asked.name);
    Property {
        claims: vec![Claim { statement: Statement::Linear(asked.formula), atoms }],
        runs: Runs::Maximal,
        expected: asked.expected,
        span: asked.span,
        words: vec!["--property".to_owned(), asked.name.clone()],
        aim: match asked.kind {
            CommandKind::Check => Aim::Prove,
            CommandKind::Run => Aim::Find,
        },
        text: command.map(|command| one_line(sources.slice(command.body))),
        name: asked.name,
    }
}

/// A formula or a scope in one line, without comments and the braces around it.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let ends = |line: &str| line.find("--").into_iter().chain(line.find("//")).min();
    let lines = text.lines().map(|line| &line[..ends(line).unwrap_or(line.len())]);
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
