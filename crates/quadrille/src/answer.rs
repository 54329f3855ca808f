//! Answering questions about a module: it is explored once, and what was learnt for one question serves the next.

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::equivalence::{Bisimulation, Difference, Relation, View, Word};
use quadrille_engine::{Error, Limits, Stopped};
use quadrille_model::{
    Counts, Expected, Explicit, ExplicitBuilder, Model, Problem, Runs, Trace, Verdict,
};
use quadrille_query::{
    Answered, Config, Evidence, FormulaText, Property, Question, Refused, Subject, Unwatched,
    Vocabulary, protocol,
};
use quadrille_report::Story;
use quadrille_runtime::{Form, Origin, Plan};

use crate::conform;
use crate::demand::{Demand, What};
use crate::explored::{Explored, run_to};
use crate::flight::{Flight, follow};
use crate::reading;
use crate::report::{Answer, Fault, Finding, FormReport};

/// One form of a module as a model.
pub(crate) struct Target<'m> {
    pub(crate) form: Form,
    pub(crate) plan: &'m Plan,
    pub(crate) model: &'m dyn Model,
    /// What it would do with one more place in each queue.
    pub(crate) roomier: &'m dyn Fn() -> Result<Explicit, Stopped>,
}

/// Questions that were read as far as that needs no module.
pub(crate) struct Questions<'q> {
    demands: &'q [Demand],
    /// By position in `demands`, where that is a formula.
    formulas: Vec<Option<Formula>>,
    sources: Sources,
    protocol: Option<Subject<'static>>,
}

/// A formula, read or not.
enum Formula {
    /// Read in the language of the protocol.
    Read(Property),
    /// To be read with the names of the module.
    Text(FormulaText),
}

impl<'q> Questions<'q> {
    pub(crate) fn new(demands: &'q [Demand], origin: Option<&Origin>) -> Result<Self, Vec<String>> {
        let mut sources = Sources::default();
        let texts: Vec<Option<FormulaText>> = demands
            .iter()
            .enumerate()
            .map(|(position, demand)| match &demand.what {
                What::Formula(asked) => Some(reading::place(asked, position + 1, &mut sources)),
                _ => None,
            })
            .collect();
        let protocol = origin.map(|origin| reading::protocol(origin, &mut sources)).transpose();
        let mut protocol = match protocol {
            Ok(protocol) => protocol,
            Err(diagnostics) => return Err(vec![reading::shown(&diagnostics, &sources)]),
        };
        let is_quad = origin.is_some_and(reading::is_quad);
        let (mut formulas, mut bad) = (Vec::new(), Vec::new());
        for text in texts {
            formulas.push(match (text, &mut protocol) {
                (Some(text), Some(protocol))
                    if is_quad && text.syntax == quadrille_query::Syntax::Own =>
                {
                    match protocol.formula(&sources, &text) {
                        Ok((property, _)) => Some(Formula::Read(property)),
                        Err(diagnostics) => {
                            bad.extend(diagnostics);
                            None
                        }
                    }
                }
                (text, _) => text.map(Formula::Text),
            });
        }
        if !bad.is_empty() {
            return Err(vec![reading::shown(&bad, &sources)]);
        }
        Ok(Self { demands, formulas, sources, protocol })
    }

