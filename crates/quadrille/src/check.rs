//! Asking for what a module should do: collects questions, lets the module do everything it can, and
//! answers them all on that one exploration.

use quadrille_engine::{Limits, Space, Stopped, unobserved};
use quadrille_model::Expected;
use quadrille_model::{Explicit, Runs};
use quadrille_protocol::owl::Types;
use quadrille_runtime::{Exploration, Form, Module, Origin, Plan, Sample, Subject};

use crate::answer::{Questions, Target};
use crate::demand::{Demand, What};
use crate::reading::{Asked, Syntax};
use crate::replay::{Refused, Replayed, replay};
use crate::report::{Again, Report};

/// What is asked of a module. Nothing is explored before [`Check::report`] or [`Check::assert`].
#[must_use = "nothing is asked before `assert` or `report`"]
pub struct Check<P: Sample> {
    modules: Vec<(Form, Module<P>)>,
    origin: Option<Origin>,
    demands: Vec<Demand>,
    runs: Runs,
    limits: Limits,
    again: Again,
}

impl<P: Sample> Check<P> {
    pub(crate) fn of_module(module: &Module<P>) -> Self {
        Self::new(vec![(module.form(), module.fork())], None, Again::Module)
    }

    pub(crate) fn of_subject(subject: Subject<P>) -> Self {
        Self::new(subject.modules, Some(subject.origin), Again::Subject)
    }

    fn new(modules: Vec<(Form, Module<P>)>, origin: Option<Origin>, again: Again) -> Self {
        let (demands, runs, limits) = (Vec::new(), Runs::default(), Limits::default());
        Self { modules, origin, demands, runs, limits, again }
    }

    /// Says which protocol the module was generated from: [`Check::conforms`] needs to know, and formulas about a
    /// `.quad` protocol may then use its language.
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Leaves out all forms but this one.
    pub fn only(mut self, form: Form) -> Self {
        self.modules.retain(|(known, _)| *known == form);
        self
    }

    /// A formula of linear time holds: on all runs. Its atoms are actions as traces show them, with `*` for
    /// any role and any message: `worker[0] receives * from worker[*]`.
    pub fn ltl(self, formula: &str) -> Self {
        self.formula(formula, Syntax::Linear)
    }

    /// A formula of branching time holds: `AG EF …`. An action is the one that led to a state.
    pub fn ctl(self, formula: &str) -> Self {
        self.formula(formula, Syntax::Branching)
    }

    /// A formula of either kind holds.
    pub fn holds(self, formula: &str) -> Self {
        self.formula(formula, Syntax::Own)
    }

    /// A formula of the Owl dialect holds; `types` are pairs of what `<Short>` in it stands for.
    pub fn owl<'a>(
        self,
        formula: &str,
        types: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let owned = |(short, full): (&str, &str)| (short.to_owned(), full.to_owned());
        let types: Types = types.into_iter().map(owned).collect();
        self.formula(formula, Syntax::Owl(types))
    }

    fn formula(self, formula: &str, syntax: Syntax) -> Self {
        self.demand(What::Formula(Asked { text: formula.to_owned(), syntax }))
    }

    /// A formula with runs of its own.
    pub(crate) fn formula_asked(mut self, asked: Asked, runs: Runs) -> Self {
        let what = What::Formula(asked);
        self.demands.push(Demand { what, runs: Some(runs), expected: Expected::Holds });
        self
    }

    /// The module never gets stuck: where no role can act, the protocol may end.
    pub fn no_deadlock(self) -> Self {
        self.demand(What::NoDeadlock)
    }

    /// Never are more than this many messages under way from one role to another.
    pub fn at_most(self, messages: u32) -> Self {
        self.demand(What::AtMost(messages))
    }

    /// No sender ever waits for room in a queue: the module does the same as with one more place in each queue.
    pub fn bounded(self) -> Self {
        self.demand(What::Bounded)
    }

    /// The module does what its protocol says: the protocol is explored afresh and compared with the module. See
    /// [`Conformance`](crate::Conformance).
    pub fn conforms(self) -> Self {
        self.demand(What::Conforms)
    }

    /// The properties that the `.quad` file has for this protocol come out as they say. Those that speak about
    /// variables are passed over: a module has none.
    pub fn properties(self) -> Self {
        self.demand(What::Properties)
    }

    /// One of these properties comes out as it says. If it speaks about variables, this fails.
    pub fn property(self, name: &str) -> Self {
        self.demand(What::Property(name.to_owned()))
    }

    /// One of these properties, passed over if it speaks about variables.
    pub(crate) fn listed(self, name: &str) -> Self {
        self.demand(What::Listed(name.to_owned()))
    }

    fn demand(mut self, what: What) -> Self {
        self.demands.push(Demand { what, runs: None, expected: Expected::Holds });
        self
    }

    /// The question before this one is expected to be answered with no; a property of the file, whatever that says.
    pub fn expect_violated(mut self) -> Self {
        if let Some(demand) = self.demands.last_mut() {
            demand.expected = Expected::Violated;
        }
        self
    }

    /// Which runs count for all formulas of linear time.
    pub fn runs(mut self, runs: Runs) -> Self {
        self.runs = runs;
        self
    }

    /// How much may be explored; without, everything. A bound that is reached fails the test.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Explores every form once and answers all questions. Without a question, whether the module gets
    /// stuck, and whether it conforms to its protocol where that is known.
    pub fn report(&self) -> Report {
        let mut demands = self.demands.clone();
        if demands.is_empty() {
            let usual = [What::NoDeadlock, What::Conforms];
            let usual = usual.into_iter().take(1 + usize::from(self.origin.is_some()));
            let demand = |what| Demand { what, runs: None, expected: Expected::Holds };
            demands.extend(usual.map(demand));
        }
        for demand in &mut demands {
            demand.runs.get_or_insert(self.runs);
        }
        let questions = Questions::new(&demands, self.origin.as_ref());
        let name = self.modules.first().map(|(_, module)| module.plan().protocol.to_string());
        let mut report = Report {
            protocol: name.unwrap_or_default(),
            mistakes: Vec::new(),
            forms: Vec::new(),
            replay: self.again,
            chosen: self.origin.as_ref().and_then(chosen),
        };
        let questions = match questions {
            Ok(questions) => questions,
            Err(mistakes) => {
                report.mistakes = mistakes;
                return report;
            }
        };
        for (form, module) in &self.modules {
            let exploration = Exploration::new(module);
            let plan = module.plan();
            let roomier = || roomier::<P>(*form, plan, self.limits);
            let target = Target { form: *form, plan, model: &exploration, roomier: &roomier };
            match questions.answer(&target, self.limits) {
                Ok(found) => report.forms.push(found),
                Err(mistakes) => {
                    if report.mistakes.is_empty() {
                        report.mistakes = mistakes;
                    }
                }
            }
        }
        report
    }

    /// Fails the test unless everything comes out as expected and the module does nothing that no module may do:
    /// lose a message or a wake-up, or panic. The message shows the question, the run as a chart and how
    /// to perform it again.
    #[track_caller]
    pub fn assert(self) {
        self.report().assert();
    }
}

