//! Reading nets and formulas: what is read, and what is said of what is not.

mod coloured;

use quadrille_diagnostic::{Diagnostic, SourceId};
use quadrille_petri::{
    Asked, Formula, Kind, Net, PlaceId, bounds, codes, read_pnml, read_properties, semiflows,
    unbounded,
};

const SOURCE: SourceId = SourceId::new(0);

fn net(body: &str) -> (Option<Net>, Vec<Diagnostic>) {
    let text = format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
         type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">{body}</page></net></pnml>"
    );
    read_pnml(SOURCE, &text)
}

const SMALL: &str = "<place id='p &amp; q'><initialMarking><text> 2 </text></initialMarking></place>\
    <!-- a comment with <place/> in it --><page id='inner'><place id='r'><graphics><position x='1' y='2'/>\
    </graphics></place></page><transition id='t'><name><text>name</text></name></transition>\
    <arc id='a' source='p &amp; q' target='t'><inscription><text>2</text></inscription></arc>\
    <arc id='b' source='t' target='r'/>\
    <toolspecific tool='nupn' version='1.1'><size places='2' transitions='1' arcs='2'/>\
    <structure units='2' root='u' safe='false'><unit id='u'><places>r</places><subunits>v</subunits></unit>\
    <unit id='v'><places>p</places><subunits/></unit></structure></toolspecific>";

#[test]
fn weights_pages_entities_and_units_are_read() {
    let body = SMALL.replace("<places>p</places>", "<places></places>");
    let (net, problems) = net(&body);
    assert_eq!(problems, []);
    let net = net.expect("a net");
    assert_eq!(net.places, ["p & q", "r"]);
    assert_eq!(net.initial, [2, 0]);
    let [transition] = &net.transitions[..] else { panic!("one transition") };
    assert_eq!(transition.take, [(PlaceId::from_usize(0), 2)]);
    assert_eq!(transition.put, [(PlaceId::from_usize(1), 1)]);
    assert_eq!(net.units.len(), 2);
    assert_eq!(net.units[0].parts, [1]);
    assert!(!net.says_safe);
}

/// What other tools write, and what XML allows.
#[test]
fn reference_nodes_core_models_and_unusual_xml_are_read() {
    let text = "\u{feff}<?xml version='1.0' standalone='yes'?><!DOCTYPE pnml [<!ENTITY x 'y'>]>\
        <p:pnml xmlns:p='http://www.pnml.org/version-2009/grammar/pnml'><p:net id='n&amp;1'\
        type='http://www.pnml.org/version-2009/grammar/pnmlcoremodel'><p:page id='g'>\
        <p:place id='a b'><p:initialMarking><p:text>\n <![CDATA[ 2 ]]>\n</p:text></p:initialMarking></p:place>\
        <p:place id='c&#x2e;d'><p:initialMarking><p:text>&#49;<!-- eleven -->1</p:text></p:initialMarking></p:place>\
        <p:place id='e'><p:initialMarking><p:text> </p:text></p:initialMarking></p:place>\
        <p:transition id='t'/></p:page><p:page id='h'>\
        <p:referencePlace id='far' ref='near'/><p:referencePlace id='near' ref='a b'/>\
        <p:referenceTransition id='u' ref='t'/>\
        <p:arc id='x' source='far' target='u'><p:type><p:text> normal </p:text></p:type></p:arc>\
        <p:arc id='y' source='t' target='c.d'><p:inscription/></p:arc></p:page></p:net>\
        <p:finalmarkings><p:marking><p:place idref='e'><p:text>1</p:text></p:place></p:marking>\
        </p:finalmarkings></p:pnml>";
    let (net, problems) = read_pnml(SOURCE, text);
    assert_eq!(problems, []);
    let net = net.expect("a net");
    assert_eq!(net.places, ["a b", "c.d", "e"]);
    assert_eq!(net.initial, [2, 11, 0]);
    let [transition] = &net.transitions[..] else { panic!("one transition") };
    assert_eq!(transition.take, [(PlaceId::from_usize(0), 1)]);
    assert_eq!(transition.put, [(PlaceId::from_usize(1), 1)]);
}

