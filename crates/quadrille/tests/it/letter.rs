//! Modules for tests, made of a plan without generated text: all messages are one type.

use quadrille::runtime::plan::LabelId;
use quadrille::runtime::{Module, Origin, Payload, Sample, Subject};
use quadrille::{Form, Limits, Plan};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_discourje as dcj;
use quadrille_engine::unobserved;
use quadrille_generate::{Wanted, plan_of};
use quadrille_protocol::core::ProtocolModel;
use quadrille_quad as quad;
use quadrille_query::protocol::Explored;

/// A message of any protocol: nothing but its label.
#[derive(Clone, Debug)]
pub struct Letter(LabelId);

impl Payload for Letter {
    fn label(&self) -> Option<LabelId> {
        Some(self.0)
    }

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl Sample for Letter {
    fn sample(label: LabelId) -> Option<Self> {
        Some(Letter(label))
    }
}

/// Where a protocol stands.
pub fn origin(
    file: &'static str,
    text: &'static str,
    session: &'static str,
    arguments: &'static [&'static str],
) -> Origin {
    Origin { file, text, session, arguments, parameters: &[] }
}

/// The protocol that an origin holds.
pub fn protocol(origin: &Origin) -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add(origin.file, origin.text);
    let found = if origin.file.ends_with(".quad") {
        let (program, diagnostics) = quad::load(&sources, source);
        let name = Some(origin.session);
        program.ok_or(diagnostics).and_then(|program| {
            program.start(&mut sources, name, origin.arguments, &[]).map(|session| session.model)
        })
    } else {
        let (program, _) = dcj::load(source, sources.text(source));
        program.session(&mut sources, origin.session, origin.arguments)
    };
    found.unwrap_or_else(|diagnostics| {
        let shown = diagnostics.iter().map(|found| render(found, &sources, Style::Plain));
        panic!("{}", shown.collect::<String>())
    })
}

/// The plan of a protocol; a liberal form that differs is accepted. `None` where a limit is reached.
pub fn try_plan(origin: &Origin, limits: Limits) -> Option<Plan> {
    let model = protocol(origin);
    let explored = Explored::new(&model, limits, &mut unobserved).ok()?;
    let wanted = Wanted { accept_differences: true, ..Wanted::default() };
    let planned = plan_of(origin.session, &explored, &wanted, limits, &mut unobserved);
    planned.ok().map(|planned| planned.plan)
}

/// The plan of a small protocol.
pub fn plan(origin: &Origin) -> Plan {
    try_plan(origin, Limits::default()).expect("a plan")
}

/// A plan in both forms.
pub fn modules(origin: Origin, plan: &Plan) -> Subject<Letter> {
    let module = |form| (form, Module::new(plan, form).expect("a good plan"));
    Subject { origin, modules: [Form::Strict, Form::Liberal].map(module).into() }
}

/// A protocol as a module in both forms.
pub fn subject(origin: Origin) -> Subject<Letter> {
    modules(origin, &plan(&origin))
}