    /// Explores a module and answers everything, or says what is wrong with the questions.
    pub(crate) fn answer(
        &self,
        target: &Target<'_>,
        limits: Limits,
    ) -> Result<FormReport, Vec<String>> {
        let vocabulary = || Vocabulary::Names(Box::new(reading::names(target.plan)));
        // Formulas need the names of a module, not its states.
        let nothing = ExplicitBuilder::default().build();
        let properties = self.properties(&mut Subject::of_model(Box::new(nothing), vocabulary()));
        let properties =
            properties.map_err(|diagnostics| vec![reading::shown(&diagnostics, &self.sources)])?;
        let mut report = FormReport {
            form: target.form,
            counts: Counts::default(),
            faults: Vec::new(),
            findings: Vec::new(),
        };
        let explored = match Explored::new(target.model, limits) {
            Ok(explored) => explored,
            Err(stopped) => {
                if let Stopped::Failed(Error::Problem(problem)) = &stopped {
                    report.faults.push(fault(problem, target.model));
                }
                let findings = self.demands.iter().map(|demand| Finding {
                    property: demand.name(),
                    runs: None,
                    expected: demand.expected,
                    answer: unanswered(&stopped),
                    story: None,
                });
                report.findings = findings.collect();
                return Ok(report);
            }
        };
        let subject = Subject::of_model(Box::new(explored.recorded()), vocabulary());
        report.counts = explored.counts();
        let flight = follow(explored.table(), target.model);
        report.faults.extend(lost(&explored, target, &flight));
        let answers = Answers { target, explored: &explored, flight, limits };
        report.findings = self.findings(&subject, properties, &answers);
        Ok(report)
    }

    /// The answers, in the order of the questions: those that a search answers come from one call.
    fn findings(
        &self,
        subject: &Subject<'_>,
        properties: Vec<Vec<Asking>>,
        answers: &Answers<'_>,
    ) -> Vec<Finding> {
        let mut questions = Vec::new();
        for (demand, asked) in self.demands.iter().zip(&properties) {
            if matches!(demand.what, What::NoDeadlock) {
                questions.push(Question::Deadlock);
            }
            let asked = asked.iter().filter_map(|asking| match asking {
                Asking::Property(property) => Some(Question::Property(property.clone())),
                Asking::Passed(..) => None,
            });
            questions.extend(asked);
        }
        let config = Config { limits: answers.limits, ..Config::default() };
        let mut found = subject.ask(&questions, &config, &mut Unwatched).into_iter();
        let mut findings = Vec::new();
        for (demand, asked) in self.demands.iter().zip(properties) {
            match &demand.what {
                What::NoDeadlock => {
                    findings.extend(
                        found
                            .next()
                            .map(|it| answers.demand(demand.name(), None, demand.expected, it)),
                    );
                }
                What::AtMost(most) => findings.push(answers.at_most(demand, *most)),
                What::Bounded => findings.push(answers.bounded(subject, demand)),
                What::Conforms => {
                    findings.push(answers.conforms(subject, demand, self.protocol.as_ref()));
                }
                What::Formula(_) | What::Properties | What::Property(_) | What::Listed(_) => {
                    for asking in asked {
                        findings.extend(match asking {
                            Asking::Passed(finding) => Some(*finding),
                            Asking::Property(property) => {
                                let runs = property.is_linear().then_some(property.runs);
                                let Property { name, expected, .. } = property;
                                found.next().map(|it| answers.demand(name, runs, expected, it))
                            }
                        });
                    }
                }
            }
        }
        findings
    }

    /// What is asked of a module by formulas and by properties of the protocol's file, by position in
    /// `demands`.
    fn properties(&self, subject: &mut Subject<'_>) -> Result<Vec<Vec<Asking>>, Vec<Diagnostic>> {
        let (mut all, mut bad) = (Vec::new(), Vec::new());
        for (demand, formula) in self.demands.iter().zip(&self.formulas) {
            let own = self.protocol.iter().flat_map(|protocol| &protocol.properties);
            all.push(match &demand.what {
                What::Formula(asked) => match self.formula(demand, asked, formula, subject) {
                    Ok(property) => vec![Asking::Property(property)],
                    Err(diagnostics) => {
                        bad.extend(diagnostics);
                        Vec::new()
                    }
                },
                What::Properties => own.map(|property| asking(demand, property)).collect(),
                What::Property(name) | What::Listed(name) => {
                    let must_answer = matches!(demand.what, What::Property(_));
                    let unanswered = |why| vec![Asking::Passed(Box::new(demand.unanswered(why)))];
                    match own.into_iter().find(|property| property.name == *name) {
                        Some(property) if must_answer && property.speaks_of_states() => {
                            unanswered("it speaks about variables, and a module has none")
                        }
                        Some(property) => vec![asking(demand, property)],
                        None => unanswered("the protocol has no property of this name"),
                    }
                }
                What::NoDeadlock | What::AtMost(_) | What::Bounded | What::Conforms => Vec::new(),
            });
        }
        if bad.is_empty() { Ok(all) } else { Err(bad) }
    }

