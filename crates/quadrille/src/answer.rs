//! Answering questions about a module: it is explored once, and what was learnt for one question serves the next.

use quadrille_check::{Checker, Claim, Method};
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_engine::equivalence::{Comparison, Difference, Word};
use quadrille_engine::{Limits, unobserved};
use quadrille_logic::Kind;
use quadrille_model::{Bound, Counts, Expected, Explicit, Model, Runs, Trace, Verdict};
use quadrille_protocol::core::Terms;
use quadrille_report::Story;
use quadrille_runtime::{self as runtime, Form, Origin, Plan};

use crate::conform::{self, Judgement};
use crate::demand::{Demand, What};
use crate::explored::Explored;
use crate::flight::{Flight, follow};
use crate::reading::{self, Protocol};
use crate::report::{Answer, Fault, Finding, FormReport};

/// One form of a module as a model.
pub(crate) struct Target<'m> {
    pub(crate) form: Form,
    pub(crate) plan: &'m Plan,
    pub(crate) model: &'m dyn Model,
    /// What went wrong in the steps that it was asked for so far.
    pub(crate) faults: &'m dyn Fn() -> Vec<runtime::Fault>,
    /// What it would do with one more place in each queue.
    pub(crate) roomier: &'m dyn Fn() -> Result<Explicit, Bound>,
}

/// Questions that were read as far as that needs no module.
pub(crate) struct Questions<'q> {
    demands: &'q [Demand],
    /// By position in `demands`, where that is a formula.
    spans: Vec<Option<Span>>,
    sources: Sources,
    protocol: Option<Protocol>,
}

impl<'q> Questions<'q> {
    pub(crate) fn new(demands: &'q [Demand], origin: Option<&Origin>) -> Result<Self, Vec<String>> {
        let mut sources = Sources::default();
        let (mut spans, mut own) = (Vec::new(), Vec::new());
        for Demand { what, .. } in demands {
            let What::Formula(asked) = what else {
                spans.push(None);
                continue;
            };
            let span = reading::place(asked, spans.len() + 1, &mut sources);
            if origin.is_some_and(|origin| reading::is_read_by_protocol(asked, origin)) {
                own.push(span);
            }
            spans.push(Some(span));
        }
        let protocol = origin.map(|origin| Protocol::start(origin, &own, &mut sources)).transpose();
        match protocol {
            Ok(protocol) => Ok(Self { demands, spans, sources, protocol }),
            Err(diagnostics) => Err(vec![reading::shown(&diagnostics, &sources)]),
        }
    }

    /// Explores a module and answers everything, or says what is wrong with the questions.
    pub(crate) fn answer(
        &self,
        target: &Target<'_>,
        limits: Limits,
    ) -> Result<FormReport, Vec<String>> {
        let terms = reading::terms_of(target.plan);
        let claims = self
            .claims(target.plan, &terms)
            .map_err(|diagnostics| vec![reading::shown(&diagnostics, &self.sources)])?;
        let mut report = FormReport {
            form: target.form,
            counts: Counts::default(),
            faults: Vec::new(),
            findings: Vec::new(),
        };
        let explored = match Explored::new(target.model, limits) {
            Ok(explored) => explored,
            Err(bound) => {
                let findings = self.demands.iter().map(|demand| Finding {
                    property: demand.name(),
                    runs: None,
                    expected: demand.expected,
                    answer: Answer::Unknown(bound),
                    story: None,
                });
                report.findings = findings.collect();
                return Ok(report);
            }
        };
        report.counts = explored.counts();
        let flight = follow(explored.table(), target.model);
        report.faults = faults(&explored, target, &flight);
        let method = Method { shared: false, ..Method::default() };
        let checker = Checker::new(explored.recorded(), method, limits);
        let mut answers = Answers { target, explored: &explored, flight, checker, limits };
        for (demand, claims) in self.demands.iter().zip(&claims) {
            match &demand.what {
                What::Formula(_) => {
                    let claims = claims.as_deref().unwrap_or_default();
                    report.findings.push(answers.claims(demand, demand.name(), claims));
                }
                What::NoDeadlock => report.findings.push(answers.deadlock(demand)),
                What::AtMost(most) => report.findings.push(answers.at_most(demand, *most)),
                What::Bounded => report.findings.push(answers.bounded(demand)),
                What::Conforms => {
                    report.findings.push(answers.conforms(demand, self.protocol.as_ref()));
                }
                What::Properties => {
                    for own in self.own(&terms) {
                        report.findings.push(answers.property(demand, own));
                    }
                }
                What::Property(name) | What::Listed(name) => {
                    let found = self.own(&terms).into_iter().find(|own| own.name == *name);
                    let must_answer = matches!(demand.what, What::Property(_));
                    report.findings.push(match found {
                        Some(own) if must_answer && own.claims.is_none() => {
                            demand.unanswered("it speaks about variables, and a module has none")
                        }
                        Some(own) => answers.property(demand, own),
                        None => demand.unanswered("the protocol has no property of this name"),
                    });
                }
            }
        }
        Ok(report)
    }

