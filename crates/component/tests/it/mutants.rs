//! Mistakes planted in the example systems: each is found by a shortest trace, or told to be none.

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::{Expect, expect};
use quadrille_component::automata::{Construction, Event, flatten};
use quadrille_component::syntax::{Direction, File, Kind, Phase, Protocol, Token};
use quadrille_workshop::Choices;

use crate::conformance::replay;
use crate::examples::{built, system, wiring};
use crate::oracle::{compare, shared_interfaces};
use crate::world::World;

/// How many per system.
const N_MUTANTS: usize = 12;

/// Mistakes that people make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slip {
    DroppedCall,
    SwappedOrder,
    MissingCatch,
    ExtraEmission,
    EarlyResponse,
    RenamedMethod,
    OnceOnly,
    WrongDirection,
    LostAlternative,
    LostOrder,
    LostThrow,
    NoResponse,
}

const SLIPS: [Slip; 12] = [
    Slip::DroppedCall,
    Slip::SwappedOrder,
    Slip::MissingCatch,
    Slip::ExtraEmission,
    Slip::EarlyResponse,
    Slip::RenamedMethod,
    Slip::OnceOnly,
    Slip::WrongDirection,
    Slip::LostAlternative,
    Slip::LostOrder,
    Slip::LostThrow,
    Slip::NoResponse,
];

impl Slip {
    /// What becomes of this very protocol, if the mistake can be made here.
    fn apply(self, protocol: &Protocol) -> Option<Kind> {
        let span = protocol.span;
        let again = |kind: Kind| Protocol { kind, span };
        let kind = &protocol.kind;
        match (self, kind) {
            (Slip::DroppedCall, Kind::Call { .. } | Kind::Event(_))
            | (Slip::LostThrow, Kind::Throw(_)) => Some(Kind::Null),
            (Slip::SwappedOrder, Kind::Sequence(parts)) => {
                let mut parts = parts.clone();
                parts.swap(0, 1);
                Some(Kind::Sequence(parts))
            }
            (Slip::MissingCatch, Kind::Try { body, catches }) => match &catches[1..] {
                [] => Some(body.kind.clone()),
                rest => Some(Kind::Try { body: body.clone(), catches: rest.to_vec() }),
            },
            (
                Slip::ExtraEmission,
                Kind::Call { direction: Direction::Emit, .. }
                | Kind::Event(Token { direction: Direction::Emit, .. }),
            ) => Some(Kind::Sequence(vec![again(kind.clone()), again(kind.clone())])),
            (Slip::EarlyResponse, Kind::Call { body: Some(body), .. }) if !throws(body) => {
                let mut call = kind.clone();
                if let Kind::Call { body, .. } = &mut call {
                    *body = None;
                }
                Some(Kind::Sequence(vec![again(call), (**body).clone()]))
            }
            (Slip::NoResponse, Kind::Call { direction, path, body, .. })
                if !body.as_ref().is_some_and(|body| throws(body)) =>
            {
                let phase = Phase::Request;
                let token = Token { direction: *direction, path: path.clone(), phase };
                let mut parts = vec![again(Kind::Event(token))];
                parts.extend(body.as_deref().cloned());
                Some(Kind::Sequence(parts))
            }
            (Slip::RenamedMethod, Kind::Call { .. } | Kind::Event(_)) => {
                let mut renamed = kind.clone();
                if let Kind::Call { path, .. } | Kind::Event(Token { path, .. }) = &mut renamed {
                    path.text.push_str("Now");
                }
                Some(renamed)
            }
            (Slip::WrongDirection, Kind::Call { .. } | Kind::Event(_)) => {
                let mut turned = kind.clone();
                if let Kind::Call { direction, .. } | Kind::Event(Token { direction, .. }) =
                    &mut turned
                {
                    *direction = direction.inverse();
                }
                Some(turned)
            }
            (Slip::OnceOnly, Kind::Repeat(inner)) => Some(inner.kind.clone()),
            (Slip::LostAlternative, Kind::Alternative(parts)) => {
                Some(Kind::Alternative(parts[..parts.len() - 1].to_vec()))
            }
            (Slip::LostOrder, Kind::Sequence(parts)) if !parts.iter().any(has_data) => {
                Some(Kind::Parallel(parts.clone()))
            }
            _ => None,
        }
    }
}

fn any(protocol: &Protocol, wanted: impl Fn(&Kind) -> bool) -> bool {
    let mut found = false;
    protocol.walk(&mut |part| found |= wanted(&part.kind));
    found
}

fn throws(protocol: &Protocol) -> bool {
    any(protocol, |kind| matches!(kind, Kind::Throw(_)))
}

