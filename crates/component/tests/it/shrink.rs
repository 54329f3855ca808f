//! Makes a system that shows a mistake as small as it still shows it: components and parts of protocols
//! are left out as long as that is so.

use expect_test::expect;
use quadrille_component::composition::{Compatibility, Wiring};
use quadrille_component::lint::{check, stops};
use quadrille_component::syntax::{File, Kind, Protocol};

use crate::world::World;

/// The smallest system that still fails, as far as leaving out one thing at a time gets.
pub fn shrink(mut file: File, fails: &mut dyn FnMut(&File) -> bool) -> File {
    while let Some(smaller) = candidates(&file).into_iter().find(|one| fails(one)) {
        file = smaller;
    }
    file
}

/// The same system with one thing left out, the largest things first.
fn candidates(file: &File) -> Vec<File> {
    let mut all = Vec::new();
    for position in 0..file.components.len() {
        let mut less = file.clone();
        less.components.remove(position);
        all.push(less);
    }
    for (position, component) in file.components.iter().enumerate() {
        for protocol in smaller(&component.protocol) {
            let mut less = file.clone();
            less.components[position].protocol = protocol;
            all.push(less);
        }
    }
    // A `throw` may have lost the call that it answers.
    all.retain(|one| !one.components.is_empty() && !check(one, None).iter().any(stops));
    all
}

fn smaller(protocol: &Protocol) -> Vec<Protocol> {
    let mut all = Vec::new();
    if protocol.kind != Kind::Null {
        all.push(Protocol { kind: Kind::Null, span: protocol.span });
    }
    protocol.for_each_part(|part| all.push(part.clone()));
    let mut copy = protocol.clone();
    for position in 0..parts(&mut copy).len() {
        let mut less = protocol.clone();
        if let Kind::Sequence(list) | Kind::Alternative(list) | Kind::Parallel(list) =
            &mut less.kind
            && list.len() > 2
        {
            list.remove(position);
            all.push(less);
        }
        for part in smaller(parts(&mut copy)[position]) {
            let mut less = protocol.clone();
            *parts(&mut less)[position] = part;
            all.push(less);
        }
    }
    all
}

/// The protocols directly inside, as far as random systems have them.
fn parts(protocol: &mut Protocol) -> Vec<&mut Protocol> {
    match &mut protocol.kind {
        Kind::Sequence(list) | Kind::Alternative(list) | Kind::Parallel(list) => {
            list.iter_mut().collect()
        }
        Kind::Repeat(inner) | Kind::Call { body: Some(inner), .. } => vec![inner],
        Kind::Try { body, catches } => {
            let handlers = catches.iter_mut().map(|catch| &mut catch.handler);
            std::iter::once(&mut **body).chain(handlers).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_bad_activity_is_made_small() {
    let text = "A (!x.a ; (!y.b | !x.c)* ; try { !z.d { ?x.e } } catch { ?z.f : !x.g })\n\
                B ?x.a ; (?y.b + ?x.c)* ; ?z.d { !x.e ; NULL + throw !f }\n\
                C (?w.a + NULL)*";
    let mut verdicts = |file: &File| {
        let mut world = World::default();
        world.add(file, None, quadrille_component::automata::Construction::Minimal);
        let (_, errors) = world.compose(&Wiring::all(&world.alphabet));
        errors.verdict() == Compatibility::BadActivity
    };
    let file = crate::read(text);
    assert!(verdicts(&file));
    expect![[r#"
        A
        !x.a
    "#]]
    .assert_eq(&shrink(file, &mut verdicts).to_string());
}