    /// The properties that the protocol's file has.
    fn own<'t>(&self, terms: &'t Terms) -> Vec<reading::Own<'t>> {
        self.protocol.as_ref().map(|protocol| protocol.own(terms)).unwrap_or_default()
    }

    /// What formulas claim, by position in `demands`.
    fn claims<'t>(
        &self,
        plan: &Plan,
        terms: &'t Terms,
    ) -> Result<Vec<Option<Vec<Claim<'t>>>>, Vec<Diagnostic>> {
        let (mut all, mut bad) = (Vec::new(), Vec::new());
        for (demand, span) in self.demands.iter().zip(&self.spans) {
            let (What::Formula(asked), Some(span)) = (&demand.what, span) else {
                all.push(None);
                continue;
            };
            let protocol = self.protocol.as_ref();
            match reading::claims(asked, *span, protocol, plan, terms, &self.sources) {
                Ok(claims) => all.push(Some(claims)),
                Err(diagnostics) => bad.extend(diagnostics),
            }
        }
        if bad.is_empty() { Ok(all) } else { Err(bad) }
    }
}

/// What went wrong in the steps of a module, whatever is asked of it.
fn faults(explored: &Explored<'_>, target: &Target<'_>, flight: &Flight) -> Vec<Fault> {
    let fault = |message: &str, run: Option<&Trace>| {
        let trace = run.and_then(|run| explored.performed(run));
        let story = trace.map(|trace| Story::tell(message, &trace, target.model));
        Fault { message: message.to_owned(), story }
    };
    let seen = (target.faults)().into_iter().map(|seen| {
        let run = explored.run_to(&seen.state);
        fault(&seen.to_string(), run.as_ref())
    });
    let lost = flight.wrong.iter().map(|(message, run)| fault(message, Some(run)));
    seen.chain(lost).collect()
}

/// A module that was explored, and what was learnt for the questions before.
struct Answers<'a> {
    target: &'a Target<'a>,
    explored: &'a Explored<'a>,
    flight: Flight,
    checker: Checker<'a>,
    limits: Limits,
}

