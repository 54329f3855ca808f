//! Architectures: reading, what is wrong with them, compliance, substitution.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use quadrille_component::architecture::{
    self, Architecture, Compliance, Frame, assemble, codes, compliances, load, substitution,
};
use quadrille_component::assembly::Assembly;
use quadrille_component::composition::{Composition, CompositionErrors};
use quadrille_component::syntax;
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Limits, unobserved};
use quadrille_query::composition_errors;

/// Reads an architecture; `file` is what every file holds that it refers to.
pub fn loaded(text: &str, file: &str) -> (Architecture, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let id = sources.add("in.arch", text);
    let mut read = |path: &str| {
        let source = sources.add(path, file);
        Ok((source, file.to_owned()))
    };
    let (system, diagnostics) = load(id, text, &mut read);
    (system, diagnostics, sources)
}

pub fn judged(assembly: &Assembly) -> (Composition, CompositionErrors) {
    let composition = assembly.compose().expect("composable");
    let errors =
        composition_errors(&composition, Limits::default(), &mut unobserved).expect("no limit");
    (composition, errors)
}

/// What is wrong with a text.
fn check_mistakes(text: &str, expected: &Expect) {
    let (_, diagnostics, sources) = loaded(text, "");
    expected.assert_eq(&crate::rendered(&sources, &diagnostics));
}

