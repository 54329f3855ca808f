//! Frames of the roles of protocols.

use std::fmt::Write;
use std::path::Path;

use expect_test::{Expect, expect};
use quadrille_component::automata::{Alphabet, Construction, build};
use quadrille_component::composition::{Unit, Wiring, compose};
use quadrille_component::syntax::Component;
use quadrille_contract::roles::{RoleError, frames};
use quadrille_diagnostic::{Sources, Span};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_protocol::project::{Global, Projection};
use quadrille_quad as quad;
use quadrille_query::composition_errors;

fn extract(text: &str, parameters: &[(&str, &str)]) -> Result<Vec<Component>, RoleError> {
    let mut sources = Sources::default();
    let source = sources.add("in.quad", text);
    let (program, diagnostics) = quad::load(&sources, source);
    let program = program.unwrap_or_else(|| panic!("{}", crate::rendered(&sources, &diagnostics)));
    let session = program.start(&mut sources, None, &[], parameters).expect("a session");
    let table = Space::new(&session.model).tabulate(Limits::default(), &mut unobserved);
    let global = Global::new(&session.model, &table.expect("no limit")).expect("a start");
    let projection = Projection::new(&global).expect("small");
    frames(&projection, Span::new(source, 0..0)).into_iter().collect()
}

/// The frames, and whether they fit together.
fn check(text: &str, parameters: &[(&str, &str)], expected: &Expect) {
    let components = match extract(text, parameters) {
        Ok(components) => components,
        Err(error) => return expected.assert_eq(&format!("{error}\n")),
    };
    let mut told = String::new();
    let mut alphabet = Alphabet::default();
    let mut units = Vec::new();
    for component in &components {
        writeln!(told, "{component}").expect("text");
        let again = crate::read(&mut Sources::default(), &component.to_string());
        assert_eq!(again.to_string(), format!("{component}\n"));
        let dfa = build(&mut alphabet, &[], component, None, Construction::Minimal);
        units.push(Unit { name: component.name.text.clone(), dfa: dfa.expect("small") });
    }
    let composition = compose(&alphabet, &units, &Wiring::all(&alphabet)).expect("composable");
    let errors = composition_errors(&composition, Limits::default(), &mut unobserved);
    let errors = errors.expect("no limit");
    let trace = errors.first().map_or(String::new(), |path| path.tokens(&composition).join(" ; "));
    writeln!(told, "{}: {} configurations {trace}", errors.verdict(), errors.configurations)
        .expect("text");
    expected.assert_eq(&told);
}

fn example(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/protocols");
    let path = Path::new(folder).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn login() {
    check(
        &example("login.quad"),
        &[],
        &expect![[r#"
            app
            ?user_app.Visit^ ; !app_user.Redirect^ ; (?user_app.Denied^ ; !app_user.Sorry^ + ?user_app.Code^ ; !app_provider.Exchange^ ; (?provider_app.Token^ ; !app_user.Welcome^ + ?provider_app.Refused^ ; !app_user.Sorry^))
            user
            !user_app.Visit^ ; ?app_user.Redirect^ ; !user_provider.Credentials^ ; (?provider_user.Code^ + ?provider_user.Denied^ ; !user_provider.Credentials^ ; ?provider_user.Code^) ; !user_app.Code^ ; (?app_user.Welcome^ + ?app_user.Sorry^) + !user_app.Visit^ ; ?app_user.Redirect^ ; !user_provider.Credentials^ ; ?provider_user.Denied^ ; !user_provider.Credentials^ ; ?provider_user.Denied^ ; !user_provider.Credentials^ ; (?provider_user.Denied^ ; !user_app.Denied^ ; ?app_user.Sorry^ + ?provider_user.Code^ ; !user_app.Code^ ; (?app_user.Welcome^ + ?app_user.Sorry^))
            provider
            ?user_provider.Credentials^ ; !provider_user.Denied^ ; ?user_provider.Credentials^ ; !provider_user.Denied^ ; ?user_provider.Credentials^ ; !provider_user.Denied^ + (?user_provider.Credentials^ ; !provider_user.Code^ + ?user_provider.Credentials^ ; !provider_user.Denied^ ; ?user_provider.Credentials^ ; (!provider_user.Code^ + !provider_user.Denied^ ; ?user_provider.Credentials^ ; !provider_user.Code^)) ; ?app_provider.Exchange^ ; (!provider_app.Token^ + !provider_app.Refused^)
            no error: 16 configurations 
        "#]],
    );
}

#[test]
fn two_phase_commit() {
    check(
        &example("two-phase-commit.quad"),
        &[("n", "2")],
        &expect![[r#"
            participant_0
            ?coordinator_participant_0.Prepare^ ; (!participant_0_coordinator.Vote_false^ ; ?coordinator_participant_0.Abort^ + !participant_0_coordinator.Vote_true^ ; (?coordinator_participant_0.Commit^ + ?coordinator_participant_0.Abort^)) ; !participant_0_coordinator.Ack^
            participant_1
            ?coordinator_participant_1.Prepare^ ; (!participant_1_coordinator.Vote_false^ ; ?coordinator_participant_1.Abort^ + !participant_1_coordinator.Vote_true^ ; (?coordinator_participant_1.Commit^ + ?coordinator_participant_1.Abort^)) ; !participant_1_coordinator.Ack^
            coordinator
            [!coordinator_participant_0.Prepare^, !coordinator_participant_1.Prepare^] ; ((?participant_0_coordinator.Vote_false^ ; (?participant_1_coordinator.Vote_false^ + ?participant_1_coordinator.Vote_true^) + ?participant_1_coordinator.Vote_false^ ; (?participant_0_coordinator.Vote_false^ + ?participant_0_coordinator.Vote_true^) + ?participant_0_coordinator.Vote_true^ ; ?participant_1_coordinator.Vote_false^ + ?participant_1_coordinator.Vote_true^ ; ?participant_0_coordinator.Vote_false^) ; [!coordinator_participant_0.Abort^, !coordinator_participant_1.Abort^] + (?participant_0_coordinator.Vote_true^ ; ?participant_1_coordinator.Vote_true^ + ?participant_1_coordinator.Vote_true^ ; ?participant_0_coordinator.Vote_true^) ; [!coordinator_participant_0.Commit^, !coordinator_participant_1.Commit^]) ; (?participant_0_coordinator.Ack^ ; ?participant_1_coordinator.Ack^ + ?participant_1_coordinator.Ack^ ; ?participant_0_coordinator.Ack^)
            no error: 14 configurations 
        "#]],
    );
}

#[test]
fn loops_and_names_that_look_alike() {
    check(
        "message Tick(v: 0..2), Tick_0, Stop;\nrole a, b[0..1];\nprotocol p {\n  loop {\n\
         Tick(any v) from a to b[0]; Tick_0 from a to b[0];\n } \n Stop from a to b[0];\n}",
        &[],
        &expect![[r#"
            b_0
            ((?a_b_0.Tick_0^ + ?a_b_0.Tick_1^) ; ?a_b_0.Tick_0_2^)* ; ?a_b_0.Stop^
            a
            ((!a_b_0.Tick_0^ + !a_b_0.Tick_1^) ; !a_b_0.Tick_0_2^)* ; !a_b_0.Stop^
            no error: 3 configurations 
        "#]],
    );
}

#[test]
fn what_never_ends_has_no_frame() {
    check(
        "message Tick;\nrole a, b;\nprotocol p { repeat forever { Tick from a to b; } }",
        &[],
        &expect![[r#"
            role `b` may go on for ever, and a behavior protocol describes what ends
        "#]],
    );
}