    fn formula(
        &self,
        demand: &Demand,
        asked: &reading::Asked,
        formula: &Option<Formula>,
        subject: &mut Subject<'_>,
    ) -> Result<Property, Vec<Diagnostic>> {
        let mut property = match formula {
            Some(Formula::Read(property)) => property.clone(),
            Some(Formula::Text(text)) => subject.formula(&self.sources, text)?.0,
            None => return Err(Vec::new()),
        };
        subject.fits(&property)?;
        reading::of_kind(asked, &property)?;
        property.name = demand.name();
        property.expected = demand.expected;
        if property.is_linear() {
            property.runs = demand.runs.unwrap_or_default();
        }
        Ok(property)
    }
}

/// Something to ask, or what is said instead of an answer.
enum Asking {
    Property(Property),
    Passed(Box<Finding>),
}

/// A property of the protocol's file; one about variables is passed over.
fn asking(demand: &Demand, property: &Property) -> Asking {
    let expected = match property.expected {
        Expected::Violated => Expected::Violated,
        Expected::Holds => demand.expected,
    };
    if property.speaks_of_states() {
        return Asking::Passed(Box::new(Finding {
            property: property.name.clone(),
            runs: Some(property.runs),
            expected,
            answer: Answer::Skipped("it speaks about variables".to_owned()),
            story: None,
        }));
    }
    Asking::Property(Property { expected, ..property.clone() })
}

/// A step of a module that went wrong, whatever is asked of it.
fn fault(problem: &Problem, module: &dyn Model) -> Fault {
    let run = run_to(module, &problem.state);
    let story = run.map(|run| Story::tell(&problem.message, &run, module));
    Fault { message: problem.message.clone(), story }
}

/// A message that a module lost or doubled.
fn lost(explored: &Explored<'_>, target: &Target<'_>, flight: &Flight) -> Option<Fault> {
    let (message, run) = flight.wrong.as_ref()?;
    let trace = explored.performed(run);
    let story = trace.map(|trace| Story::tell(message, &trace, target.model));
    Some(Fault { message: message.clone(), story })
}

/// The answer to a question about a module that could not be explored.
fn unanswered(stopped: &Stopped) -> Answer {
    match stopped {
        Stopped::Bound(bound) => Answer::Unknown(*bound),
        Stopped::Failed(error) => Answer::Impossible(error.to_string()),
    }
}

/// A module that was explored.
struct Answers<'a> {
    target: &'a Target<'a>,
    explored: &'a Explored<'a>,
    flight: Flight,
    limits: Limits,
}