/// A verdict per composite, and every error with its places.
fn check_compliance(text: &str, expected: &Expect) {
    let (system, diagnostics, sources) = loaded(text, "");
    assert!(
        !diagnostics.iter().any(Diagnostic::is_error),
        "{}",
        crate::rendered(&sources, &diagnostics)
    );
    let mut told = String::new();
    for (composite, compliance) in compliances(&system) {
        let assembly = assemble(&system, composite, compliance).expect("small");
        let (composition, errors) = judged(&assembly);
        let name = &system.component(composite).name.text;
        let (verdict, n_states) = (errors.verdict(), errors.configurations);
        let _ = writeln!(told, "{name} {compliance}: {verdict}, {n_states} configurations");
        for path in errors.all() {
            let _ = writeln!(told, "{}", path.tokens(&composition).join(" ; "));
            told += &crate::rendered(&sources, &[assembly.explain(&composition, path)]);
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn a_text_is_printed_as_it_is_read() {
    let text = "types { Mode = { IDLE, BUSY } }\n\
                interface Desk { ask throws Busy, Closed; leave }\n\
                component Clerk {\n  provides Desk\n  protocol vars { Mode m = IDLE } { ?Desk.ask* ; m <- BUSY }\n}\n\
                component Client {\n  requires Counter : Desk\n  protocol Client in \"parts/client.bp\"\n}\n\
                component Office {\n  provides Desk\n  contains clerk : Clerk\n  contains Client\n  \
                bind Client.Counter to clerk.Desk\n  delegate Desk to clerk.Desk\n  subsume Client.Log to Log\n  \
                external Client.Log\n  protocol in \"office.bp\"\n}\n";
    let mut sources = Sources::default();
    let id = sources.add("in.arch", text);
    let (file, diagnostics) = architecture::parse(id, text);
    assert_eq!(crate::rendered(&sources, &diagnostics), "");
    assert_eq!(file.to_string(), text);
    let (again, _) = architecture::parse(id, &file.to_string());
    assert_eq!(again, file);
}

#[test]
fn mistakes_in_the_text() {
    check_mistakes(
        "interface Desk { ask\ncomponent Clerk { provides Desk protocol { (?Desk.ask }\n\
         component Office { contains : Clerk bind clerk to it.Desk gibberish 17 }\nnonsense",
        &expect![[r#"
            error[C001]: expected `}`
             --> in.arch:2:1
              |
            1 | interface Desk { ask
              |                - opened here
            2 | component Clerk { provides Desk protocol { (?Desk.ask }
              | ^^^^^^^^^ found `component`
              |
              = help: every bracket that is opened must be closed
            error[C001]: expected `)`
             --> in.arch:2:55
              |
            2 | component Clerk { provides Desk protocol { (?Desk.ask }
              |                                            -          ^ found `}`
              |                                            |
              |                                            opened here
              |
              = help: every bracket that is opened must be closed
            error[C001]: expected `}`
             --> in.arch:3:1
              |
            2 | component Clerk { provides Desk protocol { (?Desk.ask }
              |                 - opened here
            3 | component Office { contains : Clerk bind clerk to it.Desk gibberish 17 }
              | ^^^^^^^^^ found `component`
              |
              = help: every bracket that is opened must be closed
            error[C001]: expected the name of a part
             --> in.arch:3:29
              |
            3 | component Office { contains : Clerk bind clerk to it.Desk gibberish 17 }
              |                             ^ found `:`
              |
              = help: write `contains visa : Bank`
            error[C001]: expected a part and its interface
             --> in.arch:3:42
              |
            3 | component Office { contains : Clerk bind clerk to it.Desk gibberish 17 }
              |                                          ^^^^^ found `clerk`
              |
              = help: write `bind tickets.Card to visa.Card`
            error[C001]: expected a line of a component
             --> in.arch:3:59
              |
            3 | component Office { contains : Clerk bind clerk to it.Desk gibberish 17 }
              |                                                           ^^^^^^^^^ found `gibberish`
              |
              = help: a component has lines such as `provides Card : ICard`, `requires Log`, `contains visa : Bank`, `bind a.Log to b.Log`, `protocol { … }`
            error[C001]: expected `interface` or `component`
             --> in.arch:4:1
              |
            4 | nonsense
              | ^^^^^^^^ found `nonsense`
              |
              = help: a file describes interfaces and components
        "#]],
    );
}

#[test]
fn mistakes_in_bindings() {
    check_mistakes(
        "interface Desk { ask }\n\
         component Clerk { provides Desk protocol { ?Desk.ask* } }\n\
         component Client { requires Desk protocol { !Desk.ask } }\n\
         component Office {\n  contains client : Client\n  contains one : Clerk\n  contains two : Clerk\n  \
         bind client.Desk to one.Desk\n  bind client.Desk to two.Desk\n  bind client.Dek to one.Desk\n  \
         bind customer.Desk to one.Desk\n  bind one.Desk to client.Desk\n}",
        &expect![[r#"
            error[S001]: `client` has no interface `Dek`
              --> in.arch:10:8
               |
            10 |   bind client.Dek to one.Desk
               |        ^^^^^^^^^^
               |
               = help: did you mean `Desk`?
            error[S002]: `Office` has no part `customer`
              --> in.arch:11:8
               |
            11 |   bind customer.Desk to one.Desk
               |        ^^^^^^^^^^^^^
               |
               = help: there is `client`, `one`, `two`
            error[S004]: `Desk` is provided; a required interface belongs here
              --> in.arch:12:8
               |
             2 | component Clerk { provides Desk protocol { ?Desk.ask* } }
               |                            ---- declared here
            ...
            12 |   bind one.Desk to client.Desk
               |        ^^^^^^^^
               |
               = help: `bind` and `subsume` start at what a part requires; `bind` and `delegate` end at what a part provides
            error[S004]: `Desk` is required; a provided interface belongs here
              --> in.arch:12:20
               |
             3 | component Client { requires Desk protocol { !Desk.ask } }
               |                             ---- declared here
            ...
            12 |   bind one.Desk to client.Desk
               |                    ^^^^^^^^^^^
               |
               = help: `bind` and `subsume` start at what a part requires; `bind` and `delegate` end at what a part provides
            error[S003]: `client.Desk` would have two providers: `one.Desk` and `two.Desk`
             --> in.arch:9:8
              |
            8 |   bind client.Desk to one.Desk
              |        ----------------------- first here
            9 |   bind client.Desk to two.Desk
              |        ^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: leave one of them out
        "#]],
    );
}

#[test]
fn circles_are_found_once_each() {
    check_mistakes(
        "component A { contains b : B }\ncomponent B { contains c : C contains d : D }\n\
         component C { contains a : A }\ncomponent D { contains d : D }",
        &expect![[r#"
            error[S007]: `A` contains itself
             --> in.arch:1:24
              |
            1 | component A { contains b : B }
              |                        ^ `A` contains `B`
            2 | component B { contains c : C contains d : D }
              |                        - `B` contains `C`
            3 | component C { contains a : A }
              |                        - `C` contains `A`
              |
              = help: take one of the parts out
            error[S007]: `D` contains itself
             --> in.arch:4:24
              |
            4 | component D { contains d : D }
              |                        ^ `D` contains `D`
              |
              = help: take one of the parts out
        "#]],
    );
}

#[test]
fn mistakes_in_protocols() {
    check_mistakes(
        "interface Desk { ask throws Busy; leave }\n\
         component Clerk {\n  provides Desk\n  protocol {\n    ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go\n  }\n}",
        &expect![[r#"
            error[S006]: `Desk` declares no exception `Closed`
             --> in.arch:5:24
              |
            1 | interface Desk { ask throws Busy; leave }
              |           ---- declared here
            ...
            5 |     ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go
              |                        ^^^^^^
              |
              = help: there is `Busy`
            error[S005]: `Desk` declares no method `aks`
             --> in.arch:5:36
              |
            1 | interface Desk { ask throws Busy; leave }
              |           ---- declared here
            ...
            5 |     ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go
              |                                    ^^^^^^^^
              |
              = help: did you mean `ask`?
            error[S001]: `Clerk` has no interface `Dsk`
             --> in.arch:5:48
              |
            5 |     ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go
              |                                                ^^^^^^^
              |
              = help: did you mean `Desk`?
            error[S004]: `Clerk` provides `Desk` and calls it
             --> in.arch:5:59
              |
            3 |   provides Desk
              |            ---- declared here
            4 |   protocol {
            5 |     ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go
              |                                                           ^^^^^^^^^^
              |
              = help: calls go out on required interfaces and come in on provided ones
            error[S001]: `go` is on no interface
             --> in.arch:5:73
              |
            5 |     ?Desk.ask { throw !Closed } ; ?Desk.aks ; ?Dsk.ask ; !Desk.leave ; ?go
              |                                                                         ^^
              |
              = help: there is `Desk`
        "#]],
    );
}

/// Two clients of one kind, each with a clerk of its own, inside a house with a frame.
const HOUSE: &str = "interface Desk { ask throws Busy; leave }\n\
    interface Log { write }\n\
    component Clerk {\n  provides Desk\n  requires Log\n  protocol {\n    ?Desk.ask { !Log.write ; (NULL + throw !Busy) } ; ?Desk.leave\n  }\n}\n\
    component Client {\n  requires Counter : Desk\n  protocol {\n    try { !Counter.ask } catch { ?Counter.Busy : NULL } ; !Counter.leave\n  }\n}\n\
    component Office {\n  requires Log\n  contains one : Client\n  contains two : Client\n  contains left : Clerk\n  contains right : Clerk\n  \
    bind one.Counter to left.Desk\n  bind two.Counter to right.Desk\n  subsume left.Log to Log\n  subsume right.Log to Log\n  \
    protocol { !Log.write | !Log.write }\n}\n\
    component Archive { provides Log protocol { ?Log.write* | ?Log.write* } }\n\
    component House {\n  contains office : Office\n  contains archive : Archive\n  bind office.Log to archive.Log\n}\n";

#[test]
fn a_nested_architecture_is_checked_bottom_up() {
    check_compliance(
        HOUSE,
        &expect![[r#"
            Office horizontal: no error, 49 configurations
            Office vertical: no error, 77 configurations
            House horizontal: no error, 13 configurations
        "#]],
    );
}

#[test]
fn errors_name_component_method_and_line() {
    let text = HOUSE.replace("?Log.write* | ?Log.write* }", "?Log.write }");
    let text = text.replace("!Log.write | !Log.write", "!Log.write");
    check_compliance(
        &text,
        &expect![[r#"
            Office horizontal: no error, 49 configurations
            Office vertical: bad activity, 24 configurations
            τleft.Desk.ask^ ; τLog.write^ ; τright.Desk.ask^ ; ε!Log.write^
            error[S020]: `right` calls `Log.write`, and no component accepts it
              --> in.arch:7:18
               |
             7 |     ?Desk.ask { !Log.write ; (NULL + throw !Busy) } ; ?Desk.leave
               |                  ^^^^^^^^^ `right` calls it here
            ...
            26 |   protocol { !Log.write }
               |               --------- `environment` accepts it here, but not at this moment
               |
               = note: `environment` is ready for !Log.write$
            House horizontal: no error, 3 configurations
        "#]],
    );
}

#[test]
fn deadlocked_components_are_named() {
    check_compliance(
        "interface Desk { ask }\ninterface Call { next }\n\
         component Clerk { provides Desk requires Call protocol { ?Desk.ask ; !Call.next } }\n\
         component Client { provides Call requires Desk protocol { ?Call.next ; !Desk.ask } }\n\
         component Office {\n  contains clerk : Clerk\n  contains client : Client\n  \
         bind client.Desk to clerk.Desk\n  bind clerk.Call to client.Call\n}",
        &expect![[r#"
            Office horizontal: no activity, 1 configurations
            ε∅
            error[S021]: no component can continue, and `clerk`, `client` have not finished
             --> in.arch:3:59
              |
            3 | component Clerk { provides Desk requires Call protocol { ?Desk.ask ; !Call.next } }
              |                                                           ^^^^^^^^ `clerk` waits for `Desk.ask^`
            4 | component Client { provides Call requires Desk protocol { ?Call.next ; !Desk.ask } }
              |                                                            --------- `client` waits for `Call.next^`
              |
              = note: `clerk` is ready for ?Desk.ask^
              = note: `client` is ready for ?Call.next^
        "#]],
    );
}

#[test]
fn a_component_may_take_the_place_of_another() {
    let (system, _, _) = loaded(HOUSE, "");
    let archive = system.find("Archive").expect("it is there");
    let check = |protocol: &str, expected: &Expect| {
        let mut file = crate::read(&format!("Archive\n{protocol}"));
        let frame = Frame { types: Vec::new(), component: file.components.remove(0) };
        let (anywhere, here) = answers(&system, archive, &frame);
        expected.assert_eq(&format!("anywhere: {anywhere}; here: {here}"));
    };
    let (both, neither) = ("?Log.write* | ?Log.write* | ?Log.write*", "?Log.write");
    check(both, &expect!["anywhere: no error; here: no error"]);
    check("?Log.write | ?Log.write", &expect!["anywhere: bad activity; here: no error"]);
    check(neither, &expect!["anywhere: bad activity; here: bad activity"]);
}

fn answers(
    system: &Architecture,
    old: architecture::ComponentId,
    frame: &Frame,
) -> (String, String) {
    let assembly = substitution(system, old, frame).expect("a frame").expect("small");
    let anywhere = judged(&assembly).1.verdict().to_string();
    let (changed, diagnostics) = system.substituted(old, frame);
    assert_eq!(diagnostics, []);
    let mut here = Vec::new();
    for container in changed.containers(old) {
        let assembly = assemble(&changed, container, Compliance::Horizontal).expect("small");
        here.push(judged(&assembly).1.verdict().to_string());
    }
    (anywhere, here.join(", "))
}

/// The example of every manual page reports what the page is about.
#[test]
fn pages_have_examples_that_report_them() {
    for code in codes::ALL {
        let page = code.lines.join("\n");
        let Some((_, example)) = page.split_once("```arch\n") else {
            assert_eq!(code.id, "S013", "{} has no example", code.id);
            continue;
        };
        let example = example.split("```").next().expect("a piece");
        let (system, mut diagnostics, _) = loaded(example, "");
        if diagnostics.is_empty() {
            for (composite, compliance) in compliances(&system) {
                let assembly = assemble(&system, composite, compliance).expect("small");
                let (composition, errors) = judged(&assembly);
                diagnostics.extend(errors.first().map(|path| assembly.explain(&composition, path)));
            }
        }
        let found: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
        assert_eq!(found, [code.id]);
    }
}

#[test]
fn any_text_is_read_without_a_crash() {
    let pieces = [
        "interface",
        "component",
        "provides",
        "requires",
        "contains",
        "bind",
        "delegate",
        "subsume",
        "external",
        "protocol",
        "to",
        "in",
        "throws",
        "A",
        "B",
        "A.B",
        "B.A",
        "{",
        "}",
        "(",
        ")",
        ":",
        ";",
        ",",
        "?A.m",
        "!B.m",
        "throw !e",
        "\"x.bp\"",
        "\"",
        "vars",
        "types",
        "=",
        "*",
        "\n",
        "é",
    ];
    quadrille_workshop::check(2000, |choices| {
        let text = HOUSE[..choices.below(HOUSE.len() + 1)].to_owned()
            + &choices.list(0, 24, |choices| choices.pick(&pieces)).join(" ");
        let (system, diagnostics, sources) = loaded(&text, "A ?A.m");
        crate::rendered(&sources, &diagnostics);
        if !diagnostics.iter().any(Diagnostic::is_error) {
            for (composite, compliance) in compliances(&system) {
                assemble(&system, composite, compliance).expect("small");
            }
        }
        let mut sources = Sources::default();
        let id = sources.add("in.arch", &text[..]);
        let (file, errors) = architecture::parse(id, &text);
        if errors.is_empty() {
            let printed = file.to_string();
            let again = architecture::parse(id, &printed).0.to_string();
            assert_eq!(again, printed);
        }
    });
}

#[test]
fn long_chains_and_circles_do_not_overflow_the_stack() {
    let mut text = String::new();
    for number in 0..5000 {
        text += &format!("component C{number} {{ contains inner : C{} }}\n", number + 1);
    }
    let open = text.clone() + "component C5000 { protocol { NULL } }";
    let (system, _, _) = loaded(&open, "");
    assert_eq!(system.bottom_up().len(), 5001);
    let (_, diagnostics, _) = loaded(&(text + "component C5000 { contains inner : C0 }"), "");
    let circles = diagnostics.iter().filter(|diagnostic| diagnostic.code.id == "S007").count();
    assert_eq!(circles, 1);
}

#[test]
fn protocols_may_be_in_files_of_their_own() {
    let text = "interface Desk { ask }\n\
                component Clerk { provides Desk protocol Official in \"clerk.bp\" }\n\
                component Other { provides Desk protocol in \"clerk.bp\" }";
    let (system, diagnostics, sources) = loaded(text, "Official ?Desk.ask*\n");
    let clerk = system.component(system.find("Clerk").expect("it is there"));
    let frame: &syntax::Component = &clerk.frame.as_ref().expect("a protocol").component;
    assert_eq!(frame.to_string(), "Clerk\n?Desk.ask*");
    expect![[r#"
        error[S002]: `clerk.bp` has no component `Other`
         --> in.arch:3:45
          |
        3 | component Other { provides Desk protocol in "clerk.bp" }
          |                                             ^^^^^^^^^^
          |
          = help: there is `Official`
    "#]]
    .assert_eq(&crate::rendered(&sources, &diagnostics));
}