/// What may have been chosen at run time: the only argument or parameter, or some of several.
fn chosen(origin: &Origin) -> Option<String> {
    let parameters = origin.parameters.iter().map(|(_, value)| *value);
    let given: Vec<&str> = origin.arguments.iter().copied().chain(parameters).collect();
    match given.as_slice() {
        [] => None,
        [only] => Some((*only).to_owned()),
        _ => Some("…".to_owned()),
    }
}

/// What a module would do with one more place in each queue.
fn roomier<P: Sample>(form: Form, plan: &Plan, limits: Limits) -> Result<Explicit, Stopped> {
    let mut plan = plan.clone();
    for queue in plan.queues.to_mut() {
        queue.capacity += 1;
    }
    let module = Module::<P>::new(&plan, form).expect("more room changes nothing about a plan");
    let exploration = Exploration::new(&module);
    Space::new(&exploration).tabulate(limits, &mut unobserved)
}

/// Methods of [`Check`] for what [`Verify`] begins with.
macro_rules! forwarded {
    ($($name:ident($($argument:ident: $type:ty)?);)*) => {
        $(
            #[doc = concat!("See [`Check::", stringify!($name), "`].")]
            fn $name(self $(, $argument: $type)?) -> Check<P> {
                self.check().$name($($argument)?)
            }
        )*
    };
}

/// Asking for what a generated module should do, beginning with what its `verify()` gives. Every method is the one of
/// [`Check`] with the same name.
pub trait Verify<P: Sample>: Sized {
    /// Asks nothing yet.
    fn check(self) -> Check<P>;

    /// Lets the module perform a run again.
    fn replay(&self, form: Form, actions: &[&str]) -> Result<Replayed, Refused>;

    /// See [`Check::owl`].
    fn owl<'a>(
        self,
        formula: &str,
        types: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Check<P> {
        self.check().owl(formula, types)
    }

    forwarded! {
        only(form: Form);
        ltl(formula: &str);
        ctl(formula: &str);
        holds(formula: &str);
        no_deadlock();
        at_most(messages: u32);
        bounded();
        conforms();
        properties();
        property(name: &str);
        runs(runs: Runs);
        limits(limits: Limits);
    }

    /// See [`Check::report`].
    fn report(self) -> Report {
        self.check().report()
    }

    /// See [`Check::assert`]: that the module never gets stuck and conforms to its protocol.
    #[track_caller]
    fn assert(self) {
        self.check().report().assert();
    }
}

impl<P: Sample> Verify<P> for Subject<P> {
    fn check(self) -> Check<P> {
        Check::of_subject(self)
    }

    fn replay(&self, form: Form, actions: &[&str]) -> Result<Replayed, Refused> {
        let found = self.modules.iter().find(|(known, _)| *known == form);
        let Some((_, module)) = found else {
            let action = actions.first().copied().unwrap_or_default().to_owned();
            return Err(Refused { position: 0, action, offers: Vec::new() });
        };
        replay(&Exploration::new(module), actions)
    }
}