impl Answers<'_> {
    fn claims(&mut self, demand: &Demand, property: String, claims: &[Claim<'_>]) -> Finding {
        let linear = claims.iter().all(|claim| claim.kind == Kind::Linear);
        let runs = linear.then_some(demand.runs.unwrap_or_default());
        let (answer, story) = self.ask(&property, claims, runs.unwrap_or_default());
        Finding { property, runs, expected: demand.expected, answer, story }
    }

    fn property(&mut self, demand: &Demand, own: reading::Own<'_>) -> Finding {
        let expected = if own.violated { Expected::Violated } else { demand.expected };
        let (answer, story) = match &own.claims {
            Some(claims) => self.ask(&own.name, claims, own.runs),
            None => (Answer::Skipped("it speaks about variables".to_owned()), None),
        };
        Finding { property: own.name, runs: Some(own.runs), expected, answer, story }
    }

    fn ask(&mut self, property: &str, claims: &[Claim<'_>], runs: Runs) -> (Answer, Option<Story>) {
        match self.checker.answer(claims, runs, &mut unobserved) {
            Err(error) => (Answer::Impossible(error.to_string()), None),
            Ok((verdict, _)) => self.evidence(property, verdict),
        }
    }

    fn deadlock(&self, demand: &Demand) -> Finding {
        let property = demand.name();
        let (answer, story) = match self.explored.deadlock(self.limits) {
            Some(verdict) => self.evidence(&property, verdict),
            None => (Answer::Impossible(UNREPEATABLE.to_owned()), None),
        };
        Finding { property, runs: None, expected: demand.expected, answer, story }
    }

    fn at_most(&self, demand: &Demand, most: u32) -> Finding {
        let property = demand.name();
        let worst = self.flight.most.iter().max_by_key(|(_, (number, _))| *number);
        let (answer, story) = match worst {
            Some(((from, to), (number, run))) if *number > most => {
                let name = |participant| self.target.model.participant(participant);
                let (from, to) = (name(*from), name(*to));
                let messages = if *number == 1 { "message is" } else { "messages are" };
                let why = format!("{number} {messages} under way from {from} to {to}");
                let story = self.told(&property, run);
                (Answer::Violated(Some(why)), story)
            }
            _ => (Answer::Holds, None),
        };
        Finding { property, runs: None, expected: demand.expected, answer, story }
    }

    fn bounded(&self, demand: &Demand) -> Finding {
        // In the strict form what is under way lies in no queue.
        let roomier = (self.target.form == Form::Liberal).then(self.target.roomier).transpose();
        let answer = match roomier {
            Err(bound) => Answer::Unknown(bound),
            Ok(None) => Answer::Holds,
            Ok(Some(roomier)) => {
                match conform::bisimilar(self.explored.table(), &roomier, self.limits) {
                    Comparison::Holds => Answer::Holds,
                    Comparison::Unknown(bound) => Answer::Unknown(bound),
                    Comparison::Differs(Difference::Word(Word { observations, .. })) => {
                        let seen: Vec<String> =
                            observations.iter().map(ToString::to_string).collect();
                        let more = "with one more place in each queue it could";
                        Answer::Violated(Some(format!("{more}: {}", seen.join(", "))))
                    }
                    Comparison::Differs(_) => Answer::Violated(None),
                }
            }
        };
        let (property, expected) = (demand.name(), demand.expected);
        Finding { property, runs: None, expected, answer, story: None }
    }

    fn conforms(&self, demand: &Demand, protocol: Option<&Protocol>) -> Finding {
        let Target { form, plan, .. } = *self.target;
        let (answer, story) = match protocol {
            None => {
                let why = "it is not known which protocol the module comes from: name its `origin`";
                (Answer::Impossible(why.to_owned()), None)
            }
            Some(protocol) => {
                match conform::judge(self.explored, form, plan, &protocol.model, self.limits) {
                    Judgement::Conforms(how) => (Answer::Conforms(how), None),
                    Judgement::Deviates(why, story) => (Answer::Violated(Some(why)), story),
                    Judgement::Unknown(bound) => (Answer::Unknown(bound), None),
                    Judgement::Impossible(why) => (Answer::Impossible(why), None),
                }
            }
        };
        let expected = demand.expected;
        Finding { property: demand.name(), runs: None, expected, answer, story }
    }

    /// A verdict about the table, with its run performed by the module.
    fn evidence(&self, property: &str, verdict: Verdict) -> (Answer, Option<Story>) {
        match verdict {
            Verdict::Holds => (Answer::Holds, None),
            Verdict::Unknown(bound) => (Answer::Unknown(bound), None),
            Verdict::Violated(None) => (Answer::Violated(None), None),
            Verdict::Violated(Some(run)) => match self.told(property, &run) {
                Some(story) => (Answer::Violated(None), Some(story)),
                None => (Answer::Impossible(UNREPEATABLE.to_owned()), None),
            },
        }
    }

    fn told(&self, property: &str, run: &Trace) -> Option<Story> {
        let trace = self.explored.performed(run)?;
        Some(Story::tell(property, &trace, self.target.model))
    }
}

const UNREPEATABLE: &str = "the module does not repeat itself: it did not perform a run again";