impl Answers<'_> {
    /// An answer about the table, with its run performed by the module.
    fn demand(
        &self,
        property: String,
        runs: Option<Runs>,
        expected: Expected,
        answered: Answered,
    ) -> Finding {
        let (answer, story) = match answered.map(|answer| answer.verdict) {
            Err(refused) => (Answer::Impossible(refused.to_string()), None),
            Ok(Verdict::Holds) => (Answer::Holds, None),
            Ok(Verdict::Unknown(bound)) => (Answer::Unknown(bound), None),
            Ok(Verdict::Violated(None)) => (Answer::Violated(None), None),
            Ok(Verdict::Violated(Some(run))) => match self.story(&property, &run) {
                Some(story) => (Answer::Violated(None), Some(story)),
                None => (Answer::Impossible(UNREPEATABLE.to_owned()), None),
            },
        };
        Finding { property, runs, expected, answer, story }
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
                let story = self.story(&property, run);
                (Answer::Violated(Some(why)), story)
            }
            _ => (Answer::Holds, None),
        };
        Finding { property, runs: None, expected: demand.expected, answer, story }
    }

    fn bounded(&self, subject: &Subject<'_>, demand: &Demand) -> Finding {
        // In the strict form what is under way lies in no queue.
        let roomier = (self.target.form == Form::Liberal).then(self.target.roomier).transpose();
        let answer = match roomier {
            Err(stopped) => unanswered(&stopped),
            Ok(None) => Answer::Holds,
            Ok(Some(roomier)) => self.same(subject, roomier),
        };
        let (property, expected) = (demand.name(), demand.expected);
        Finding { property, runs: None, expected, answer, story: None }
    }

    /// Whether a module does the same with more room.
    fn same(&self, subject: &Subject<'_>, roomier: Explicit) -> Answer {
        let roomier = Subject::of_model(Box::new(roomier), Vocabulary::Labels);
        let question = Question::Compare {
            other: &roomier,
            relation: Relation::Bisimilar(Bisimulation::Strong),
            view: View::default(),
        };
        match self.ask(subject, question) {
            Err(refused) => Answer::Impossible(refused.to_string()),
            Ok(answer) => match (answer.verdict, answer.evidence) {
                (Verdict::Holds, _) => Answer::Holds,
                (Verdict::Unknown(bound), _) => Answer::Unknown(bound),
                (Verdict::Violated(_), Evidence::Difference { difference, .. }) => {
                    Answer::Violated(match difference {
                        Difference::Word(Word { observations, .. }) => {
                            let seen: Vec<String> =
                                observations.iter().map(ToString::to_string).collect();
                            let more = "with one more place in each queue it could";
                            Some(format!("{more}: {}", seen.join(", ")))
                        }
                        _ => None,
                    })
                }
                (Verdict::Violated(_), _) => Answer::Violated(None),
            },
        }
    }

    fn conforms(
        &self,
        subject: &Subject<'_>,
        demand: &Demand,
        protocol: Option<&Subject<'_>>,
    ) -> Finding {
        let Target { form, plan, .. } = *self.target;
        let (answer, story) = match protocol {
            None => {
                let why = "it is not known which protocol the module comes from: name its `origin`";
                (Answer::Impossible(why.to_owned()), None)
            }
            Some(protocol) => {
                let question = conform::question(form, plan, protocol);
                match self.ask(subject, question) {
                    Err(Refused::Stopped(protocol::Stopped::Bound(bound))) => {
                        (Answer::Unknown(bound), None)
                    }
                    Err(refused) => (Answer::Impossible(refused.to_string()), None),
                    Ok(answer) => match (&answer.verdict, &answer.evidence) {
                        (Verdict::Unknown(bound), _) => (Answer::Unknown(*bound), None),
                        (_, Evidence::Conformance(how)) => (Answer::Conforms(*how), None),
                        (_, evidence) => {
                            match conform::deviation(self.explored, protocol, evidence) {
                                Some((why, story)) => (Answer::Violated(Some(why)), story),
                                None => (Answer::Violated(None), None),
                            }
                        }
                    },
                }
            }
        };
        let expected = demand.expected;
        Finding { property: demand.name(), runs: None, expected, answer, story }
    }

    fn ask(&self, subject: &Subject<'_>, question: Question<'_>) -> Answered {
        let config = Config { limits: self.limits, ..Config::default() };
        let answered = subject.ask(&[question], &config, &mut Unwatched).pop();
        answered.unwrap_or_else(|| Err(Vec::new().into()))
    }

    fn story(&self, property: &str, run: &Trace) -> Option<Story> {
        let trace = self.explored.performed(run)?;
        Some(Story::tell(property, &trace, self.target.model))
    }
}

const UNREPEATABLE: &str = "the module does not repeat itself: it did not perform a run again";