#[test]
fn mistakes_have_their_codes() {
    let code = |body: &str| {
        let (net, problems) = net(body);
        assert!(net.is_none(), "{body}");
        assert!(problems.iter().all(|problem| !problem.labels.is_empty()), "{problems:?}");
        problems.iter().map(|problem| problem.code.id).collect::<Vec<_>>()
    };
    assert_eq!(code("<place id='p'>"), ["X001"]);
    assert_eq!(code("<place id=p/>"), ["X001"]);
    assert_eq!(code("<place id='&what;'/>"), ["X001"]);
    assert_eq!(code("<place id='p'/><transition id='p'/>"), ["X003"]);
    assert_eq!(code("<place/>"), ["X003"]);
    let weight = |text: &str| {
        code(&format!(
            "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'><inscription>\
             <text>{text}</text></inscription></arc>"
        ))
    };
    assert_eq!(weight("0"), ["X004"]);
    assert_eq!(weight("x"), ["X004"]);
    assert_eq!(weight("4294967296"), ["X004"]);
    assert_eq!(code("<place id='p'/><place id='q'/><arc id='a' source='p' target='q'/>"), ["X005"]);
    assert_eq!(code(SMALL), ["X005"]);
    assert_eq!(code("<referencePlace id='p' ref='q'/>"), ["X005"]);
    assert_eq!(code("<place id='q'/><referenceTransition id='p' ref='q'/>"), ["X005"]);
    assert_eq!(
        code("<referencePlace id='p' ref='q'/><referencePlace id='q' ref='p'/>"),
        ["X005"; 2]
    );
    let arc = |attribute: &str, inner: &str| {
        code(&format!(
            "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t' {attribute}>{inner}</arc>"
        ))
    };
    assert_eq!(arc("", "<type value='inhibitor'/>"), ["X006"]);
    assert_eq!(arc("", "<type><text>inhibitor</text></type>"), ["X006"]);
    assert_eq!(arc("", "<type>reset</type>"), ["X006"]);
    assert_eq!(arc("type='test'", ""), ["X006"]);
}

#[test]
fn pages_of_codes_report_their_code() {
    for code in codes::ALL {
        let page = code.page();
        let example = |fence: &str| {
            let from = page.find(fence)? + fence.len();
            page[from..].split("```").next().map(str::to_owned)
        };
        let problems = match (example("```pnml\n"), example("```xml\n")) {
            (Some(text), _) => {
                let (net, problems) = read_pnml(SOURCE, &text);
                let grows =
                    net.and_then(|net| unbounded(SOURCE, &net, &bounds(&net, &semiflows(&net))));
                problems.into_iter().chain(grows.map(|it| it.1)).collect()
            }
            (None, Some(text)) => read_properties(SOURCE, &text, &Net::default()).1,
            (None, None) => panic!("{} has no example", code.id),
        };
        let found: Vec<&str> = problems.iter().map(|problem| problem.code.id).collect();
        assert!(found.contains(&code.id), "{}: {found:?}", code.id);
    }
}

#[test]
fn formulas_are_read_and_bad_ones_are_left_out() {
    let body = SMALL.replace("<places>p</places>", "<places></places>");
    let net = net(&body).0.expect("a net");
    let property = |id: &str, formula: &str| {
        format!(
            "<property><id>{id}</id><description>d</description><formula>{formula}</formula></property>"
        )
    };
    let tokens = "<tokens-count><place>p &amp; q</place><place>r</place></tokens-count>";
    let text = format!(
        "<property-set>{}{}{}{}{}</property-set>",
        property(
            "reach",
            &format!(
                "<exists-path><finally><integer-le>{tokens}<integer-constant>1</integer-constant>\
                 </integer-le></finally></exists-path>"
            )
        ),
        property(
            "bad",
            "<exists-path><finally><is-fireable><transition>no</transition></is-fireable></finally></exists-path>"
        ),
        property("bound", "<place-bound><place>r</place></place-bound>"),
        property("odd", "<all-paths><maybe><x/></maybe></all-paths>"),
        property(
            "linear",
            "<all-paths><until><before><is-fireable><transition>t</transition></is-fireable></before>\
             <reach><deadlock/></reach></until></all-paths>"
        ),
    );
    let (properties, problems) = read_properties(SOURCE, &text, &net);
    let ids: Vec<&str> = properties.iter().map(|property| property.id.as_str()).collect();
    assert_eq!(ids, ["reach", "bound", "linear"]);
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.id).collect();
    assert_eq!(codes, ["X005", "X007"]);
    let Asked::Formula(Formula::Some(reach)) = &properties[0].asked else { panic!("a formula") };
    assert!(matches!(&**reach, Formula::Finally(goal) if goal.holds(&net, &[1, 0])));
    assert!(matches!(&**reach, Formula::Finally(goal) if !goal.holds(&net, &[1, 1])));
    assert_eq!(properties[1].asked, Asked::Bound(vec![PlaceId::from_usize(1)]));
    let Asked::Formula(until) = &properties[2].asked else { panic!("a formula") };
    // An until below one quantifier is of both kinds: it is checked as branching time.
    assert_eq!(until.kind(), Kind::Branching);
}
