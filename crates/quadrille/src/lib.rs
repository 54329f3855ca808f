//! Protocols as Rust modules, checked by running them.
//!
//! A module that was generated from a protocol lets its roles do what the protocol allows and nothing else; the
//! [`runtime`] is all it needs. In tests, the module itself is explored: every send, receive and close that any role
//! could ask for, in every order, by the same functions that production calls.
//!
//! ```
//! # mod chess {
//! #     use quadrille::runtime::plan::LabelId;
//! #     use quadrille::runtime::{Form, Module, Origin, Payload, Sample, Subject};
//! #     #[derive(Clone)]
//! #     pub struct Letter(LabelId);
//! #     impl Payload for Letter { fn label(&self) -> Option<LabelId> { Some(self.0) } }
//! #     impl Sample for Letter { fn sample(label: LabelId) -> Option<Self> { Some(Letter(label)) } }
//! #     const TEXT: &str = "message Move; role White, Black;
//! #         protocol chess { loop { Move from White to Black; Move from Black to White; } }";
//! #     pub fn verify() -> Subject<Letter> {
//! #         let origin = Origin { file: "chess.quad", text: TEXT, session: "chess", arguments: &[], parameters: &[] };
//! #         let mut sources = quadrille_diagnostic::Sources::default();
//! #         let source = sources.add(origin.file, origin.text);
//! #         let program = quadrille_quad::load(&sources, source).0.unwrap();
//! #         let model = program.start(&mut sources, None, &[], &[]).unwrap().model;
//! #         let (limits, look) = (quadrille::Limits::default(), &mut quadrille_engine::unobserved);
//! #         let explored = quadrille_query::protocol::Explored::new(&model, limits, look).unwrap();
//! #         let wanted = quadrille_generate::Wanted::default();
//! #         let plan = quadrille_generate::plan_of("chess", &explored, &wanted, limits, look).unwrap().plan;
//! #         let module = |form| (form, Module::new(&plan, form).unwrap());
//! #         Subject { origin, modules: vec![module(Form::Strict), module(Form::Liberal)] }
//! #     }
//! # }
//! use quadrille::{Form, Runs, Verify, check, replay};
//!
//! // In a test: both forms of the module, all runs.
//! chess::verify().ltl("!(Black sends Move) U (Black receives Move)").runs(Runs::Infinite).assert();
//!
//! // Several questions share one exploration. Without any: no deadlock, and conformance.
//! chess::verify().no_deadlock().at_most(1).ctl("AG EF (White sends Move)").conforms().assert();
//! chess::verify().ltl("G !(White receives Move)").expect_violated().assert();
//!
//! // One module, and what it does after some steps.
//! let (_, module) = &chess::verify().modules[0];
//! check(module).ltl("G (White sends Move -> X (Black receives Move))").assert();
//! let played = replay(module, &["White sends Move to Black"])?;
//! assert_eq!(played.next, ["Black receives Move from White"]);
//! # Ok::<(), quadrille::Refused>(())
//! ```
//!
//! A failing test says all there is to know: the question, the run as a chart, and how to perform it
//! again. [`suite!`] makes tests of formulas in files. Nothing is printed, and no file is read but by suites.
#![forbid(unsafe_code)]

// Tests of this crate use the modules that its integration tests are made of.
#[cfg(all(test, feature = "check"))]
extern crate self as quadrille;
#[cfg(all(test, feature = "check"))]
#[path = "../tests/it/letter.rs"]
mod letter;

/// Real threads one at a time, under a scheduler that owns every decision and the clock.
#[cfg(feature = "sim")]
pub mod sim {
    pub use quadrille_sim::*;
    #[cfg(feature = "sim-check")]
    pub use quadrille_sim_check as check;
    pub use quadrille_sim_std as std;
}

/// The examples of the manual, as tests.
#[cfg(all(doctest, feature = "sim-check"))]
#[doc = include_str!("../../../docs/programs.md")]
struct Programs;

/// Marks a named event of a thread, for formulas, protocols and reports.
#[cfg(feature = "sim")]
pub use quadrille_sim::event;

/// Protocols as monitors of the channels that a program has.
#[cfg(feature = "monitor")]
pub use quadrille_monitor as monitor;

#[cfg(feature = "check")]
mod answer;
#[cfg(feature = "check")]
mod check;
#[cfg(feature = "check")]
mod conform;
#[cfg(feature = "check")]
mod demand;
#[cfg(feature = "check")]
mod explored;
#[cfg(feature = "check")]
mod flight;
#[cfg(feature = "check")]
mod reading;
#[cfg(feature = "check")]
mod replay;
#[cfg(feature = "check")]
mod report;
#[cfg(feature = "check")]
pub mod suite;

#[cfg(feature = "check")]
pub use check::{Check, Verify};
#[cfg(feature = "check")]
pub use quadrille_engine::Limits;
#[cfg(feature = "macro")]
pub use quadrille_macro::protocol;
#[cfg(feature = "check")]
pub use quadrille_model::{Expected, Runs};
#[cfg(feature = "check")]
pub use quadrille_query::Conformance;
pub use quadrille_runtime as runtime;
#[cfg(feature = "check")]
pub use quadrille_runtime::Exploration;
pub use quadrille_runtime::{Form, Module, Origin, Plan, Policy, Sample, Subject};
#[cfg(feature = "check")]
pub use replay::{Refused, Replayed};
#[cfg(feature = "check")]
pub use report::{Answer, Fault, Finding, FormReport, Report};

#[cfg(feature = "check")]
/// Asks for what a module should do: `check(&chess::strict())`.
///
/// See [`Check`] for the questions; [`Verify`] asks both forms of a generated module at once.
pub fn check<P: Sample>(module: &impl AsRef<Module<P>>) -> Check<P> {
    Check::of_module(module.as_ref())
}

#[cfg(feature = "check")]
/// Lets a module perform these actions one after the other, as a failing test printed them.
pub fn replay<P: Sample>(
    module: &impl AsRef<Module<P>>,
    actions: &[&str],
) -> Result<Replayed, Refused> {
    replay::replay(&Exploration::new(module.as_ref()), actions)
}