fn has_data(protocol: &Protocol) -> bool {
    any(protocol, |kind| {
        matches!(kind, Kind::Assign { .. } | Kind::While { .. } | Kind::Switch { .. })
    })
}

/// A place where a mistake can be made: which component, and which protocol in it, outside first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Site {
    component: usize,
    node: usize,
}

fn sites(file: &File, slip: Slip) -> Vec<Site> {
    let mut sites = Vec::new();
    for (component, of) in file.components.iter().enumerate() {
        let mut node = 0;
        of.protocol.walk(&mut |protocol| {
            if slip.apply(protocol).is_some() {
                sites.push(Site { component, node });
            }
            node += 1;
        });
    }
    sites
}

/// Changes the protocol with this number, outside first; gives what stood there.
fn change(protocol: &mut Protocol, slip: Slip, node: &mut usize) -> Option<Protocol> {
    if *node == 0 {
        let before = protocol.clone();
        protocol.kind = slip.apply(protocol)?;
        return Some(before);
    }
    *node -= 1;
    let mut inside: Vec<&mut Protocol> = Vec::new();
    match &mut protocol.kind {
        Kind::Sequence(parts)
        | Kind::Alternative(parts)
        | Kind::Parallel(parts)
        | Kind::OrParallel(parts) => inside.extend(parts),
        Kind::Repeat(inner)
        | Kind::Restrict(inner, _)
        | Kind::Invert(inner)
        | Kind::While { body: inner, .. }
        | Kind::Call { body: Some(inner), .. } => inside.push(inner),
        Kind::Adjust(left, _, right) => inside.extend([&mut **left, &mut **right]),
        Kind::Try { body, catches } => {
            inside.push(body);
            inside.extend(catches.iter_mut().map(|catch| &mut catch.handler));
        }
        Kind::Switch { cases, default, .. } => {
            inside.extend(cases.iter_mut().map(|case| &mut case.protocol));
            inside.extend(default.as_deref_mut());
        }
        _ => {}
    }
    inside.into_iter().find_map(|part| change(part, slip, node))
}

/// Places for so many mistakes, of all kinds in turn, at random.
fn plan(file: &File, seed: u64) -> Vec<(Slip, Site)> {
    let mut choices = Choices::seeded(seed);
    let mut open: Vec<(Slip, Vec<Site>)> =
        SLIPS.iter().map(|&slip| (slip, sites(file, slip))).collect();
    let mut chosen = Vec::new();
    while chosen.len() < N_MUTANTS {
        assert!(open.iter().any(|(_, sites)| !sites.is_empty()), "too few places for mistakes");
        for (slip, sites) in open.iter_mut().filter(|(_, sites)| !sites.is_empty()) {
            let site = sites.swap_remove(choices.below(sites.len()));
            chosen.push((*slip, site));
        }
    }
    chosen.truncate(N_MUTANTS);
    chosen
}

fn short(protocol: &Protocol) -> String {
    let text = protocol.to_string();
    if text.chars().count() <= 40 {
        return text;
    }
    text.chars().take(39).chain(['…']).collect()
}

/// Checks one mutant and says in a line what it is.
fn verdict(original: &World, bound: &BTreeSet<String>, mutant: &File, component: usize) -> String {
    let mut world = World { alphabet: original.alphabet.clone(), units: Vec::new() };
    world.add(mutant, None, Construction::Minimal);
    let (composition, errors) = world.compose(&wiring(bound));
    // The oracle need not look further than the error, unless that is infinite activity.
    let near = errors.bad.first().or(errors.no_activity.as_ref());
    let within = near.map_or(usize::MAX, |path| path.tokens(&composition).len() - 1);
    let is_bound = |event: &Event| bound.contains(event.interface());
    compare(&world, is_bound, (&composition, &errors), within, &mutant.to_string());
    replay(&composition, &errors);
    let Some(path) = errors.first() else {
        let flat = |world: &World| flatten(&world.units[component].dfa).expect("small");
        let same = flat(original) == flat(&world);
        return if same { "the same language" } else { "other, but no error here" }.to_owned();
    };
    let tokens = path.tokens(&composition);
    let (error, before) = tokens.split_last().expect("an error token");
    format!("{}, {error} after {}", errors.verdict(), before.len())
}

/// What becomes of the mutants of a system.
fn check(name: &str, expected: &Expect) {
    let file = system(name);
    let original = built(&file);
    let bound = shared_interfaces(&original);
    let mut told = String::new();
    for (slip, site) in plan(&file, 1) {
        let mut mutant = file.clone();
        let component = &mut mutant.components[site.component];
        let before = change(&mut component.protocol, slip, &mut { site.node }).expect("a site");
        let place = format!("{slip:?} {} `{}`", component.name.text, short(&before));
        let verdict = verdict(&original, &bound, &mutant, site.component);
        writeln!(told, "{place}: {verdict}").expect("text");
    }
    expected.assert_eq(&told);
}

#[test]
fn airport() {
    check(
        "airport",
        &expect![[r#"
            DroppedCall Arbitrator `?Login.withAccount { try { !AccountAuth…`: other, but no error here
            SwappedOrder ValidityChecker `!Custom.fillFromMiles ; !Timer.setForMi…`: other, but no error here
            MissingCatch Arbitrator `try { !AccountAuth.login ; !Firewall.op…`: bad activity, ε!AccountAuth.Refused$ after 10
            ExtraEmission AccountDb `!Card.withdraw`: other, but no error here
            EarlyResponse ValidityChecker `?Token.issueForAccount { !Custom.fillFr…`: bad activity, ε!Token.issueForAccount^ after 18
            RenamedMethod FrequentFlyerDb `?MilesAuth.login { !Token.issueForMiles…`: bad activity, ε!MilesAuth.login^ after 9
            OnceOnly AccountDb `?Account.settleAfterLogout*`: bad activity, ε!Account.settleAfterLogout^ after 27
            WrongDirection ValidityChecker `?TokenSetup.start { !TimerSetup.start }`: bad activity, ε!TokenSetup.start^ after 0
            LostAlternative Arbitrator `?Login.whoAmI + ?Login.withTicket { try…`: other, but no error here
            LostOrder Arbitrator `!AccountAuth.login ; !Firewall.openForA…`: bad activity, ε!Firewall.openForAccount$ after 12
            LostThrow AccountDb `throw !Refused`: other, but no error here
            NoResponse CustomToken `?Custom.fillFromTicket`: infinite activity, ε∞ after 11
        "#]],
    );
}

#[test]
fn tickets() {
    check(
        "tickets",
        &expect![[r#"
        DroppedCall Desk `!Pay.open`: bad activity, ε!Pay.close^ after 11
        SwappedOrder Desk `!Seats.free ; !Pay.refund ; !Journal.re…`: other, but no error here
        MissingCatch Desk `try { !Seats.hold ; !Pay.check ; !Pay.c…`: bad activity, ε!Seats.NotHeld$ after 12
        ExtraEmission Desk `!Seats.open`: bad activity, ε!Seats.open^ after 7
        EarlyResponse Desk `?Desk.giveBack { try { !Seats.free ; !P…`: bad activity, ε!Desk.buy^ after 10
        RenamedMethod Operator `?Operator.ask`: bad activity, ε!Operator.ask^ after 18
        OnceOnly BlackList `?BlackList.look { NULL + throw !Stale }*`: bad activity, ε!BlackList.look^ after 30
        WrongDirection Disk `?Disk.read { NULL + throw !Failed }`: bad activity, ε!Disk.read^ after 6
        LostAlternative Customer `try { !Desk.buy } catch { ?Desk.Offline…`: other, but no error here
        LostOrder Desk `!Seats.letGo ; !Pay.refund ; !Journal.r…`: other, but no error here
        LostThrow Pay `throw !Offline`: other, but no error here
        NoResponse Seats `?Seats.open { !Disk.open }`: no activity, ε∅ after 6
    "#]],
    );
}

#[test]
fn philosophers() {
    check(
        "philosophers",
        &expect![[r#"
        DroppedCall Philosopher1 `?l1.grant^`: bad activity, ε!l1.grant^ after 1
        SwappedOrder Fork4 `!r3.grant^ ; ?r3.put^`: no activity, ε∅ after 10
        ExtraEmission Fork4 `!l4.grant^`: bad activity, ε!l4.put^ after 5
        RenamedMethod Philosopher2 `!r2.put^`: bad activity, ε!r2.putNow^ after 5
        OnceOnly Fork2 `(!l2.grant^ ; ?l2.put^ + !r1.grant^ ; ?…`: infinite activity, ε∞ after 2
        WrongDirection Philosopher1 `!l1.ask^`: other, but no error here
        LostAlternative Fork2 `!l2.grant^ ; ?l2.put^ + !r1.grant^ ; ?r…`: infinite activity, ε∞ after 1
        LostOrder Fork3 `?r2.ask^ ; !r2.grant^ ; ?r2.put^`: bad activity, ε!r2.grant^ after 0
        DroppedCall Fork2 `?l2.put^`: bad activity, ε!l2.put^ after 4
        SwappedOrder Fork3 `!r2.grant^ ; ?r2.put^`: infinite activity, ε∞ after 1
        ExtraEmission Fork3 `!r2.grant^`: bad activity, ε!r2.put^ after 5
        RenamedMethod Philosopher3 `!l3.put^`: bad activity, ε!l3.putNow^ after 4
    "#]],
    );
}

#[test]
fn chain() {
    check(
        "chain",
        &expect![[r#"
        DroppedCall Cell1 `!c2.put`: no activity, ε∅ after 16
        SwappedOrder Consumer `!c5.room ; ?c5.put`: no activity, ε∅ after 40
        ExtraEmission Producer `!c1.put`: bad activity, ε!c1.put^ after 4
        RenamedMethod Cell4 `?c4.put`: bad activity, ε!c4.put^ after 14
        OnceOnly Cell3 `((!c3.room ; ?c3.put | ?c4.room) ; !c4.…`: bad activity, ε!c4.room^ after 20
        WrongDirection Cell2 `?c3.room`: bad activity, ε!c3.room^ after 0
        LostOrder Cell3 `(!c3.room ; ?c3.put | ?c4.room) ; !c4.p…`: bad activity, ε!c4.put^ after 0
        NoResponse Cell3 `!c4.put`: bad activity, ε!c4.put$ after 15
        DroppedCall Cell2 `?c3.room`: bad activity, ε!c3.room^ after 0
        SwappedOrder Cell1 `(!c1.room ; ?c1.put | ?c2.room) ; !c2.p…`: bad activity, ε!c2.put^ after 0
        ExtraEmission Cell3 `!c4.put`: bad activity, ε!c4.put^ after 16
        RenamedMethod Cell1 `?c2.room`: bad activity, ε!c2.room^ after 0
    "#]],
    );
}

#[test]
fn handshakes() {
    check(
        "handshakes",
        &expect![[r#"
        DroppedCall Callee3 `?p3.thanks^`: bad activity, ε!p3.thanks^ after 2
        SwappedOrder Callee4 `?p4.hello^ ; !p4.welcome^ ; ?p4.thanks^`: bad activity, ε!p4.hello^ after 0
        ExtraEmission Caller3 `!p3.hello^`: bad activity, ε!p3.hello^ after 1
        RenamedMethod Callee2 `?p2.thanks^`: bad activity, ε!p2.thanks^ after 2
        OnceOnly Callee5 `(?p5.hello^ ; !p5.welcome^ ; ?p5.thanks…`: bad activity, ε!p5.hello^ after 3
        WrongDirection Caller6 `!p6.thanks^`: infinite activity, ε∞ after 1
        LostOrder Callee3 `?p3.hello^ ; !p3.welcome^ ; ?p3.thanks^`: bad activity, ε!p3.welcome^ after 0
        DroppedCall Callee5 `?p5.thanks^`: bad activity, ε!p5.thanks^ after 2
        SwappedOrder Caller1 `!p1.hello^ ; ?p1.welcome^ ; !p1.thanks^`: other, but no error here
        ExtraEmission Caller4 `!p4.thanks^`: bad activity, ε!p4.thanks^ after 3
        RenamedMethod Callee8 `?p8.thanks^`: bad activity, ε!p8.thanks^ after 2
        OnceOnly Caller6 `(!p6.hello^ ; ?p6.welcome^ ; !p6.thanks…`: other, but no error here
    "#]],
    );
}

#[test]
fn payment() {
    check(
        "payment",
        &expect![[r#"
        DroppedCall Shop `!Status.ask`: other, but no error here
        SwappedOrder CircuitBreaker `!Bank.transfer ; circuit <- CLOSED`: the same language
        MissingCatch Shop `try { !Payments.charge } catch { ?Payme…`: bad activity, ε!Payments.Unavailable$ after 11
        ExtraEmission CircuitBreaker `!Bank.transfer`: other, but no error here
        EarlyResponse StatusService `?Status.ask { !Keys.look }`: bad activity, ε!Status.ask^ after 2
        RenamedMethod Bank `?Bank.transfer { NULL + throw !TimedOut…`: bad activity, ε!Bank.transfer^ after 4
        OnceOnly KeyStore `?Keys.look*`: bad activity, ε!Keys.look^ after 5
        WrongDirection KeyStore `?Keys.keep`: bad activity, ε!Keys.keep^ after 3
        LostAlternative KeyStore `?Keys.claim { throw !Known } + ?Keys.cl…`: other, but no error here
        LostOrder PaymentService `!Keys.drop ; throw !Unavailable`: bad activity, ε!Keys.drop$ after 11
        LostThrow CircuitBreaker `throw !TimedOut`: other, but no error here
        NoResponse PaymentService `!Keys.claim`: bad activity, ε!Keys.Known$ after 2
    "#]],
    );
}
